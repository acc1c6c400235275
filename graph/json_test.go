package graph_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// TestJSON checks the JSON form, which others have stored: no row of it changes.
func TestJSON(t *testing.T) {
	for _, tc := range []struct{ object, want, reason string }{
		{`pod/shop/web@8d12#3~30[example.org/empty,orphan]%2/1 -> "apps/Site"/shop/front@77aa!^?, node/n@1`,
			`{"kind":"pod","scope":"shop","name":"web","uid":"8d12","version":"3","owners":[` +
				`{"kind":"apps/Site","scope":"shop","name":"front","uid":"77aa","unresolved":true,"block":true,"controller":true},` +
				`{"kind":"node","name":"n","uid":"1"}],"finalizers":["example.org/empty","orphan"],"deleting":true,"graceSeconds":30,` +
				`"generation":2,"observedGeneration":1}`, "every field"},
		{"node/n@1 -> a:release, b:restrict", `{"kind":"node","name":"n","uid":"1","owners":[` +
			`{"kind":"a","name":"a","uid":"a","onDelete":"release"},{"kind":"b","name":"b","uid":"b","onDelete":"restrict"}]}`, "the policies of a reference"},
		{"node/n@1", `{"kind":"node","name":"n","uid":"1"}`, "a zero value is left out"},
		{`a@""`, `{"kind":"a","name":"a"}`, "an object that is asked for has no UID"},
		{`""`, `{"kind":"","name":""}`, "kind and name are always there"},
		{`a@u -> ""@""`, `{"kind":"a","name":"a","uid":"u","owners":[{"kind":"","name":"","uid":""}]}`, "so is the UID of an owner"},
		{`"é<\"\\\n\u202e"/"\u2028"@u%9223372036854775807/0`,
			`{"kind":"é\u003c\"\\\n` + "\u202e" + `","name":"\u2028","uid":"u","generation":9223372036854775807}`, "text as package json escapes it"},
	} {
		o, err := graph.ParseObject(tc.object)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(o)
		if err != nil || string(got) != tc.want {
			t.Errorf("Marshal(%s) = %s, %v, want %s: %s", tc.object, got, err, tc.want, tc.reason)
		}
		var back graph.Object
		if err := json.Unmarshal([]byte(tc.want), &back); err != nil || !back.Equal(o) {
			t.Errorf("Unmarshal(%s) = %v, %v, want %v: %s", tc.want, back, err, o, tc.reason)
		}
	}
}

// TestJSONReads has forms that the reader takes and the writer never makes.
func TestJSONReads(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{" {\n\"name\" : \"n\", \"uid\":\"1\",\"kind\":\"node\"}\n", "node/n@1", "blanks and order say nothing"},
		{`{"kind":"node","scope":"","name":"n","uid":"1","owners":[],"finalizers":[],"deleting":false,"graceSeconds":0}`, "node/n@1", "a zero value may stand there"},
		{`{"kind":"a","name":"a","uid":"a","owners":[{"kind":"b","name":"b","uid":"b","onDelete":"unset"}]}`, "a -> b", "so may the policy unset"},
		{`{"\u006bind":"a","name":"\uD83D\uDE00","uid":"\u0075"}`, `a/"😀"@u`, "escapes, of pairs too"},
		{`{"kind":"a","name":"\\ud800","uid":"\ufffd"}`, `a/"\\ud800"@"` + "\ufffd" + `"`, "an escaped backslash, and the sign itself"},
		{`{"kind":"a","name":"a","uid":"a","graceSeconds":-1}`, "a!~-1", "sense is not judged"},
	} {
		var o graph.Object
		if err := json.Unmarshal([]byte(tc.text), &o); err != nil || o.String() != tc.want {
			t.Errorf("Unmarshal(%s) = %v, %v, want %s: %s", tc.text, o, err, tc.want, tc.reason)
		}
	}
}

