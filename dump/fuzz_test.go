package dump

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// FuzzRead: no input makes Read panic, and an error is one printable line. The content is
// valid: a store accepts it, and each name is typed as it is spelled.
func FuzzRead(f *testing.F) {
	f.Add(pod("a") + pod("b"))
	f.Add(`{"apiVersion":"v1","items":[` + pod("a") + `,{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"c","namespace":"n","uid":"c"}}]}],"kind":"List"}`)
	f.Add(strings.Replace(pod("a"), `"uid"`, `"finalizers":["x/y"],"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"uid-a"}],"uid"`, 1))
	f.Add(`{"status":{"observedGeneration":"1"},"metadata":{"generation":1e3,"deletionTimestamp":""}}`)
	f.Add(`{"kind":"List","items":null}` + "\xff[")
	f.Add(strings.Replace(pod("a"), `"uid"`, `"generation":`+strings.Repeat("9", 5*maxName)+`,"uid"`, 1))
	f.Add(strings.Replace(pod("a"), `"uid"`, `"labels":{"\\\"":"{[,"},"ownerReferences":[{"u\u0069d":"x","UID":"y"}],"uid"`, 1))
	f.Fuzz(func(t *testing.T, input string) {
		c, err := Read(strings.NewReader(input), "input")
		if err != nil {
			checkMessage(t, err)
			return
		}
		checkContent(t, c)
	})
}

func checkMessage(t *testing.T, err error) {
	text := err.Error()
	if !strings.HasPrefix(text, "read input: ") || len(text) > 4*maxName {
		t.Errorf("unclear error %q", text)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("error %q cannot be shown", text)
	}
}

func checkContent(t *testing.T, c Content) {
	if _, err := memory.New(memory.Config{Kinds: c.Kinds, Objects: unversioned(c.Objects)}); err != nil {
		t.Errorf("the store refuses the content: %v", err)
	}
	if !slices.IsSortedFunc(c.Objects, func(a, b graph.Object) int { return a.Compare(b.Key) }) {
		t.Error("objects are not sorted")
	}
	for _, o := range c.Objects {
		if !slices.ContainsFunc(c.Kinds, func(k graph.KindInfo) bool { return k.Kind == o.Kind && k.Scoped == (o.Scope != "") }) {
			t.Errorf("%s does not fit the kinds %v", o.Key.Text(), c.Kinds)
		}
		target, err := spell.ParseTarget(o.Key.Text())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := spell.Find(c.Objects, target); err != nil && !errors.Is(err, spell.ErrAmbiguous) {
			t.Error(err)
		}
	}
}

// unversioned returns the objects without versions, which a memory store makes.
func unversioned(objects []graph.Object) []graph.Object {
	objects = slices.Clone(objects)
	for i := range objects {
		objects[i].Version = ""
	}
	return objects
}
