package ownergraph_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestPlanWithoutBlocker: a plan of a foreground deletion says that no dependent blocks it. Exactly then
// the target goes before a dependent that stays for a while.
func TestPlanWithoutBlocker(t *testing.T) {
	const says = "no dependent blocks the deletion of a/a, so it does not wait for its dependents\n"
	phases := ownergraph.Config{Guards: []guard.Guard{{Name: "g", Names: []string{"a"}, Phases: []guard.Phase{{Kinds: []graph.Kind{"b"}}}}}}
	for _, c := range []struct {
		start       string
		propagation graph.Propagation
		cfg         ownergraph.Config
		says, gone  bool
		reason      string
	}{
		{"a; b[x] -> a", graph.Foreground, ownergraph.Config{}, true, true, "the dependent does not block"},
		{"a; b[x] -> a!", graph.Foreground, ownergraph.Config{}, false, false, "the dependent blocks"},
		{"a; b[x] -> a!; c -> a", graph.Foreground, ownergraph.Config{}, false, false, "one of two blocks"},
		{"a; b[x] -> a?!", graph.Foreground, ownergraph.Config{}, false, false, "a reference whose scope is not resolved blocks"},
		{"a; b[x] -> a", graph.Background, ownergraph.Config{}, false, true, "no owner waits in the background"},
		{"a; b[x]", graph.Foreground, ownergraph.Config{}, false, true, "there is no dependent to wait for"},
		{"a[foregroundDeletion]; b[x] -> a", graph.Unset, ownergraph.Config{}, true, true, "the finalizer of the object chooses the foreground"},
		{"a; b -> a; c[x] -> b!", graph.Foreground, ownergraph.Config{}, true, true, "an object below the dependent does not hold the target"},
		{"a; b[x] -> a", graph.Foreground, phases, false, false, "the root of an order waits for all objects below it"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, c.start)
			r := collect(t, s, c.cfg)
			r.idle()
			p, err := r.Plan(t.Context(), request(t, "a", c.propagation))
			if err != nil || (len(p.WithoutBlocker) > 0) != c.says || strings.Contains(p.Text(), says) != c.says {
				t.Errorf("%s: without a blocker %v, %v, want %t: %s; text\n%s", c.start, p.WithoutBlocker, err, c.says, c.reason, p.Text())
			}
			s.delete(t, "a", c.propagation)
			pass(20 * time.Minute)
			_, err = s.Get(t.Context(), keyOf(t, "a"))
			if gone := errors.Is(err, ownergraph.ErrNotFound); gone != c.gone {
				t.Errorf("%s: end %s, target gone %t, want %t: %s", c.start, s.shape(), gone, c.gone, c.reason)
			}
		})
	}
}
