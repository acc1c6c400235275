package annotation

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/jsonread"
)

// Owners is the name of the annotation.
const Owners = "ownergraph.github.io/owner-references"

// MaxBytes is the size of the longest value. Kubernetes permits 256 KiB for all annotations of an
// object.
const MaxBytes = 64 << 10

// Reference is one reference of the annotation. It is a value.
type Reference struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	UID        graph.UID `json:"uid"`
	// OnDelete is never unset: a reference without a policy is an owner reference.
	OnDelete   graph.OnDelete `json:"onDelete"`
	Block      bool           `json:"blockOwnerDeletion,omitempty"`
	Controller bool           `json:"controller,omitempty"`
}

// value is the whole annotation.
type value struct {
	Dependent  dependent   `json:"dependent"`
	References []Reference `json:"references"`
}

// dependent names the object that the value belongs to.
type dependent struct {
	Kind      graph.Kind `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
}

// Parse returns the references that the value gives the object at the key's coordinates, in their
// order. It ignores the UID of the key. A value that names another object is a copy, and has none. The
// caller owns the result. The work is in proportion to the value.
//
// An error wraps graph.ErrInvalid, and names the annotation, the field and the cause. The result is
// then nil.
//
//test:by TestParse TestParseFaults FuzzParse
func Parse(object graph.Key, text string) ([]Reference, error) {
	refs, err := parse(object, text)
	if err != nil {
		return nil, fmt.Errorf("read annotation %s: %w: %w", Owners, err, graph.ErrInvalid)
	}
	return refs, nil
}

func parse(object graph.Key, text string) ([]Reference, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%d bytes, more than %d", len(text), MaxBytes)
	}
	// A copy may come from a later version, so its references are not read.
	var of dependent
	if err := read(text, &of, func([]byte) error { return nil }); err != nil || of != dependentOf(object) {
		return nil, err
	}
	var out []Reference
	err := read(text, &of, func(list []byte) error { return jsonread.Array(list, &out, readReference) })
	if err == nil {
		err = check(out)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// read reads a value, its references by a function.
func read(text string, of *dependent, references func([]byte) error) error {
	return jsonread.Text([]byte(text), []jsonread.Field{
		{Name: "dependent", Must: true, Read: of.read},
		{Name: "references", Must: true, Read: references},
	})
}

func (d *dependent) read(text []byte) error {
	return jsonread.Object(text, []jsonread.Field{
		jsonread.StringField("kind", true, &d.Kind),
		jsonread.StringField("namespace", false, &d.Namespace),
		jsonread.StringField("name", true, &d.Name),
	})
}

func readReference(text []byte, r *Reference) error {
	return jsonread.Object(text, []jsonread.Field{
		jsonread.StringField("apiVersion", true, &r.APIVersion),
		jsonread.StringField("kind", true, &r.Kind),
		jsonread.StringField("name", true, &r.Name),
		jsonread.StringField("uid", true, &r.UID),
		{Name: "onDelete", Must: true, Read: func(text []byte) error { return readPolicy(text, &r.OnDelete) }},
		jsonread.Flag("blockOwnerDeletion", &r.Block),
		jsonread.Flag("controller", &r.Controller),
	})
}

func readPolicy(text []byte, d *graph.OnDelete) error {
	var name string
	if err := jsonread.String(text, &name); err != nil {
		return err
	}
	if d.UnmarshalText([]byte(name)) != nil {
		return jsonread.Fault("%.100q is unknown, want release, restrict or cascade", name)
	}
	return nil
}

// Format returns the value with these references of the object, in their order, and "" without a
// reference: the object then has no such annotation. It ignores the UID of the key. Parse brings the
// references back.
//
// An error wraps graph.ErrInvalid, and names the field and the cause. The causes are those of Parse, a
// text that is not UTF-8, and a reference to the object itself.
//
//test:by TestFormatFaults FuzzParse
func Format(object graph.Key, refs []Reference) (string, error) {
	if len(refs) == 0 {
		return "", nil
	}
	text, err := format(object, refs)
	if err != nil {
		return "", fmt.Errorf("write annotation %s: %w: %w", Owners, err, graph.ErrInvalid)
	}
	return text, nil
}

func format(object graph.Key, refs []Reference) (string, error) {
	of := dependentOf(object)
	if of.Kind == "" || of.Name == "" {
		return "", errors.New("dependent: kind or name is empty")
	}
	if err := check(refs); err != nil {
		return "", err
	}
	if !isText(string(of.Kind), of.Namespace, of.Name) {
		return "", errors.New("dependent: not UTF-8")
	}
	for i, r := range refs {
		switch {
		case !isText(r.APIVersion, r.Kind, r.Name, string(r.UID)):
			return "", fmt.Errorf("references[%d]: not UTF-8", i)
		case r.GraphKind() == of.Kind && r.Name == of.Name, r.UID == object.UID:
			return "", fmt.Errorf("references[%d]: the object itself", i)
		}
	}
	text, err := json.Marshal(value{of, refs})
	switch {
	case err != nil:
		return "", err
	case len(text) > MaxBytes:
		return "", fmt.Errorf("%d bytes, more than %d", len(text), MaxBytes)
	}
	return string(text), nil
}

func dependentOf(object graph.Key) dependent {
	return dependent{object.Kind, object.Scope, object.Name}
}

func isText(list ...string) bool {
	for _, s := range list {
		if !utf8.ValidString(s) {
			return false
		}
	}
	return true
}

// check returns the first fault of the references.
func check(refs []Reference) error {
	first := make(map[graph.UID]int, len(refs))
	for i, r := range refs {
		fault := func(field, format string, args ...any) error {
			return fmt.Errorf("references[%d].%s: %s", i, field, fmt.Sprintf(format, args...))
		}
		for _, f := range [...]struct{ name, text string }{
			{"apiVersion", r.APIVersion}, {"kind", r.Kind}, {"name", r.Name}, {"uid", string(r.UID)},
		} {
			if f.text == "" {
				return fault(f.name, "empty")
			}
		}
		if r.OnDelete == graph.OnDeleteUnset || r.OnDelete > graph.OnDeleteCascade {
			return fault("onDelete", "%s, want release, restrict or cascade", r.OnDelete)
		}
		if j, twice := first[r.UID]; twice {
			return fault("uid", "the same as references[%d].uid", j)
		}
		first[r.UID] = i
	}
	return nil
}

// GraphKind returns the kind with its group and without its version: "Pod", "apps/Deployment". It does
// not judge the apiVersion.
func (r Reference) GraphKind() graph.Kind {
	if group, _, grouped := strings.Cut(r.APIVersion, "/"); grouped {
		return graph.Kind(group + "/" + r.Kind)
	}
	return graph.Kind(r.Kind)
}

// Flaw returns the reference by which a store reports an error of Parse, or another fault of the
// annotation: see graph.FlawedOwner. It leaves the sentinel out, which graph.Flaw adds.
//
//test:by TestFlaw
func Flaw(err error) graph.Owner {
	return graph.FlawedOwner(strings.TrimSuffix(err.Error(), ": "+graph.ErrInvalid.Error()))
}
