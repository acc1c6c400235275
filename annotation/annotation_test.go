package annotation_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// web is the object of most tests, and site its owner.
var (
	web  = graph.Key{Kind: "apps/Deployment", Scope: "shop", Name: "web", UID: "w"}
	site = annotation.Reference{APIVersion: "x.io/v1", Kind: "Site", Name: "front", UID: "s", OnDelete: graph.OnDeleteCascade}
)

const (
	ofWeb    = `"dependent":{"kind":"apps/Deployment","namespace":"shop","name":"web"}`
	siteText = `"apiVersion":"x.io/v1","kind":"Site","name":"front","uid":"s"`
)

// withReferences returns a value of web.
func withReferences(list string) string { return "{" + ofWeb + `,"references":[` + list + "]}" }

// TestParse: the references of the object itself, in any order of the fields. A copy has none.
func TestParse(t *testing.T) {
	full := site
	full.Block, full.Controller = true, true
	for _, c := range []struct {
		text   string
		want   []annotation.Reference
		reason string
	}{
		{withReferences(`{` + siteText + `,"onDelete":"cascade"}`), []annotation.Reference{site}, "one reference"},
		{` {"references" : [ {"onDelete":"cascade","blockOwnerDeletion":true,"controller":true,` + siteText + `}],` + ofWeb + "}\n", []annotation.Reference{full}, "another order, and blanks"},
		{withReferences(`{` + siteText + `,"onDelete":"cascade","controller":false}`), []annotation.Reference{site}, "a false flag"},
		{withReferences(``), nil, "no reference"},
		{`{"dependent":{"kind":"apps/ReplicaSet","namespace":"shop","name":"web"},"references":[{` + siteText + `,"onDelete":"cascade"}]}`, nil, "a copy: another kind"},
		{`{"dependent":{"kind":"apps/Deployment","namespace":"test","name":"web"},"references":[{` + siteText + `,"onDelete":"cascade"}]}`, nil, "a copy: another namespace"},
		{`{"dependent":{"kind":"apps/Deployment","name":"web"},"references":[{` + siteText + `,"onDelete":"cascade"}]}`, nil, "a copy: of an object without a namespace"},
		{`{"dependent":{"kind":"apps/Deployment","namespace":"shop","name":"web-2"},"references":[{` + siteText + `,"onDelete":"cascade"}]}`, nil, "a copy: another name"},
		{`{"dependent":{"kind":"apps/Deployment","namespace":"shop","name":"web-2"},"references":[{"onDelete":"later"}]}`, nil, "a copy of a value that cannot be read"},
	} {
		got, err := annotation.Parse(web, c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.reason, got, err, c.want)
		}
	}
}

