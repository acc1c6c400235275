package seed_test

import (
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/proof/rig"
	"github.com/ownergraph/ownergraph/plan"
)

// view returns the machines of an engine.
func view(e *engine.Engine) *seed.View { return e.Inside(inside.Key{}).Driver().Seed() }

// copyOf begins the copy for the deletion of an object of kind a, and takes the given steps.
func copyOf(t *testing.T, e *engine.Engine, steps int) *seed.Copy {
	t.Helper()
	c := seed.New(plan.Request{Delete: []plan.Target{{Key: rig.Put("a#1").Object.Key}}}, 0)
	c.Restart(view(e))
	for range steps {
		if done, err := c.Step(view(e)); done || err != nil {
			t.Fatalf("a step of the copy: %t, %v", done, err)
		}
	}
	return c
}

// TestPlanCopyEnds: after its end, a copy does not follow changes. The goroutine of the
// caller has its parts then.
func TestPlanCopyEnds(t *testing.T) {
	e := rig.Listed(t, engine.Config{}, rig.Many(10)...)
	c := copyOf(t, e, 0)
	if done, err := c.Step(view(e)); !done || err != nil {
		t.Fatalf("%t, %v", done, err)
	}
	rig.Observe(t, e, rig.Put("b/3#2 -> a"), rig.Gone("b/4"))
	if view(e).Open.Any() {
		t.Error("the copy is open after its end")
	}
	parts := c.TakeParts()
	if len(parts) != 11 {
		t.Errorf("%d parts, want 11", len(parts))
	}
	for _, p := range parts {
		if p.State != excerpt.Exists || p.Object.Version != "1" {
			t.Errorf("%s is %s at version %s after the end", p.Object.Key, p.State, p.Object.Version)
		}
	}
}

// TestPlanCopyTorn: objects that change faster than the copy goes on do not keep it from
// its end. The copy is torn then, and has every object.
func TestPlanCopyTorn(t *testing.T) {
	const leaves = 4 * seed.Slice
	e := rig.Listed(t, engine.Config{}, rig.Many(leaves)...)
	c := copyOf(t, e, 1)
	for version, done := 2, false; !done; version++ {
		if version > 1000 {
			t.Fatal("the copy does not end")
		}
		for i := range leaves {
			rig.Observe(t, e, rig.Put(fmt.Sprintf("b/%d#%d -> a", i, version)))
		}
		var err error
		if done, err = c.Step(view(e)); err != nil {
			t.Fatal(err)
		}
	}
	s := c.Seed(view(e), e.Inside(inside.Key{}).Driver().SeedRest(rig.Now()))
	parts := c.TakeParts()
	if !s.Torn || len(parts) != leaves+1 {
		t.Errorf("torn %t, %d parts, want %d", s.Torn, len(parts), leaves+1)
	}
	for i := range parts {
		if parts[i].State != excerpt.Exists || parts[i].Object.Name == "" {
			t.Fatalf("part %d is %s, %s", i, parts[i].Object.Key, parts[i].State)
		}
	}
}

// TestPlanCopyTargetsInSteps: a step of a copy adds a bounded number of targets, since the
// caller has the lock meanwhile (RULES, P1).
func TestPlanCopyTargetsInSteps(t *testing.T) {
	e := rig.Listed(t, engine.Config{}, rig.Many(2*seed.Slice)...)
	req := plan.Request{}
	for i := range 2 * seed.Slice {
		req.Delete = append(req.Delete, plan.Target{Key: rig.Put(fmt.Sprintf("b/%d#1", i)).Object.Key.Place()})
	}
	c := seed.New(req, 0)
	c.Restart(view(e))
	defer c.Close(view(e))
	for last, done := 0, false; !done; last = c.Added() {
		var err error
		if done, err = c.Step(view(e)); err != nil {
			t.Fatal(err)
		}
		if c.Added()-last > seed.Slice {
			t.Errorf("%d targets in one step, want at most %d", c.Added()-last, seed.Slice)
		}
	}
	members := 0
	for _, p := range c.TakeParts() {
		if p.Member {
			members++
		}
	}
	if members != len(req.Delete) {
		t.Errorf("%d members, want %d", members, len(req.Delete))
	}
}

// TestPlanCopyRewound: a rewind takes back each absence, also for a copy under way. An
// owner that was absent before may be back, so the copy has it as unknown (RULES, R5).
func TestPlanCopyRewound(t *testing.T) {
	objects := rig.Many(2 * seed.Slice)
	objects[0] = "a#1 -> c, b/0"
	e := rig.Listed(t, engine.Config{ObserveOnly: true}, objects...)
	rig.Answer(t, e, graph.ErrNotFound)
	steps := 0
	end := func(c *seed.Copy) (state excerpt.State, torn bool) {
		for done := false; !done; steps++ {
			var err error
			if done, err = c.Step(view(e)); err != nil || steps > 1000 {
				t.Fatalf("step %d of the copy: %v", steps, err)
			}
		}
		torn = c.Seed(view(e), e.Inside(inside.Key{}).Driver().SeedRest(rig.Now())).Torn
		for _, part := range c.TakeParts() {
			if part.Object.Key == rig.Put("c#1").Object.Key {
				state = part.State
			}
		}
		return state, torn
	}
	if c, _ := end(copyOf(t, e, 0)); c != excerpt.Absent {
		t.Fatalf("c is %s before the rewind, want absent", c)
	}
	late, early := copyOf(t, e, steps-1), copyOf(t, e, 0)
	rig.Observe(t, e, graph.Event{Type: graph.Rewound, Reason: "restored"})
	for _, p := range []*seed.Copy{late, early} {
		if c, torn := end(p); c != excerpt.Unknown || torn {
			t.Errorf("c is %s after the rewind, want unknown, and torn %t", c, torn)
		}
	}
}

// TestPlanScanSteps: a step of a scan looks at a bounded number of references, since
// the caller has the lock meanwhile (RULES, P1).
func TestPlanScanSteps(t *testing.T) {
	const owners, dependents = 512, 60
	list := []graph.Event{}
	o := graph.Object{Key: graph.Key{Kind: "b", Name: "d", UID: "d"}, Version: "1"}
	for i := range owners {
		k := graph.Key{Kind: "a", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("a", i))}
		list = append(list, graph.Event{Type: graph.Put, Object: graph.Object{Key: k, Version: "1"}})
		o.Owners = append(o.Owners, graph.Owner{Key: k})
	}
	for i := range dependents {
		o.Name, o.UID = fmt.Sprint("d", i), graph.UID(fmt.Sprint("d", i))
		list = append(list, graph.Event{Type: graph.Put, Object: o.Clone()})
	}
	e := rig.Listed(t, engine.Config{})
	rig.Observe(t, e, list...)
	g := e.Inside(inside.Key{}).Driver().Graph()
	c := seed.New(plan.Request{}, 0)
	c.Restart(view(e))
	defer c.Close(view(e))
	for last, due := c.Scan(); due; {
		if _, err := c.Step(view(e)); err != nil {
			t.Fatal(err)
		}
		looked := 0
		next, more := c.Scan()
		for ; last < next; last++ {
			if looked++; g.Inside(inside.Key{}).InUse(last) {
				looked += g.Node(last).Owners()
			}
		}
		if due = more; looked > seed.ScanSlice+owners {
			t.Errorf("%d nodes and references in one step, want about %d", looked, seed.ScanSlice)
		}
	}
}
