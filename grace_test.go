package ownergraph_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// graceful names kinds whose objects have grace periods.
func graceful(kinds ...graph.Kind) ownergraph.Config {
	return ownergraph.Config{PropagateGrace: kinds}
}

// deleteIn deletes an object as a user, with a grace period in seconds.
func (s *tap) deleteIn(t *testing.T, key string, p graph.Propagation, seconds int64) {
	t.Helper()
	if err := s.Store.Delete(t.Context(), keyOf(t, key), ownergraph.DeleteOptions{Propagation: p, GraceSeconds: &seconds}); err != nil {
		t.Fatal(err)
	}
}

// TestPropagateGrace: the deletes of a foreground cascade carry the period of the root (RULES, E6).
func TestPropagateGrace(t *testing.T) {
	const start = "k/r; p/a -> k/r!; m/b -> k/r!; p/c -> m/b!; p/d -> p/c!"
	for _, c := range []struct {
		cfg     ownergraph.Config
		by      graph.Propagation
		seconds int64
		want    string
		reason  string
	}{
		{graceful("k", "p"), graph.Foreground, 30, "k/r~30[foreground]; m/b~[foreground] -> k/r!; p/a~30 -> k/r!; p/c~30[foreground] -> m/b!; p/d~30 -> p/c!", "both kinds have periods, and the kind between has none"},
		{graceful("k", "p"), graph.Foreground, 0, "", "no period"},
		{graceful("k", "p"), graph.Background, 30, "k/r~30; m/b -> k/r!; p/a -> k/r!; p/c -> m/b!; p/d -> p/c!", "the root does not wait, and goes with its period alone"},
		{graceful("k", "p"), graph.Orphan, 30, "k/r~30; m/b; p/a; p/c -> m/b!; p/d -> p/c!", "an orphan deletion deletes nothing else"},
		{graceful("p"), graph.Foreground, 30, "k/r~30", "the kind of the root passes nothing on"},
		{graceful("k"), graph.Foreground, 30, "k/r~30", "the kind of the dependents takes none"},
		{ownergraph.Config{}, graph.Foreground, 30, "k/r~30", "without the setting"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, start)
			r := collect(t, s, c.cfg)
			r.idle()
			s.deleteIn(t, "k/r", c.by, c.seconds)
			r.idle()
			if s.contains(t, c.want); t.Failed() {
				t.Error(c.reason)
			}
		})
	}
}

// TestPropagateGraceEnds: each object waits for its agent, and says so. At the end of all periods every
// object is gone. The end of the root's own period ends none of the others.
func TestPropagateGraceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "k/r; p/a -> k/r!; p/b -> p/a!")
		r := collect(t, s, graceful("k", "p"))
		r.idle()
		s.deleteIn(t, "k/r", graph.Foreground, 30)
		held := map[string]policy.Reason{}
		for _, h := range r.idle() {
			held[h.Key.Name] = h.Reason
		}
		if held["b"] != policy.NeedGrace || held["a"] != policy.NeedDependents || held["r"] != policy.NeedDependents {
			t.Errorf("held: %v, want the period of b, and its owners", held)
		}
		for _, c := range []struct{ agent, want, reason string }{
			{"k/r", "k/r~[foreground]; p/a~30[foreground] -> k/r!; p/b~30 -> p/a!", "the period of the root ends alone"},
			{"p/b", "k/r~[foreground]; p/a~30 -> k/r!", "the owner of b no longer waits, and has its own period"},
			{"p/a", "", "no object is left"},
		} {
			s.deleteIn(t, c.agent, graph.Unset, 0)
			r.idle()
			if s.contains(t, c.want); t.Failed() {
				t.Fatal(c.reason)
			}
		}
	})
}

// TestPropagateGraceGuarded: a guard repeats a background deletion in the foreground, with a period
// that is shorter by one second (RULES, E7). So does an approval of a refused deletion.
func TestPropagateGraceGuarded(t *testing.T) {
	for _, c := range []struct {
		guard   guard.Guard
		approve bool
		seconds int64
		want    string
		reason  string
	}{
		{guard.Guard{}, false, 30, "k/r~29[foreground]; p/a~29 -> k/r!", "the guard repeats deletions alone"},
		{guard.Guard{Always: true}, true, 30, "k/r~29[foreground]; p/a~29 -> k/r!", "a user approves"},
		{guard.Guard{}, false, 1, "k/r~1; p/a -> k/r!", "a period of one second cannot get shorter"},
		{guard.Guard{}, false, 0, "", "without a period"},
		{guard.Guard{Phases: []guard.Phase{{Kinds: []graph.Kind{"p"}}}}, false, 30, "k/r~29[foreground]; p/a~29 -> k/r!", "a guard with phases"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newTap(t, "k/r; p/a -> k/r!")
			cfg := graceful("k", "p")
			c.guard.Kinds = []graph.Kind{"k"}
			cfg.Guards = []guard.Guard{c.guard}
			r := collect(t, s, cfg)
			r.idle()
			s.deleteIn(t, "k/r", graph.Background, c.seconds)
			r.idle()
			if c.approve {
				most := 9
				if err := r.Approve(t.Context(), keyOf(t, "k/r"), ownergraph.Approval{AtMost: &most}); err != nil {
					t.Fatal(err)
				}
				r.idle()
			}
			if s.contains(t, c.want); t.Failed() {
				t.Error(c.reason)
			}
		})
	}
}

// graceless hides the periods of a store.
type graceless struct{ ownergraph.Store }

func (graceless) KeepsGrace() bool { return false }

// TestPropagateGraceNeedsStore: a store that keeps no grace periods refuses the setting.
func TestPropagateGraceNeedsStore(t *testing.T) {
	s, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		store  ownergraph.Store
		cfg    ownergraph.Config
		want   string
		reason string
	}{
		{s, graceful("p"), "", "the store keeps them"},
		{graceless{s}, ownergraph.Config{}, "", "nothing is set"},
		{graceless{s}, graceful("p"), "PropagateGrace: the store keeps no grace periods", "the store says that it keeps none"},
		{plain{s}, graceful("p"), "PropagateGrace: the store keeps no grace periods", "the store says nothing"},
		{s, graceful("p", ""), "PropagateGrace: an empty kind", "an empty kind"},
		{s, graceful("p", "p"), `PropagateGrace: kind "p" twice`, "a kind twice"},
	} {
		switch _, err := ownergraph.New(c.store, c.cfg); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.reason, err)
		case c.want != "" && (!errors.Is(err, ownergraph.ErrInvalid) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}