// TestParseFaults: no value is read in part, and each error names the field.
func TestParseFaults(t *testing.T) {
	good := `{` + siteText + `,"onDelete":"cascade"}`
	for _, c := range []struct{ text, want, reason string }{
		{``, "text: unexpected end of JSON input", "empty"},
		{`cascade`, "text: invalid character", "no JSON"},
		{`null`, "found null, want an object", "null has no references, and says nothing"},
		{`[]`, "found an array, want an object", "a list"},
		{withReferences(good) + "{}", "text: invalid character", "text after the value"},
		{withReferences(good) + "\x00", "text: invalid character", "a byte after the value"},
		{"{" + ofWeb + "}", "references: missing", "no references"},
		{`{"references":[]}`, "dependent: missing", "any object could have it"},
		{`{"dependent":null,"references":[]}`, "dependent: found null, want an object", "the same"},
		{`{"dependent":{"namespace":"shop","name":"web"},"references":[]}`, "dependent.kind: missing", "the same for a part"},
		{`{"dependent":{"kind":"apps/Deployment","namespace":"shop","name":"web","uid":"w"},"references":[]}`, `dependent."uid": unknown field`, "a later version may bind the UID"},
		{"{" + ofWeb + `,"references":{}}`, "references: found an object, want an array", "no list"},
		{"{" + ofWeb + `,"references":null}`, "references: found null, want an array", "null"},
		{"{" + ofWeb + `,"references":[],"references":[` + good + `]}`, "references: there twice", "programs take the first or the last"},
		{"{" + ofWeb + `,"References":[]}`, `"References": unknown field`, "other letters"},
		{"{" + ofWeb + `,"references":[],"version":2}`, `"version": unknown field`, "a later version"},
		{withReferences(good + ",7"), "references[1]: found a number, want an object", "an element of another type"},
		{withReferences(`{` + siteText + `}`), "references[0].onDelete: missing", "without a policy"},
		{withReferences(`{` + siteText + `,"onDelete":""}`), `references[0].onDelete: "" is unknown`, "an empty policy"},
		{withReferences(`{` + siteText + `,"onDelete":"unset"}`), "references[0].onDelete: unset, want release", "it is an owner reference"},
		{withReferences(`{` + siteText + `,"onDelete":"Cascade"}`), `references[0].onDelete: "Cascade" is unknown`, "other letters"},
		{withReferences(`{` + siteText + `,"onDelete":"default"}`), `references[0].onDelete: "default" is unknown`, "a later policy"},
		{withReferences(`{` + siteText + `,"onDelete":3}`), "references[0].onDelete: found a number, want a string", "another type"},
		{withReferences(`{` + siteText + `,"onDelete":"release","onDelete":"cascade"}`), "references[0].onDelete: there twice", "one of the two deletes"},
		{withReferences(`{` + siteText + `,"onDelete":"cascade","weight":1}`), `references[0]."weight": unknown field`, "a later field may change the meaning"},
		{withReferences(`{` + siteText + `,"onDelete":"cascade","blockOwnerDeletion":"true"}`), "references[0].blockOwnerDeletion: found a string, want true or false", "a flag as text"},
		{withReferences(`{"kind":"Site","name":"front","uid":"s","onDelete":"cascade"}`), "references[0].apiVersion: missing", "no version"},
		{withReferences(strings.Replace(good, `"x.io/v1"`, `""`, 1)), "references[0].apiVersion: empty", "an empty version"},
		{withReferences(strings.Replace(good, `"Site"`, `""`, 1)), "references[0].kind: empty", "an empty kind"},
		{withReferences(strings.Replace(good, `"front"`, `""`, 1)), "references[0].name: empty", "an empty name"},
		{withReferences(strings.Replace(good, `"s"`, `""`, 1)), "references[0].uid: empty", "an empty UID names each object or none"},
		{withReferences(strings.Replace(good, `"front"`, `null`, 1)), "references[0].name: found null, want a string", "null is no name"},
		{withReferences(good + "," + strings.Replace(good, "cascade", "release", 1)), "references[1].uid: the same as references[0].uid", "two policies of one owner"},
		{withReferences(good + "," + good), "references[1].uid: the same as references[0].uid", "one owner twice"},
		{withReferences(strings.Replace(good, "front", `\ud800`, 1)), "references[0].name: half of a surrogate pair", "two names would become one"},
		{withReferences(strings.Replace(good, "front", "\xff", 1)), "text: not UTF-8", "the same"},
		{withReferences(strings.Repeat(" ", annotation.MaxBytes)), "bytes, more than 65536", "too long"},
		{strings.Repeat("[", annotation.MaxBytes), "text: ", "deep"},
	} {
		got, err := annotation.Parse(web, c.text)
		prefix := "read annotation " + annotation.Owners + ": "
		if got != nil || !errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), prefix) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, want the fault %q", c.reason, got, err, c.want)
		}
	}
}

