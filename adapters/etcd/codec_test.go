package etcdstore

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func TestKeys(t *testing.T) {
	for _, tc := range []struct {
		place       graph.Key
		key, reason string
	}{
		{graph.Key{Kind: "node", Name: "n1"}, "objects/node/n1", "a global object has two parts"},
		{graph.Key{Kind: "pod", Scope: "ns", Name: "a"}, "objects/pod/ns/a", "a scoped one has three"},
		{graph.Key{Kind: "apps/Deployment", Scope: "ns", Name: "a"}, `objects/"apps/Deployment"/ns/a`, "a part with a separator is quoted"},
		{graph.Key{Kind: "pod", Scope: "ns/b", Name: "a"}, `objects/pod/"ns/b"/a`, "so no other place has this key"},
		{graph.Key{Kind: "pod", Scope: "ns", Name: "\x00\xff"}, `objects/pod/ns/"\x00\xff"`, "bytes that are no text stay as they are"},
	} {
		key, err := JSON{}.Key(tc.place)
		if err != nil || key != tc.key || !strings.HasPrefix(key, JSON{}.Prefix(tc.place.Kind)) {
			t.Errorf("Key(%+v): %q, %v, want %q: %s", tc.place, key, err, tc.key, tc.reason)
		}
		if place, err := (JSON{}).Place(key); err != nil || place != tc.place {
			t.Errorf("Place(%q): %+v, %v, want %+v: %s", key, place, err, tc.place, tc.reason)
		}
	}
	for _, tc := range []struct{ key, reason string }{
		{"origin", "the store's own key is no object"},
		{"objects/pod", "a kind alone is no place"},
		{`objects/"pod"/ns/a`, "one place has one key"},
		{"objects/pod/ns/a@u", "a key has no UID"},
	} {
		if place, err := (JSON{}).Place(tc.key); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("Place(%q): %+v, %v, want ErrInvalid: %s", tc.key, place, err, tc.reason)
		}
	}
}

func TestValues(t *testing.T) {
	place := graph.Key{Kind: "pod", Scope: "ns", Name: "a"}
	const object = `{"kind":"pod","scope":"ns","name":"a","uid":"u"}`
	policy := func(name string) string {
		return `{"object":{"kind":"pod","scope":"ns","name":"a","uid":"u","owners":[{"kind":"k","name":"n","uid":"o","onDelete":"` + name + `"}]}}` + "\n"
	}
	for _, tc := range []struct{ value, want, reason string }{
		{`{"object":` + object + "}\n", "", "the smallest value"},
		{`{ "labels": {"a":"b"}, "object": ` + object + " }\n\x00payload\n", "", "any order, blanks, and any payload"},
		{policy("release"), "", "a policy of a reference"},
		{policy("cascade"), "object.owners[0].onDelete: cascade needs format 2", "no program of the first format has written it"},
		{policy("later"), "object: read object: owners[0].onDelete", "a policy of a later version is not lost"},
		{`{"format":2,` + policy("cascade")[1:], "", "a policy of the present format"},
		{`{"format":2,` + policy("release")[1:], "", "each policy may have the present format"},
		{`{"format":3,` + policy("cascade")[1:], "format: 3 is unknown", "a later format has another meaning"},
		{`{"format":null,` + policy("cascade")[1:], "format: null is unknown", "null is no format"},
		{`{"format":2,"format":2,` + policy("cascade")[1:], "format: there twice", "one of the two would be lost"},
		{"", "value: no end of the first line", "an empty value is damage, and no absence"},
		{`{"object":` + object + "}", "value: no end of the first line", "the end may be cut off"},
		{"null\n", "value: does not begin with a JSON object", "no object"},
		{"{}\n", "object: missing", "no metadata"},
		{`{"object":null}` + "\n", "object: read object", "null is no object"},
		{`{"object":` + object + `,"object":` + object + "}\n", "object: there twice", "one of the two would be lost"},
		{`{"object":` + object + `,"owner":1}` + "\n", `"owner": an unknown field`, "a slip of the writer would lose the owner"},
		{`{"Object":` + object + "}\n", `"Object": an unknown field`, "letters count"},
		{`{"object":` + object + "} 1\n", "value: more text", "a second value would be lost"},
		{`{"object":{"kind":"pod","scope":"ns","name":"b","uid":"u"}}` + "\n", "object: is at pod/ns/b", "the value was copied to another key"},
		{`{"object":{"kind":"pod","scope":"ns","name":"a"}}` + "\n", "object.uid: missing", "without a UID it is no incarnation"},
		{`{"object":{"kind":"pod","scope":"ns","name":"a","uid":"u","version":"1"}}` + "\n", "object.version", "two versions would contradict each other"},
		{`{"object":{"kind":"pod","scope":"ns","name":"a","uid":"u","owners":[{"kind":"k","name":"n","uid":7}]}}` + "\n", "object: read object: owners[0].uid", "the error names the field"},
		{`{"object":` + object + `,"labels":{"a":1}}` + "\n", "labels: not an object of texts", "a label is text"},
		{`{"object":` + object + `,"labels":{"a":null}}` + "\n", `labels["a"]: null`, "null is no text"},
		{`{"object":` + object + `,"labels":null}` + "\n", "labels: not an object of texts", "null is no object"},
	} {
		r, err := JSON{}.Decode(place, []byte(tc.value))
		switch {
		case tc.want == "" && (err != nil || r.Object.Key != graph.Key{Kind: "pod", Scope: "ns", Name: "a", UID: "u"}):
			t.Errorf("Decode(%q): %+v, %v: %s", tc.value, r, err, tc.reason)
		case tc.want != "" && (err == nil || !errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), tc.want)):
			t.Errorf("Decode(%q): %+v, %v, want %q: %s", tc.value, r, err, tc.want, tc.reason)
		}
	}
}

