package sqlstore

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestKeepsGrace: the store keeps the period of a deletion. GraceAtMost changes nothing, also where a
// deletion removes the row without a read. TestBatchAsMemory has the same of batches.
func TestKeepsGrace(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		if g, ok := ownergraph.As[ownergraph.Gracer](h.Store); !ok || !g.KeepsGrace() {
			t.Error("the store keeps no grace periods")
		}
		five, none := int64(5), int64(0)
		for _, c := range []struct {
			name    string
			options graph.DeleteOptions
			want    int64 // -1: the object is gone
			reason  string
		}{
			{"a", graph.DeleteOptions{GraceSeconds: &five}, 5, "a period marks an object"},
			{"b", graph.DeleteOptions{GraceSeconds: &five, GraceAtMost: true}, 5, "an object has no shorter one"},
			{"c", graph.DeleteOptions{GraceSeconds: &none, GraceAtMost: true}, -1, "a period of 0 is none"},
			{"d", graph.DeleteOptions{GraceAtMost: true}, -1, "without a period there is none to keep"},
		} {
			o := h.mustCreate(t, object("team", "", c.name))
			if err := h.Delete(t.Context(), o.Key, c.options); err != nil {
				t.Fatal(err)
			}
			now, err := h.Get(t.Context(), o.Key)
			got := now.GraceSeconds
			if errors.Is(err, graph.ErrNotFound) {
				got = -1
			} else if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("%s: a period of %d, want %d: %s", c.name, got, c.want, c.reason)
			}
		}
	})
}
