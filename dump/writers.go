package dump

import (
	"encoding/json"
	"strings"
	"time"
)

// Writer is the last client that wrote a finalizer of an object, as metadata.managedFields has it.
// It is a value.
type Writer struct {
	Finalizer   string    `json:"finalizer"`
	Manager     string    `json:"manager"`
	Operation   string    `json:"operation"`             // Apply or Update
	Subresource string    `json:"subresource,omitempty"` // of the write, or ""
	At          time.Time `json:"at"`                    // the zero time if it is unknown
}

// managed is an entry of metadata.managedFields.
type managed struct {
	Manager     string    `json:"manager"`
	Operation   string    `json:"operation"`
	Subresource string    `json:"subresource"`
	Time        time.Time `json:"time"`
	Fields      struct {
		Metadata struct {
			Finalizers map[string]json.RawMessage `json:"f:finalizers"`
		} `json:"f:metadata"`
	} `json:"fieldsV1"`
}

// element is the prefix of an element of a list in managed fields. The element follows as JSON.
const element = "v:"

// FinalizerWriters returns the last writer of each finalizer, in the order of the finalizers. The
// argument is the JSON of metadata.managedFields. A finalizer that no entry names has no writer, and
// a malformed entry names none. The result is the caller's. FinalizerWriters is safe for concurrent
// use.
//
//test:by TestFinalizerWriters
func FinalizerWriters(managedFields json.RawMessage, finalizers []string) []Writer {
	var texts []json.RawMessage
	if len(finalizers) == 0 || len(managedFields) == 0 || json.Unmarshal(managedFields, &texts) != nil {
		return nil
	}
	last := make(map[string]Writer, len(finalizers))
	for _, f := range finalizers {
		last[f] = Writer{}
	}
	for _, text := range texts {
		var m managed
		if json.Unmarshal(text, &m) != nil {
			continue
		}
		for field := range m.Fields.Metadata.Finalizers {
			var f string
			quoted, is := strings.CutPrefix(field, element)
			if !is || json.Unmarshal([]byte(quoted), &f) != nil {
				continue
			}
			was, wanted := last[f]
			if !wanted || was.Finalizer != "" && !m.Time.After(was.At) {
				continue
			}
			last[f] = Writer{Finalizer: f, Manager: m.Manager, Operation: m.Operation, Subresource: m.Subresource, At: m.Time}
		}
	}
	var list []Writer
	for _, f := range finalizers {
		if w := last[f]; w.Finalizer != "" {
			list = append(list, w)
		}
		delete(last, f) // it may stand twice
	}
	return list
}
