package tombstone

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func key(n int) graph.Key {
	return graph.Key{Kind: "pod", Scope: fmt.Sprint("s", n%3), Name: fmt.Sprint("n", n), UID: graph.UID(fmt.Sprint("u", n))}
}

// TestSet: a set compares full coordinates, and forgets the least recently used ones.
func TestSet(t *testing.T) {
	m := New(3)
	for n := range 4 {
		m.Add(key(n))
		m.Use(key(1))
	}
	var got []graph.Key
	for k := range m.All() {
		got = append(got, k)
	}
	if want := []graph.Key{key(2), key(3), key(1)}; !slices.Equal(got, want) {
		t.Errorf("holds %v, want %v", got, want)
	}
	for _, k := range []graph.Key{key(0), {Kind: "pods", Scope: "0", Name: "n3", UID: "u3"}, {Kind: "pod", Scope: "s0", Name: "n3u", UID: "3"}} {
		if m.Has(k) {
			t.Errorf("holds %s", k)
		}
		m.Remove(k) // changes nothing
	}
	c := m.Clone()
	m.Remove(key(1))
	m.Limit(1)
	if !m.Has(key(3)) || m.Len() != 1 || c.Len() != 3 {
		t.Errorf("%d keys are left, and %d in the copy", m.Len(), c.Len())
	}
}
