package lint

import (
	"cmp"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// TestByKey: the order of objects is the order of their keys.
func TestByKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := func() *Object {
			part := func() string { return rapid.SampledFrom([]string{"", "a", "b", "ab"}).Draw(t, "part") }
			return &Object{Object: graph.Object{Key: graph.Key{Kind: graph.Kind(part()), Scope: part(), Name: part(), UID: graph.UID(part())}}}
		}
		if a, b := key(), key(); cmp.Compare(byKey(a, b), 0) != a.Compare(b.Key) {
			t.Errorf("%s and %s: %d, want %d", a.Key, b.Key, byKey(a, b), a.Compare(b.Key))
		}
	})
}
