package ownergraph_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// TestOrphanByUID: an orphan deletion keeps each dependent that names the UID of the owner, and
// the plan says so. A user and a plan that is carried out have the same end.
func TestOrphanByUID(t *testing.T) {
	absent := ownergraph.Config{Scope: graph.ScopeAbsent, OwnerName: graph.NameAbsent}
	for _, c := range []struct {
		start, key  string
		propagation graph.Propagation
		cfg         ownergraph.Config
		want, end   string
		reason      string
	}{
		{"cm/a/root@r; cm/a/y -> cm/a/old@r", "cm/a/root@r", graph.Orphan, ownergraph.Config{},
			"cm/a/root@r removed; cm/a/y orphaned", "cm/a/y", "another name"},
		{"cm/a/root@r; cm/b/x -> cm/b/root@r", "cm/a/root@r", graph.Orphan, ownergraph.Config{},
			"cm/a/root@r removed; cm/b/x orphaned", "cm/b/x", "another scope"},
		{"cm/a/root@r; cm/b/x -> cm/b/old@r; cm/b/z -> cm/b/x", "cm/a/root@r", graph.Orphan, ownergraph.Config{},
			"cm/a/root@r removed; cm/b/x orphaned; cm/b/z kept by [cm/b/x]", "cm/b/x; cm/b/z -> cm/b/x", "another scope and name, and an object below"},
		{"top; a@a[orphan] -> top!; b -> a/x@a; c -> b", "top", graph.Foreground, ownergraph.Config{},
			"a removed; b orphaned; c kept by [b]; top removed", "b; c -> b", "an orphaning that an object below carries"},
		{"top; a@a[orphan] -> top; b -> a/x@a", "top", graph.Background, ownergraph.Config{},
			"a removed; b orphaned; top removed", "b", "the same in the background"},
		{"top; o@o; b -> o/x@o, top", "o@o", graph.Orphan, ownergraph.Config{},
			"b orphaned by [top]; o removed", "b -> top; top", "another owner stays"},
		{"o@o; b -> job/x@o", "o@o", graph.Orphan, ownergraph.Config{},
			"b orphaned; o removed", "b", "another kind, which the store does not serve"},
		{"cm/a/root@r; cm/a/y -> cm/a/old@r; cm/a/d -> cm/a/root@r", "cm/a/root@r", graph.Orphan, absent,
			"cm/a/d orphaned; cm/a/root@r removed", "cm/a/d", "a wrong name is absent, so y has gone before"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := collect(t, newTap(t, c.start), c.cfg)
			r.idle()
			p, err := r.Plan(t.Context(), request(t, c.key, c.propagation))
			if err != nil || outcomes(p) != c.want {
				t.Errorf("%s: plan %s, %v, want %s: %s", c.start, outcomes(p), err, c.want, c.reason)
			}
			for _, s := range p.Steps {
				if s.Reason.Code() == "DependentsFree" && s.Wave <= 2 {
					t.Errorf("%s: the end of %s is in wave %d, before its dependents: %s", c.start, s.Key, s.Wave, c.reason)
				}
			}
			if err := r.DeletePlanned(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			r.idle()
			if unmet := p.Unmet(r.Objects()); len(unmet) > 0 || r.shape() != c.end {
				t.Errorf("%s: end %s, %v, want %s: %s", c.start, r.shape(), unmet, c.end, c.reason)
			}
		})
	}
}

// TestOrphanByUIDIsHeld: a reference that the engine cannot drop holds the orphaning. Held and
// Explain name its object, and the cause there.
func TestOrphanByUIDIsHeld(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; a/d#1 -> b@a")
	s.run(nil)
	s.put("a#2~[orphan]")
	s.pass(s.begin("the mark needs a fence"))
	s.done(s.wants(engine.CallPatch, "d is dropped"), ownergraph.ErrRefused)
	s.next(engine.LaneStore)
	held := lines(s.e.Held(10))
	if want := "a: dependents hold it (a/d)"; !strings.Contains(held, want) {
		t.Errorf("held: %s, want %s", held, want)
	}
	if got, want := s.explains("a"), "StoreRefused store"; !strings.Contains(got, "d: "+want) {
		t.Errorf("explanation %s, want the refusal of d", got)
	}
}
