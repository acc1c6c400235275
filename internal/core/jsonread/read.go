// Package jsonread reads JSON strictly: each field once, by its exact name, and with a
// value of its own type. Packages graph and plan use it, and explain and lint use Sound. It
// judges no object.
package jsonread

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Field is a field of an object of JSON. It is a value.
type Field struct {
	Name string
	// Must says that the field may not be missing.
	Must bool
	// Read takes the value, which is valid JSON without blanks around it.
	Read func(value []byte) error
}

// Text reads the fields of the object of JSON that the text contains, and no more. An error
// names the path of the field and the cause. The work is in proportion to the text.
func Text(text []byte, fields []Field) error {
	value, err := whole(text)
	if err != nil {
		return err
	}
	return Object(value, fields)
}

// whole returns the value of a text that is UTF-8 and JSON.
func whole(text []byte) (value json.RawMessage, err error) {
	if !utf8.Valid(text) {
		return nil, errors.New("text: not UTF-8")
	}
	if err := json.Unmarshal(text, &value); err != nil { // checks the whole text
		return nil, fmt.Errorf("text: %w", err)
	}
	return value, nil
}

// Sound checks a text for a reader of package json, which would change these faults: text
// that is not UTF-8, a field that is there twice, half of a surrogate pair. An error names
// the byte and the cause. The work is in proportion to the text.
func Sound(text []byte) error {
	if _, err := whole(text); err != nil {
		return err
	}
	if at := half(text); at >= 0 { // only a string has a backslash
		return fmt.Errorf("byte %d: %s", at+1, halfPair)
	}
	return distinct(json.NewDecoder(bytes.NewReader(text)))
}

// distinct reads one value, and returns an error if an object in it has a field twice.
func distinct(in *json.Decoder) error {
	begin, _ := in.Token() // the text is valid JSON: no token fails
	if begin != json.Delim('{') && begin != json.Delim('[') {
		return nil
	}
	seen := map[json.Token]bool{}
	for in.More() {
		if begin == json.Delim('{') {
			name, _ := in.Token()
			if seen[name] {
				return fmt.Errorf("byte %d: field %.50q is there twice", in.InputOffset(), name)
			}
			seen[name] = true
		}
		if err := distinct(in); err != nil {
			return err
		}
	}
	_, _ = in.Token()
	return nil
}

// Object reads a value that is an object of JSON, field by field.
func Object(value []byte, fields []Field) error {
	if value[0] != '{' {
		return mismatch(value, "an object")
	}
	seen := make([]bool, len(fields))
	in := json.NewDecoder(bytes.NewReader(value))
	_, _ = in.Token() // the text is valid JSON: no token fails
	for in.More() {
		name, _ := in.Token()
		var value json.RawMessage
		_ = in.Decode(&value)
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		switch {
		case i < 0:
			return fault{fmt.Sprintf("%.50q", name), "unknown field"}
		case seen[i]:
			return fault{fields[i].Name, "there twice"}
		}
		seen[i] = true
		if err := fields[i].Read(value); err != nil {
			return within(fields[i].Name, err)
		}
	}
	for i, f := range fields {
		if f.Must && !seen[i] {
			return fault{f.Name, "missing"}
		}
	}
	return nil
}

// Array appends the elements of a value that is an array of JSON.
func Array[T any](value []byte, to *[]T, read func([]byte, *T) error) error {
	if value[0] != '[' {
		return mismatch(value, "an array")
	}
	in := json.NewDecoder(bytes.NewReader(value))
	_, _ = in.Token()
	for in.More() {
		var value json.RawMessage
		_ = in.Decode(&value)
		var element T
		if err := read(value, &element); err != nil {
			return within("["+strconv.Itoa(len(*to))+"]", err)
		}
		*to = append(*to, element)
	}
	return nil
}

// StringField is a field for String.
func StringField[T ~string](name string, must bool, to *T) Field {
	return Field{name, must, func(value []byte) error { return String(value, to) }}
}

// Flag is an optional field with true or false.
func Flag(name string, to *bool) Field {
	return Field{name, false, func(value []byte) error {
		if value[0] != 't' && value[0] != 'f' {
			return mismatch(value, "true or false")
		}
		*to = value[0] == 't'
		return nil
	}}
}

// Number is an optional field with a whole number of 64 bits.
func Number(name string, to *int64) Field {
	return Field{name, false, func(value []byte) (err error) {
		if *to, err = strconv.ParseInt(string(value), 10, 64); err != nil {
			return mismatch(value, "a whole number of 64 bits")
		}
		return nil
	}}
}

// String reads a value that is a string of JSON.
func String[T ~string](value []byte, to *T) error {
	if value[0] != '"' {
		return mismatch(value, "a string")
	}
	if half(value) >= 0 {
		return fault{cause: halfPair} // two names would become one
	}
	var text string
	_ = json.Unmarshal(value, &text)
	*to = T(text)
	return nil
}

const halfPair = "half of a surrogate pair"

// half returns the first byte at which valid JSON escapes one half of a surrogate pair
// without the other, or -1. Package json would read every such half as U+FFFD.
func half(value []byte) int {
	unit := func(at int) rune { // of the escape at a byte, 0 without one
		if at+6 > len(value) || value[at] != '\\' || value[at+1] != 'u' {
			return 0
		}
		n, _ := strconv.ParseUint(string(value[at+2:at+6]), 16, 16)
		return rune(n)
	}
	for at := 0; at < len(value); at++ {
		if value[at] != '\\' {
			continue
		}
		if first := unit(at); utf16.IsSurrogate(first) {
			if utf16.DecodeRune(first, unit(at+6)) == utf8.RuneError {
				return at
			}
			at += 6
		}
		at++ // the escaped byte begins no escape
	}
	return -1
}

// fault is the cause of an error in a value, and the path to the value.
type fault struct{ path, cause string }

func (f fault) Error() string {
	if f.path == "" {
		return f.cause
	}
	return f.path + ": " + f.cause
}

// within puts a step in front of the path of an error.
func within(step string, err error) error {
	var f fault // every error of a value is one
	errors.As(err, &f)
	if f.path != "" && f.path[0] != '[' {
		step += "."
	}
	f.path = step + f.path
	return f
}

// Fault returns an error about a value.
func Fault(format string, args ...any) error { return fault{cause: fmt.Sprintf(format, args...)} }

func mismatch(value []byte, want string) error {
	what := "a number"
	switch value[0] {
	case '{':
		what = "an object"
	case '[':
		what = "an array"
	case '"':
		what = "a string"
	case 't', 'f':
		what = "true or false"
	case 'n':
		what = "null"
	}
	return fault{cause: "found " + what + ", want " + want}
}
