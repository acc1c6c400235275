package ownergraph_test

import (
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestGuardCountsBehindFinalizers: a foreign finalizer keeps an object below the root for a
// while. The objects below it go once it is off, so the guard counts them.
func TestGuardCountsBehindFinalizers(t *testing.T) {
	for _, c := range []struct {
		start   string
		by      graph.Propagation
		limit   int
		refused bool
		reason  string
	}{
		{"a; b[x.io/f] -> a; c -> b; d -> c", graph.Background, 2, true, "three objects go in the end"},
		{"a; b[x.io/f] -> a; c -> b; d -> c", graph.Background, 3, false, "as many as the limit"},
		{"a[x.io/f]; b -> a; c -> b", graph.Background, 1, true, "the root itself waits"},
		{"a; b[x.io/f] -> a; c -> b, e; e", graph.Background, 1, false, "another owner keeps c"},
		{"a; b[x.io/f] -> a; c[" + graph.FinalizerProtect + "] -> b; d -> c", graph.Background, 1, false, "protection keeps c, and c keeps d"},
		{"a; b[x.io/f,orphan] -> a; c -> b", graph.Background, 1, false, "b orphans c"},
		{"a[x.io/f]; b -> a; c -> b", graph.Orphan, 0, false, "the root orphans b"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.start)
			r := collect(t, s, guarding(guard.Guard{Names: []string{"a"}, Above: &c.limit}))
			r.idle()
			s.delete(t, "a", c.by)
			r.idle()
			o, err := s.Store.Get(t.Context(), keyOf(t, "a"))
			if refused := err == nil && o.HasFinalizer(graph.FinalizerHold); refused != c.refused {
				t.Errorf("%s: refused %t, want %t: %s; %s", c.start, refused, c.refused, c.reason, lines(r.Held(9)))
			}
		})
	}
}