func TestJSONErrors(t *testing.T) {
	with := func(field string) string { return `{"kind":"a","name":"b",` + field + `}` }
	for _, tc := range []struct{ text, want, reason string }{
		{"null", "found null, want an object", "null is no object"},
		{`"a"`, "found a string, want an object", "nor is a string"},
		{"[]", "found an array, want an object", "nor is an array"},
		{"{}", "kind: missing", "an object without a kind is another document"},
		{`{"kind":"a"}`, "name: missing", "and without a name, too"},
		{with(`"labels":{}`), `"labels": unknown field`, "what it says would be lost"},
		{with(`"Owners":[]`), `"Owners": unknown field`, "names are exact: no owner is overlooked"},
		{with(`"` + strings.Repeat("x", 99) + `":0`), `"` + strings.Repeat("x", 50) + `": unknown field`, "a message is bounded"},
		{with(`"kind":"a"`), "kind: there twice", "which one counts?"},
		{with(`"uid":7`), "uid: found a number, want a string", "no conversion"},
		{with(`"uid":null`), "uid: found null, want a string", "null is not empty"},
		{with(`"version":true`), "version: found true or false, want a string", "no conversion"},
		{with(`"deleting":"true"`), "deleting: found a string, want true or false", "no conversion"},
		{with(`"graceSeconds":1.5`), "graceSeconds: found a number, want a whole number of 64 bits", "no rounding"},
		{with(`"generation":9223372036854775808`), "generation: found a number, want a whole number of 64 bits", "no wrapping round"},
		{with(`"observedGeneration":{}`), "observedGeneration: found an object, want a whole number of 64 bits", "no conversion"},
		{with(`"finalizers":{}`), "finalizers: found an object, want an array", "no conversion"},
		{with(`"finalizers":["x",1]`), "finalizers[1]: found a number, want a string", "the place is named"},
		{with(`"owners":[{"kind":"a","name":"b","uid":"c"},null]`), "owners[1]: found null, want an object", "the place is named"},
		{with(`"owners":[{"kind":"a","name":"b"}]`), "owners[0].uid: missing", "a reference names an incarnation"},
		{with(`"owners":[{"kind":"a","name":"b","uid":"c","block":1}]`), "owners[0].block: found a number, want true or false", "the place is named"},
		{with(`"owners":[{"kind":"a","name":"b","uid":"c","blocking":true}]`), `owners[0]."blocking": unknown field`, "a slip would let a foreground deletion go on"},
		{with(`"owners":[{"kind":"a","name":"b","uid":"c","onDelete":1}]`), "owners[0].onDelete: found a number, want a string", "a policy has a name"},
		{with(`"owners":[{"kind":"a","name":"b","uid":"c","onDelete":"keep"}]`), `owners[0].onDelete: found "keep", want release, restrict or cascade`, "a policy of a later version is not lost"},
		{with(`"uid":"\ud800"`), "uid: half of a surrogate pair", "two UIDs would become one"},
		{with(`"uid":"\udc00\ud800"`), "uid: half of a surrogate pair", "the halves have an order"},
		{with(`"uid":"\ud83d\\ude00"`), "uid: half of a surrogate pair", "an escaped backslash is no other half"},
		{"{\"kind\":\"\xff\",\"name\":\"b\"}", "text: not UTF-8", "two kinds would become one"},
		{`{"kind":"a","name":"b"} {}`, "text: invalid character '{' after top-level value", "one object is read, and no more"},
		{`{"kind":`, "text: unexpected end of JSON input", "it is cut off"},
		{"", "text: unexpected end of JSON input", "nothing is no object"},
	} {
		o := graph.Object{Version: "before"}
		err := o.UnmarshalJSON([]byte(tc.text)) // package json judges some of these itself
		if want := "read object: " + tc.want + ": invalid"; message(err) != want || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("UnmarshalJSON(%s): %v, want %s: %s", tc.text, err, want, tc.reason)
		}
		if !o.Equal(graph.Object{Version: "before"}) {
			t.Errorf("UnmarshalJSON(%s) failed and changed the object: %v", tc.text, o)
		}
	}
	for _, tc := range []struct {
		object graph.Object
		field  string
	}{
		{graph.Object{Key: graph.Key{Kind: "\xff"}}, "kind"},
		{graph.Object{Key: graph.Key{Scope: "\xff"}}, "scope"},
		{graph.Object{Key: graph.Key{Name: "\xff"}}, "name"},
		{graph.Object{Key: graph.Key{UID: "\xff"}}, "uid"},
		{graph.Object{Version: "\xff"}, "version"},
		{graph.Object{Owners: []graph.Owner{{}, {Key: graph.Key{Name: "\xff"}}}}, "owners[1].name"},
		{graph.Object{Finalizers: []string{"\xff"}}, "finalizers[0]"},
	} {
		_, err := tc.object.MarshalJSON()
		if want := "write object: " + tc.field + ": not UTF-8: invalid"; message(err) != want || !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("MarshalJSON(%v): %v, want %s: package json would write another text", tc.object, err, want)
		}
	}
	unknown := graph.Object{Owners: []graph.Owner{{}, {OnDelete: 9}}}
	if _, err := unknown.MarshalJSON(); message(err) != "write object: owners[1].onDelete: onDelete(9) is unknown: invalid" {
		t.Errorf("MarshalJSON(%v): %v, want an error: no reader would take the text", unknown, err)
	}
}

// TestJSONRoundTrip: the reader returns each object that the writer took. The writer
// refuses text that JSON cannot contain.
func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObject().Draw(t, "object")
		o.Generation = rapid.Int64().Draw(t, "any generation")
		o.GraceSeconds = rapid.Int64().Draw(t, "any grace period")
		text, err := json.Marshal(o)
		if err != nil {
			if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), "not UTF-8") {
				t.Fatalf("Marshal(%v): %v", o, err)
			}
			return
		}
		var back graph.Object
		if err := json.Unmarshal(text, &back); err != nil || !back.Equal(o) {
			t.Fatalf("%v is written as %s, and read as %v, %v", o, text, back, err)
		}
	})
}

// FuzzJSON: no text makes the reader panic. Its errors wrap ErrInvalid. An object that it
// takes can be written, and read again as the same.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		`{"kind":"a","name":"b","owners":[{"kind":"c","name":"d","uid":"e","block":true}],"finalizers":["f"],"graceSeconds":1}`,
		`{"kind":"\ud83d\ude00","name":"\ud800"}`, `{"kind":"a","kind":"b"}`, "null",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var o, again graph.Object
		if err := o.UnmarshalJSON(bytes.Clone(text)); err != nil {
			if !errors.Is(err, graph.ErrInvalid) || !o.Equal(graph.Object{}) {
				t.Fatalf("UnmarshalJSON(%q): %v, %v", text, o, err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("UnmarshalJSON(%q) takes a text that is not JSON: %v", text, o)
		}
		written, err := json.Marshal(o)
		if err != nil {
			t.Fatalf("%q is read as %v, which is not written: %v", text, o, err)
		}
		if err := json.Unmarshal(written, &again); err != nil || !again.Equal(o) {
			t.Fatalf("%q is read as %v, written as %s, and read as %v, %v", text, o, written, again, err)
		}
	})
}
