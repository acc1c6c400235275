package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"strings"

	"github.com/ownergraph/ownergraph/internal/spell"
)

// locate adds the place in the input to an error.
func (d *decoder) locate(err error) error {
	where := d.place()
	if n := len(d.stack); n > 0 && !d.stack[n-1].inItems {
		if label := d.stack[n-1].label(); label != "" {
			where += " (" + label + ")"
		}
	}
	return fmt.Errorf("%s, byte %d: %w", where, d.json.InputOffset(), err)
}

// place names the document, and the items of its lists.
func (d *decoder) place() string {
	var where strings.Builder
	fmt.Fprintf(&where, "document %d", d.number)
	for _, f := range d.stack {
		if f.inItems {
			fmt.Fprintf(&where, ", items[%d]", max(f.item, 0))
		}
	}
	return where.String()
}

// explain describes an error of the JSON decoder.
func explain(field string, err error) error {
	var wrongType *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	var file *fs.PathError // names the input, and so does load
	switch {
	case errors.As(err, &wrongType):
		if wrongType.Field != "" {
			field += "." + wrongType.Field
		}
		return fmt.Errorf("%s: want %s, have %s", spell.Clip(field), nameType(wrongType.Type), spell.Clip(wrongType.Value))
	case errors.As(err, &syntax):
		err = fmt.Errorf("not JSON: %w", syntax)
	case errors.As(err, &file):
		err = file.Err
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		err = fmt.Errorf("truncated: %w", io.ErrUnexpectedEOF)
	}
	if field == "" {
		return err
	}
	return fmt.Errorf("%s: %w", spell.Clip(field), err)
}

func nameType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array"
	case reflect.Struct:
		return "an object"
	}
	return "an integer"
}

func nameToken(t json.Token) string {
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return "an object"
		}
		return "an array"
	case string:
		return "text"
	case json.Number:
		return spell.Clip(t.String())
	case nil:
		return "null"
	default:
		return fmt.Sprint(t)
	}
}
