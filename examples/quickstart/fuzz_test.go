package main

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// FuzzLoad: no input makes load panic, and an error is one printable line. A loaded
// cluster is valid: a store accepts it, and the tree draws it.
func FuzzLoad(f *testing.F) {
	f.Add(pod("a") + pod("b"))
	f.Add(`{"apiVersion":"v1","items":[` + pod("a") + `,{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"c","namespace":"n","uid":"c"}}]}],"kind":"List"}`)
	f.Add(strings.Replace(pod("a"), `"uid"`, `"finalizers":["x/y"],"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"uid-a"}],"uid"`, 1))
	f.Add(`{"status":{"observedGeneration":"1"},"metadata":{"generation":1e3,"deletionTimestamp":""}}`)
	f.Add(`{"kind":"List","items":null}` + "\xff[")
	f.Fuzz(func(t *testing.T, input string) {
		c, err := load(strings.NewReader(input), "input")
		if err != nil {
			checkMessage(t, err)
			return
		}
		checkCluster(t, c)
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

func checkCluster(t *testing.T, c cluster) {
	if _, err := memory.New(memory.Config{Kinds: c.kinds, Objects: countable(c.objects)}); err != nil {
		t.Errorf("the store refuses the loaded cluster: %v", err)
	}
	if !slices.IsSortedFunc(c.objects, func(a, b graph.Object) int { return a.Compare(b.Key) }) {
		t.Error("objects are not sorted")
	}
	for _, o := range c.objects {
		if !slices.ContainsFunc(c.kinds, func(k graph.KindInfo) bool { return k.Kind == o.Kind && k.Scoped == (o.Scope != "") }) {
			t.Errorf("%s does not fit the kinds %v", spell(o.Key), c.kinds)
		}
		drawing := tree(c.objects, o.Key, maxLines)
		if !strings.HasPrefix(drawing, spell(o.Key)) || strings.Count(drawing, "\n") > len(c.objects)*len(c.objects)+2 {
			t.Errorf("tree of %s:\n%s", spell(o.Key), drawing)
		}
	}
}
