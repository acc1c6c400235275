package dump

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// fields checks the names of fields in the text of a metadata. Package json takes the last one of
// several fields with one name, in any spelling. An API server takes one spelling.
type fields struct {
	known [2][]string // of the metadata, and of an owner reference
	seen  [2][]string // in this metadata, and in the reference under way
	stack []byte      // the open objects and arrays
	name  string      // of the field of the metadata under way
}

func newFields() *fields {
	return &fields{known: [2][]string{names(reflect.TypeFor[metadata]()), names(reflect.TypeFor[reference]())}}
}

// names returns the names of the fields that package json reads into a type.
func names(t reflect.Type) (list []string) {
	for i := range t.NumField() {
		list = append(list, t.Field(i).Tag.Get("json"))
	}
	return list
}

// check refuses a known field that stands twice, or in another spelling. The text is valid JSON.
func (f *fields) check(text []byte) error {
	f.stack, f.name, f.seen[0] = f.stack[:0], "", f.seen[0][:0]
	isName := false // the next text is the name of a field
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			f.stack = append(f.stack, c)
			if isName = c == '{'; len(f.stack) == 3 {
				f.seen[1] = f.seen[1][:0]
			}
		case '}', ']':
			f.stack = f.stack[:len(f.stack)-1]
		case ',':
			isName = f.stack[len(f.stack)-1] == '{'
		case '"':
			end := endOfText(text, i)
			if isName {
				if err := f.field(text[i : end+1]); err != nil {
					return err
				}
			}
			isName, i = false, end
		}
	}
	return nil
}

// endOfText returns the index of the quote that ends the text at begin.
func endOfText(text []byte, begin int) int {
	for end := begin + 1; ; end++ {
		end += bytes.IndexByte(text[end:], '"')
		escapes := 0
		for text[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
	}
}

// field checks the name of one field.
func (f *fields) field(quoted []byte) error {
	path, at := "metadata", 0
	switch {
	case len(f.stack) == 3 && f.stack[1] == '[' && f.name == "ownerReferences":
		path, at = "metadata.ownerReferences", 1
	case len(f.stack) != 1:
		return nil
	}
	plain := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(plain, '\\') >= 0 {
		var name string
		if err := json.Unmarshal(quoted, &name); err != nil {
			return explain(path, err)
		}
		plain = []byte(name)
	}
	i := slices.IndexFunc(f.known[at], func(s string) bool { return string(plain) == s || strings.EqualFold(s, string(plain)) })
	if at == 0 {
		f.name = ""
	}
	if i < 0 {
		return nil
	}
	known := f.known[at][i]
	switch {
	case string(plain) != known:
		return fmt.Errorf("%s.%s: %q is another field", path, known, plain)
	case slices.Contains(f.seen[at], known):
		return fmt.Errorf("%s.%s: given twice", path, known)
	case at == 0:
		f.name = known
	}
	f.seen[at] = append(f.seen[at], known)
	return nil
}
