package ownergraph_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

func TestProtected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> b; d -> a")
		r := collect(t, s, ownergraph.Config{Protect: []finalizer.Protection{{Names: []string{"b"}}}})
		r.idle()
		s.delete(t, "a", graph.Background)
		pass(time.Minute)
		t.Log(s.shape(), r.Held(9))
	})
}

func TestGuard(t *testing.T) {
	for _, p := range []graph.Propagation{graph.Background, graph.Foreground, graph.Orphan} {
		for _, above := range []int{1, 9} {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a; c -> b; d -> a")
				r := collect(t, s, ownergraph.Config{Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), Guards: []finalizer.Guard{{Names: []string{"a"}, Above: &above}}})
				r.idle()
				t.Log(s.shape())
				s.delete(t, "a", p)
				pass(time.Minute)
				t.Log(p, above, s.shape(), r.Held(9))
				if above == 1 && p != graph.Orphan {
					n := 3
					if err := r.Approve(t.Context(), keyOf(t, "a"), ownergraph.Approval{AtMost: &n}); err != nil {
						t.Error(err)
					}
					pass(time.Minute)
					t.Log(p, above, s.shape(), r.Held(9))
				}
			})
		}
	}
}
