package etcdstore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

// JSON is the default Codec. Package documentation describes its layout, under "Keys and
// values". The zero value works.
//
//test:by TestKeys TestValues FuzzKeys FuzzValues
type JSON struct{}

const objectsPrefix = "objects/"

// Prefix returns "objects/", the kind as graph.Key.PlaceString writes it, and "/".
func (JSON) Prefix(kind graph.Kind) string {
	return objectsPrefix + strings.TrimSuffix(graph.Key{Kind: kind, Name: "x"}.PlaceString(), "x")
}

// Key returns "objects/" and the place as graph.Key.PlaceString writes it.
func (JSON) Key(place graph.Key) (string, error) { return objectsPrefix + place.PlaceString(), nil }

// Place reads the text that Key writes, and no other spelling of it.
func (JSON) Place(key string) (graph.Key, error) {
	text, ok := strings.CutPrefix(key, objectsPrefix)
	if !ok {
		return graph.Key{}, fmt.Errorf("key: does not begin with %q: %w", objectsPrefix, graph.ErrInvalid)
	}
	return graph.ParsePlace(text)
}

// formatPolicies is the format of a value with a policy. A program that does not know policies refuses
// the field "format", and would read the policies alone as unset.
const formatPolicies = 2

// Encode returns one line of JSON. The payload follows the line's end as it is. A record with a policy
// (graph.OnDelete) has the field "format" first, so that no earlier version of this codec reads it.
func (JSON) Encode(r Record) ([]byte, error) { return encodeJSON(r, true) }

// encodeJSON writes a record. Without formats it writes policies as a prefix of version 1 has them.
func encodeJSON(r Record, formats bool) ([]byte, error) {
	r.Object.Version = ""
	object, err := r.Object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(object)+len(r.Payload)+64), '{')
	if formats && slices.ContainsFunc(r.Object.Owners, hasPolicy) {
		out = fmt.Appendf(out, `"format":%d,`, formatPolicies)
	}
	out = append(out, `"object":`...)
	out = append(out, object...)
	if len(r.Labels) > 0 {
		for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
			if !utf8.ValidString(name) || !utf8.ValidString(r.Labels[name]) {
				return nil, fmt.Errorf("labels[%q]: not UTF-8: %w", name, graph.ErrInvalid)
			}
		}
		labels, err := json.Marshal(r.Labels)
		if err != nil {
			return nil, fmt.Errorf("labels: %w: %w", err, graph.ErrInvalid)
		}
		out = append(append(out, `,"labels":`...), labels...)
	}
	return append(append(out, "}\n"...), r.Payload...), nil
}

func hasPolicy(r graph.Owner) bool { return r.OnDelete != graph.OnDeleteUnset }

// Decode reads the text that Encode writes. The fields may come in any order. It refuses a
// field that it does not know, a field that is there twice, and an object of another
// place.
func (JSON) Decode(place graph.Key, value []byte) (Record, error) {
	line, payload, ok := bytes.Cut(value, []byte{'\n'})
	if !ok {
		return Record{}, fmt.Errorf("value: no end of the first line: %w", graph.ErrInvalid)
	}
	r := Record{}
	seen, err := readFields(line, &r)
	switch {
	case err != nil:
		return Record{}, err
	case !seen["object"]:
		return Record{}, fmt.Errorf("object: missing: %w", graph.ErrInvalid)
	case r.Object.Place() != place:
		return Record{}, fmt.Errorf("object: is at %.200s: %w", r.Object.PlaceString(), graph.ErrInvalid)
	case r.Object.UID == "":
		return Record{}, fmt.Errorf("object.uid: missing: %w", graph.ErrInvalid)
	case r.Object.Version != "":
		return Record{}, fmt.Errorf("object.version: the mod revision is the version: %w", graph.ErrInvalid)
	}
	if i := slices.IndexFunc(r.Object.Owners, func(o graph.Owner) bool { return o.OnDelete == graph.OnDeleteCascade }); i >= 0 && !seen["format"] {
		return Record{}, fmt.Errorf("object.owners[%d].onDelete: cascade needs format %d: %w", i, formatPolicies, graph.ErrInvalid)
	}
	if len(payload) > 0 {
		r.Payload = bytes.Clone(payload)
	}
	return r, nil
}

// readFields reads the fields of the first line. It is fast for a line as Encode writes it
// without labels. UnmarshalJSON refuses every other line there.
func readFields(line []byte, r *Record) (seen map[string]bool, err error) {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"object":`)); ok {
		if text, ok := bytes.CutSuffix(rest, []byte{'}'}); ok && r.Object.UnmarshalJSON(text) == nil {
			return map[string]bool{"object": true}, nil
		}
	}
	return readEachField(line, r)
}

func readEachField(line []byte, r *Record) (seen map[string]bool, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("value: does not begin with a JSON object: %w", graph.ErrInvalid)
	}
	seen = map[string]bool{}
	for d.More() {
		t, err := d.Token()
		name, _ := t.(string)
		if err != nil {
			return nil, fmt.Errorf("value: %w: %w", err, graph.ErrInvalid)
		}
		if seen[name] {
			return nil, fmt.Errorf("%.200s: there twice: %w", name, graph.ErrInvalid)
		}
		seen[name] = true
		if err := readField(d, name, r); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("value: %w: %w", err, graph.ErrInvalid)
	}
	if rest := bytes.TrimSpace(line[d.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("value: more text after the JSON object: %w", graph.ErrInvalid)
	}
	return seen, nil
}

func readField(d *json.Decoder, name string, r *Record) error {
	var text json.RawMessage
	if err := d.Decode(&text); err != nil {
		return fmt.Errorf("%.200s: %w: %w", name, err, graph.ErrInvalid)
	}
	switch name {
	case "format":
		if strings.TrimSpace(string(text)) != strconv.Itoa(formatPolicies) {
			return fmt.Errorf("format: %.100s is unknown, want %d: %w", text, formatPolicies, graph.ErrInvalid)
		}
	case "object":
		if err := r.Object.UnmarshalJSON(text); err != nil {
			return fmt.Errorf("object: %w", err)
		}
	case "labels":
		var labels map[string]*string
		if err := json.Unmarshal(text, &labels); err != nil || labels == nil {
			return fmt.Errorf("labels: not an object of texts: %w", graph.ErrInvalid)
		}
		r.Labels = make(map[string]string, len(labels))
		for key, value := range labels {
			if value == nil {
				return fmt.Errorf("labels[%.200q]: null: %w", key, graph.ErrInvalid)
			}
			r.Labels[key] = *value
		}
	default:
		return fmt.Errorf("%.200q: an unknown field: %w", name, graph.ErrInvalid)
	}
	return nil
}