// FuzzKeys: every place has a key of its own kind, and gets back from it.
func FuzzKeys(f *testing.F) {
	f.Add("pod", "ns", "a")
	f.Add("apps/Deployment", "", "a/b")
	f.Add("\x00", "\xff", `"'; DROP TABLE pods; --`)
	f.Fuzz(func(t *testing.T, kind, scope, name string) {
		place := graph.Key{Kind: graph.Kind(kind), Scope: scope, Name: name}
		key, err := JSON{}.Key(place)
		if err != nil {
			t.Fatal(err)
		}
		back, err := JSON{}.Place(key)
		if tooLong := len(key) > 1<<20; err != nil && !tooLong || err == nil && back != place {
			t.Fatalf("Place(%q): %+v, %v, want %+v", key, back, err, place)
		}
		if !strings.HasPrefix(key, JSON{}.Prefix(place.Kind)) {
			t.Fatalf("%q does not begin with %q", key, JSON{}.Prefix(place.Kind))
		}
		if other := graph.Kind(kind + "/"); strings.HasPrefix(key, JSON{}.Prefix(other)) {
			t.Fatalf("%q is among the keys of %q", key, other)
		}
	})
}

// FuzzValues: Decode never panics, and an error names the field. A value that it takes
// comes back from Encode with the same content, byte by byte in the payload.
func FuzzValues(f *testing.F) {
	f.Add(`{"object":{"kind":"pod","name":"a","uid":"u"},"labels":{"a":"b"}}`+"\n\x00\xff", "a", "b", "c", []byte("payload\n\x00"))
	f.Add("{}\n", "\xff", "", "", []byte(nil))
	f.Fuzz(func(t *testing.T, value, name, label, owner string, payload []byte) {
		place := graph.Key{Kind: "pod", Name: "a"}
		r, err := JSON{}.Decode(place, []byte(value))
		if err != nil {
			if field, _, ok := strings.Cut(err.Error(), ":"); !ok || field == "" || !errors.Is(err, graph.ErrInvalid) {
				t.Fatalf("Decode(%q): %v names no field", value, err)
			}
		} else {
			roundTrip(t, r)
		}
		made := Record{Object: graph.Object{Key: graph.Key{Kind: "pod", Name: name, UID: "u"}, Finalizers: []string{label}}, Payload: payload}
		made.Object.Owners = []graph.Owner{{Key: graph.Key{Kind: "app", Name: owner, UID: "o"}, Block: true}}
		made.Labels = map[string]string{label: owner}
		made.Object.Owners[0].OnDelete = graph.OnDelete(len(value) % 4)
		roundTrip(t, made)
	})
}

// roundTrip encodes a record and decodes it again. Text that is not UTF-8 is refused.
func roundTrip(t *testing.T, r Record) {
	t.Helper()
	value, err := JSON{}.Encode(r)
	if err != nil {
		if !errors.Is(err, graph.ErrInvalid) {
			t.Fatalf("Encode(%+v): %v is no ErrInvalid", r, err)
		}
		return
	}
	back, err := JSON{}.Decode(r.Object.Place(), value)
	if err != nil || !back.Object.Equal(r.Object) || !maps.Equal(back.Labels, r.Labels) || string(back.Payload) != string(r.Payload) {
		t.Fatalf("%+v comes back from %q as %+v, %v", r, value, back, err)
	}
}
