package run

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/ownergraph/ownergraph/internal/core/jsonread"
)

// Document is the content of a program's record: an object of JSON with a version and a
// list for each mechanism. It keeps the fields that this version does not know. The zero
// value is that of a program without a record. It is a value.
//
//test:by TestDocument
type Document struct {
	fields map[string]json.RawMessage
	writes int64
}

// documentVersion is the version that this package reads and writes.
const documentVersion = 1

// ReadDocument reads the content of a record. An error names the fault.
func ReadDocument(text []byte) (d Document, err error) {
	if err := jsonread.Sound(text); err != nil {
		return Document{}, err
	}
	if err := json.Unmarshal(text, &d.fields); err != nil || d.fields == nil {
		return Document{}, fmt.Errorf("found %.50q, want an object", text)
	}
	if v := string(d.fields["version"]); v != "1" {
		return Document{}, fmt.Errorf("version: found %.50q, want %d", v, documentVersion)
	}
	if n, ok := d.fields["writes"]; ok {
		if err := jsonread.Number("writes", &d.writes).Read(n); err != nil {
			return Document{}, fmt.Errorf("writes: %w", err)
		}
	}
	return d, nil
}

// Field returns the JSON of a field, nil without one.
func (d Document) Field(name string) []byte { return d.fields[name] }

// With returns the document with another value of a field.
func (d Document) With(name string, value []byte) Document {
	fields := maps.Clone(d.fields)
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	fields[name] = value
	return Document{fields, d.writes}
}

// Text returns the document with another value of a field, as the next content of the
// record. It counts the writes, so no two contents of a record are the same. So every write
// gives the record another version, and ends each write with a former version that is still
// under way.
func (d Document) Text(name string, value []byte) []byte {
	fields := d.With(name, value).fields
	fields["version"] = fmt.Appendf(nil, "%d", documentVersion)
	fields["writes"] = fmt.Appendf(nil, "%d", d.writes+1)
	text, err := json.Marshal(fields)
	if err != nil {
		panic(fmt.Sprintf("write a record: %v", err)) // the fields are valid JSON
	}
	return text
}
