package history

import (
	"github.com/ownergraph/ownergraph/internal/inside"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestOwnerBytes: the reader takes exactly the bytes of a reference, with every flag and
// every policy.
func TestOwnerBytes(t *testing.T) {
	for flags := range 8 {
		for _, policy := range []graph.OnDelete{graph.OnDeleteUnset, graph.OnDeleteRelease, graph.OnDeleteRestrict, 255} {
			want := graph.Owner{
				Key:   graph.Key{Kind: "pod", Scope: "s", Name: "a", UID: "u"},
				Block: flags&1 != 0, Controller: flags&2 != 0, Unresolved: flags&4 != 0, OnDelete: policy,
			}
			r := reader{append(graph.Inside(inside.Key{}).AppendOwner(nil, &want), "rest"...)}
			if got := r.owner(); got != want || string(r.b) != "rest" {
				t.Errorf("read %s before %q, want %s before the rest", got, r.b, want)
			}
		}
	}
}
