package ownergraph_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/plan"
)

// TestPlanKnowsOrphaning: the collector has ended the orphaning of an owner that a foreign
// finalizer keeps. It orphans later dependents of this owner, too, and so does the forecast
// (RULES, P2).
func TestPlanKnowsOrphaning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "g/a[x]")
		r := collect(t, s, ownergraph.Config{})
		r.idle()
		s.delete(t, "g/a", graph.Orphan)
		r.idle()
		s.create(t, "g/b -> g/a")
		r.idle()
		req := request(t, "g/a", graph.Background)
		req.Removed = []string{"x"}
		p, err := r.Plan(t.Context(), req)
		if err != nil || outcomes(p) != "g/a removed; g/b@new-1 orphaned" {
			t.Errorf("Plan: %s, %v, want that b loses its owner", outcomes(p), err)
		}
		s.finish(t, "g/a", "x")
		r.idle()
		if err := p.Unmet(s.Objects()); err != nil {
			t.Error(err)
		}
	})
}

// TestPlanKnowsSweeps: the sweep of a holder is over, and a foreign finalizer keeps the holder.
// A later object of its name is no member, also for the forecast (RULES, P2).
func TestPlanKnowsSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "t/a~[x]; g/a-v")
		sweep := guard.Sweep{
			Finalizer: "x.io/t", Holder: "t", Unguarded: true,
			Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}},
		}
		r := collect(t, s, ownergraph.Config{Sweeps: []guard.Sweep{sweep}})
		r.idle()
		s.contains(t, "t/a~[x]")
		s.create(t, "g/a-w")
		r.idle()
		p, err := r.Plan(t.Context(), request(t, "t/a", graph.Background))
		if err != nil || outcomes(p) != "g/a-w@new-1 kept; t/a held [x]" {
			t.Errorf("Plan: %s, %v, want that the object stays", outcomes(p), err)
		}
		s.delete(t, "t/a", graph.Background)
		pass(time.Hour)
		s.contains(t, "g/a-w@new-1; t/a~[x]")
	})
}

// TestPlanOfGoneHolder: the holder of a sweep is gone, and another holder contests a member.
// The sweep may still delete the member, so its end is possible (RULES, P3).
func TestPlanOfGoneHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTap(t, "t/a~[x]; u/a; g/a-v")
		named := []guard.Members{{By: guard.ByName, Delimiter: "-", Kinds: []graph.Kind{"g"}}}
		r := collect(t, s, ownergraph.Config{Sweeps: []guard.Sweep{
			{Finalizer: "x.io/t", Holder: "t", Unguarded: true, Members: named}, {Finalizer: "x.io/u", Holder: "u", Members: named},
		}})
		r.idle()
		s.finish(t, "t/a", "x")
		r.idle()
		p, err := r.Plan(t.Context(), plan.Request{Delete: []plan.Target{{Key: keyOf(t, "g/a-v")}}})
		if err != nil || len(p.Objects) != 1 || !p.Objects[0].Possible {
			t.Errorf("Plan: %s, %v, want a possible end", outcomes(p), err)
		}
	})
}

// TestPlanOfUnknownOwner: a dependent stays because its owner is in doubt, and blocks an
// object. That object waits for the dependent, or goes before (RULES, P3).
func TestPlanOfUnknownOwner(t *testing.T) {
	objects, err := graph.Parse("g/r; q/t/c -> g/r; g/f -> q/t/c!")
	if err != nil {
		t.Fatal(err)
	}
	req := plan.Request{Delete: []plan.Target{{Key: keyOf(t, "g/r"), Propagation: graph.Foreground}}}
	p, err := ownergraph.PlanDump(t.Context(), ownergraph.Dump{Objects: objects}, ownergraph.Config{}, req)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key      string
		possible bool
		reason   string
	}{
		{"q/t/c", true, "its delete may come before or after it waits for its owner"},
		{"g/f", true, "it is below an object whose end depends on the order"},
	} {
		if o, ok := p.At(keyOf(t, c.key)); !ok || o.Possible != c.possible {
			t.Errorf("%s: %+v: %s", c.key, o, c.reason)
		}
	}
}

// TestPlanOfMisplacedReference: a reference names the UID of the target at other coordinates. The
// engine looks at it after the end of the target if it has the target's kind, and the end of the
// dependent is definite. For another kind only an audit may look (RULES, P3). A flawed dependent
// stays, and blocks an object that may go before it waits.
func TestPlanOfMisplacedReference(t *testing.T) {
	for _, c := range []struct {
		start, target, object string
		possible              bool
		reason                string
	}{
		{`k/a; k/c; k/b -> k/c, k/ax@"k/a"`, "k/a", "k/b", false, "the reference has another name"},
		{`k/a; k/c; k/b -> k/c, h/a@"k/a"`, "k/a", "k/b", true, "the reference has another kind"},
		{`k/r; k/c -> k/r; k/b -> k/c!^, k/x^`, "k/r", "k/c", true, "b has two controllers"},
	} {
		objects, err := graph.Parse(c.start)
		if err != nil {
			t.Fatal(err)
		}
		req := plan.Request{Delete: []plan.Target{{Key: keyOf(t, c.target), Propagation: graph.Foreground}}}
		p, err := ownergraph.PlanDump(t.Context(), ownergraph.Dump{Objects: objects}, ownergraph.Config{}, req)
		if err != nil {
			t.Fatal(err)
		}
		if o, ok := p.At(keyOf(t, c.object)); !ok || o.Possible != c.possible {
			t.Errorf("%s: %+v, want a possible end: %t: %s", c.start, o, c.possible, c.reason)
		}
	}
}
