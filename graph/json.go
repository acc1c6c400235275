package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/internal/core/jsonread"
)

// jsonObject is the JSON form of an Object. The names and their order are stable.
type jsonObject struct {
	Kind               Kind        `json:"kind"`
	Scope              string      `json:"scope,omitempty"`
	Name               string      `json:"name"`
	UID                UID         `json:"uid,omitempty"`
	Version            Version     `json:"version,omitempty"`
	Owners             []jsonOwner `json:"owners,omitempty"`
	Finalizers         []string    `json:"finalizers,omitempty"`
	Deleting           bool        `json:"deleting,omitempty"`
	GraceSeconds       int64       `json:"graceSeconds,omitempty"`
	Generation         int64       `json:"generation,omitempty"`
	ObservedGeneration int64       `json:"observedGeneration,omitempty"`
}

type jsonOwner struct {
	Kind       Kind   `json:"kind"`
	Scope      string `json:"scope,omitempty"`
	Name       string `json:"name"`
	UID        UID    `json:"uid"`
	Unresolved bool   `json:"unresolved,omitempty"`
	Block      bool   `json:"block,omitempty"`
	Controller bool   `json:"controller,omitempty"`
	OnDelete   string `json:"onDelete,omitempty"`
}

// MarshalJSON returns the object in its JSON form. The form is stable: a later version of
// this module reads the text of this version. A later version may add fields, which this
// version refuses.
//
//	{
//	  "kind": "apps/Deployment",     always there, as is name
//	  "scope": "shop",               left out if empty, as every following field
//	  "name": "web",
//	  "uid": "8d12",
//	  "version": "3",
//	  "owners": [{                   in the object's order
//	    "kind": "Site",              always there, as are name and uid
//	    "scope": "shop",
//	    "name": "front",
//	    "uid": "77aa",
//	    "unresolved": true,          a false flag is left out
//	    "block": true,
//	    "controller": true,
//	    "onDelete": "release"        or "restrict", "cascade"
//	  }],
//	  "finalizers": ["example.org/empty"],
//	  "deleting": true,
//	  "graceSeconds": 30,            whole numbers of 64 bits, as both generations
//	  "generation": 2,
//	  "observedGeneration": 1
//	}
//
// UnmarshalJSON reads every object back. JSON has no form for text that is not UTF-8, and
// none for an unknown OnDelete. For these the error wraps ErrInvalid and names the field.
//
//test:by TestJSON TestJSONRoundTrip
func (o Object) MarshalJSON() ([]byte, error) {
	if field := notText(&o); field != "" {
		return nil, fmt.Errorf("write object: %s: not UTF-8: %w", field, ErrInvalid)
	}
	if i := slices.IndexFunc(o.Owners, func(r Owner) bool { return !r.OnDelete.known() }); i >= 0 {
		return nil, fmt.Errorf("write object: owners[%d].onDelete: %s is unknown: %w", i, o.Owners[i].OnDelete, ErrInvalid)
	}
	out := jsonObject{
		o.Kind, o.Scope, o.Name, o.UID, o.Version, nil, o.Finalizers,
		o.Deleting, o.GraceSeconds, o.Generation, o.ObservedGeneration,
	}
	for _, r := range o.Owners {
		j := jsonOwner{r.Kind, r.Scope, r.Name, r.UID, r.Unresolved, r.Block, r.Controller, ""}
		if r.OnDelete != OnDeleteUnset {
			j.OnDelete = r.OnDelete.String()
		}
		out.Owners = append(out.Owners, j)
	}
	return json.Marshal(out)
}

// notText returns the first field that is not UTF-8, "" if all are.
func notText(o *Object) string {
	if field := notTextKey(o.Key); field != "" {
		return field
	}
	if !utf8.ValidString(string(o.Version)) {
		return "version"
	}
	for i, r := range o.Owners {
		if field := notTextKey(r.Key); field != "" {
			return fmt.Sprintf("owners[%d].%s", i, field)
		}
	}
	for i, f := range o.Finalizers {
		if !utf8.ValidString(f) {
			return fmt.Sprintf("finalizers[%d]", i)
		}
	}
	return ""
}

func notTextKey(k Key) string {
	for _, f := range [...]struct{ field, text string }{
		{"kind", string(k.Kind)}, {"scope", k.Scope}, {"name", k.Name}, {"uid", string(k.UID)},
	} {
		if !utf8.ValidString(f.text) {
			return f.field
		}
	}
	return ""
}

// UnmarshalJSON reads the JSON form that MarshalJSON writes, with the fields in any
// order. It takes nothing else, so that a slip of the writer does not drop owners or
// finalizers. It refuses null, an unknown field, a field in other letters, a missing
// field, a field that is there twice, and a value of another type.
//
// An error wraps ErrInvalid and names the field, such as "read object: owners[3].uid:
// found a number, want a string: invalid". After an error the object is unchanged.
// UnmarshalJSON does not judge the object: see Validate. The work is in proportion to the
// text, which the caller bounds.
//
//test:by TestJSONErrors FuzzJSON
func (o *Object) UnmarshalJSON(text []byte) error {
	var read Object
	if err := readJSON(text, &read); err != nil {
		return fmt.Errorf("read object: %w: %w", err, ErrInvalid)
	}
	*o = read
	return nil
}

func readJSON(text []byte, o *Object) error {
	return jsonread.Text(text, append(keyFields(&o.Key, false),
		jsonread.StringField("version", false, &o.Version),
		jsonread.Field{Name: "owners", Read: func(value []byte) error { return jsonread.Array(value, &o.Owners, readOwner) }},
		jsonread.Field{Name: "finalizers", Read: func(value []byte) error {
			return jsonread.Array(value, &o.Finalizers, jsonread.String[string])
		}},
		jsonread.Flag("deleting", &o.Deleting),
		jsonread.Number("graceSeconds", &o.GraceSeconds),
		jsonread.Number("generation", &o.Generation),
		jsonread.Number("observedGeneration", &o.ObservedGeneration),
	))
}

func readOwner(value []byte, r *Owner) error {
	return jsonread.Object(value, append(keyFields(&r.Key, true),
		jsonread.Flag("unresolved", &r.Unresolved), jsonread.Flag("block", &r.Block), jsonread.Flag("controller", &r.Controller),
		jsonread.Field{Name: "onDelete", Read: func(value []byte) error { return readOnDelete(value, &r.OnDelete) }}))
}

func readOnDelete(value []byte, d *OnDelete) error {
	var text string
	if err := jsonread.String(value, &text); err != nil {
		return err
	}
	if d.UnmarshalText([]byte(text)) != nil {
		return jsonread.Fault("found %.100q, want release, restrict or cascade", text)
	}
	return nil
}

func keyFields(k *Key, uid bool) []jsonread.Field {
	return []jsonread.Field{
		jsonread.StringField("kind", true, &k.Kind), jsonread.StringField("scope", false, &k.Scope),
		jsonread.StringField("name", true, &k.Name), jsonread.StringField("uid", uid, &k.UID),
	}
}
