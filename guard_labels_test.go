package ownergraph_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// TestProtectedByLabel: an object is protected at the versions that a selection has shown. The
// store is asked before the first delete, and again after a change (RULES, G1).
func TestProtectedByLabel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "k/a; k/b -> k/a; k/c -> k/b; k/d -> k/a")
		s.label(t, "k/b", "keep=yes")
		r := collect(t, s, protecting(guard.Protection{Name: "kept", Selector: "keep=yes"}))
		r.idle()
		s.delete(t, "k/a", graph.Background)
		if held := r.idle(); lines(held) != "k/b: it is protected (by kept)" {
			t.Errorf("held: %s", lines(held))
		}
		s.contains(t, "k/b -> k/a; k/c -> k/b")
		s.label(t, "k/b", "keep=no")
		r.idle()
		s.contains(t, "")
	})
}

// TestProtectionUnknown: an object whose labels the store does not tell gets no delete.
func TestProtectionUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "a; b -> a; c -> a")
		var sick atomic.Bool
		sick.Store(true)
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "select" && sick.Load() {
				return errors.New("no answer")
			}
			return do()
		}
		r := collect(t, s, protecting(guard.Protection{Kinds: []graph.Kind{"b"}, Selector: "keep=yes"}))
		r.idle()
		s.delete(t, "a", graph.Background)
		pass(time.Hour)
		s.contains(t, "b -> a")
		if held := r.Held(9); len(held) != 1 || held[0].Reason != policy.ProtectionUnknown {
			t.Errorf("held: %s", lines(held))
		}
		sick.Store(false)
		pass(time.Minute)
		s.contains(t, "")
	})
}

// TestMarkedByLabel: the mark of an object that its labels protect counts for no dependent
// (RULES, G3). It counts once the label is gone.
func TestMarkedByLabel(t *testing.T) {
	for _, p := range []graph.Propagation{graph.Foreground, graph.Orphan} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "k/a; k/b -> k/a!")
			s.label(t, "k/a", "keep=yes")
			r := collect(t, s, protecting(guard.Protection{Selector: "keep=yes"}))
			r.idle()
			s.delete(t, "k/a", p)
			if held := r.idle(); len(held) != 1 || held[0].Reason != policy.Protected {
				t.Errorf("%s: held: %s", p, lines(held))
			}
			if n := len(s.Objects()); n != 2 || s.Objects()[1].Owners == nil {
				t.Errorf("%s: the store has %s", p, s.shape())
			}
			s.label(t, "k/a", "keep=no")
			r.idle()
			s.contains(t, map[graph.Propagation]string{graph.Foreground: "", graph.Orphan: "k/b"}[p])
		})
	}
}

// TestRingOfProtected: a foreground ring through an object that is protected keeps its references,
// by labels or without. Once the label is gone it is a ring as any other.
func TestRingOfProtected(t *testing.T) {
	for _, c := range []struct {
		rule   guard.Protection
		after  string
		reason string
	}{
		{guard.Protection{Selector: "keep=yes"}, "", "the label goes"},
		{guard.Protection{Names: []string{"a"}}, "k/a~[foreground] -> k/b!; k/b~[foreground] -> k/a!; k/c -> k/a", "a name stays"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "k/a -> k/b!; k/b -> k/a!; k/c -> k/a; k/d -> k/b")
			s.label(t, "k/a", "keep=yes")
			r := collect(t, s, protecting(c.rule))
			r.idle()
			s.delete(t, "k/a", graph.Foreground)
			s.delete(t, "k/b", graph.Foreground)
			pass(time.Hour)
			s.contains(t, "k/a~[foreground] -> k/b!; k/b~[foreground] -> k/a!; k/c -> k/a")
			s.label(t, "k/a", "keep=no")
			pass(time.Hour)
			if got := s.shape(); got != c.after {
				t.Errorf("in the end the store has %q, want %q: %s", got, c.after, c.reason)
			}
		})
	}
}