// TestFormatFaults: no value is written that Parse refuses, or that owns itself.
func TestFormatFaults(t *testing.T) {
	with := func(change func(*annotation.Reference)) []annotation.Reference {
		r := site
		change(&r)
		return []annotation.Reference{r}
	}
	for _, c := range []struct {
		object graph.Key
		refs   []annotation.Reference
		want   string
		reason string
	}{
		{graph.Key{Kind: "Pod", Scope: "shop"}, []annotation.Reference{site}, "dependent: kind or name is empty", "a name that the server makes is not known"},
		{graph.Key{Kind: "Pod", Scope: "sh\xff", Name: "a"}, []annotation.Reference{site}, "dependent: not UTF-8", "JSON has no form for it"},
		{web, with(func(r *annotation.Reference) { r.OnDelete = graph.OnDeleteUnset }), "references[0].onDelete: unset", "an owner reference"},
		{web, with(func(r *annotation.Reference) { r.OnDelete = 9 }), "references[0].onDelete: onDelete(9)", "an unknown policy"},
		{web, with(func(r *annotation.Reference) { r.UID = "" }), "references[0].uid: empty", "no UID"},
		{web, with(func(r *annotation.Reference) { r.UID = "w" }), "references[0]: the object itself", "its own UID"},
		{web, with(func(r *annotation.Reference) { r.APIVersion, r.Kind, r.Name = "apps/v1", "Deployment", "web" }), "references[0]: the object itself", "its own name, in any version"},
		{web, with(func(r *annotation.Reference) { r.Name = "\xff" }), "references[0]: not UTF-8", "JSON has no form for it"},
		{web, []annotation.Reference{site, site}, "references[1].uid: the same", "one owner twice"},
		{web, with(func(r *annotation.Reference) { r.Name = strings.Repeat("a", annotation.MaxBytes) }), "bytes, more than 65536", "too long"},
	} {
		text, err := annotation.Format(c.object, c.refs)
		prefix := "write annotation " + annotation.Owners + ": "
		if text != "" || !errors.Is(err, graph.ErrInvalid) || !strings.HasPrefix(err.Error(), prefix) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v, want the fault %q", c.reason, text, err, c.want)
		}
	}
	if text, err := annotation.Format(web, nil); text != "" || err != nil {
		t.Errorf("no reference is written as %q, %v, want no annotation", text, err)
	}
}

// TestFlaw: the engine shows the fault of an annotation once, with its field.
func TestFlaw(t *testing.T) {
	_, err := annotation.Parse(web, withReferences(`{`+siteText+`}`))
	if err == nil {
		t.Fatal("a value without a policy is read")
	}
	o := graph.Object{Key: web, Version: "1", Owners: []graph.Owner{annotation.Flaw(err)}}
	want := "validate \"apps/Deployment\"/shop/web@w: owners[0]: read annotation ownergraph.github.io/owner-references: references[0].onDelete: missing: invalid"
	if got := graph.Flaw(o, graph.Limits{}); got == nil || got.Error() != want {
		t.Errorf("flaw %v, want %s", got, want)
	}
}

// FuzzParse: no text makes a panic or references that break a rule. Format brings each result back.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "{}", withReferences(`{` + siteText + `,"onDelete":"cascade","controller":true}`), withReferences(`{"uid":"\ud800"}`)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		refs, err := annotation.Parse(web, text)
		if err != nil {
			if refs != nil || !errors.Is(err, graph.ErrInvalid) {
				t.Fatalf("%q: %v, %v", text, refs, err)
			}
			return
		}
		written, err := annotation.Format(web, refs)
		if err != nil {
			if strings.Contains(err.Error(), "the object itself") || strings.Contains(err.Error(), "more than") {
				return // Parse permits the first, and the second writes a shorter text longer
			}
			t.Fatalf("%q: %v", text, err)
		}
		if written == "" {
			return
		}
		if back, err := annotation.Parse(web, written); err != nil || !slices.Equal(back, refs) {
			t.Fatalf("%q comes back as %v: %v", written, back, err)
		}
	})
}

// TestRoundTrip: Parse brings the references back for their object, and none for another one.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(1, 8, -1)
		object := graph.Key{Kind: graph.Kind(text.Draw(t, "kind")), Scope: rapid.StringN(0, 8, -1).Draw(t, "namespace"), Name: "d" + text.Draw(t, "name")}
		var refs []annotation.Reference
		for i := range rapid.IntRange(1, 4).Draw(t, "references") {
			refs = append(refs, annotation.Reference{
				APIVersion: "v/" + text.Draw(t, "version"), Kind: text.Draw(t, "owner kind"), Name: "o" + text.Draw(t, "owner"),
				UID:      graph.UID(fmt.Sprint(i, text.Draw(t, "uid"))),
				OnDelete: rapid.SampledFrom([]graph.OnDelete{graph.OnDeleteCascade, graph.OnDeleteRelease, graph.OnDeleteRestrict}).Draw(t, "policy"),
				Block:    rapid.Bool().Draw(t, "block"), Controller: rapid.Bool().Draw(t, "controller"),
			})
		}
		written, err := annotation.Format(object, refs)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := annotation.Parse(object, written); err != nil || !slices.Equal(back, refs) {
			t.Fatalf("%s comes back as %v: %v", written, back, err)
		}
		object.Name += "x"
		if back, err := annotation.Parse(object, written); err != nil || back != nil {
			t.Fatalf("the copy has %v: %v", back, err)
		}
	})
}
