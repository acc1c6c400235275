package ownergraph_test

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/share"
)

// TestPlanUnselected: an engine without a share selects nothing by labels. Its plan says so where the
// labels tell which marked holder waits for an object. The plan does not have that holder (RULES, P4).
func TestPlanUnselected(t *testing.T) {
	label := labelled("")
	label.Members[0].Kinds = []graph.Kind{"volume"}
	chosen := guard.Sweep{Finalizer: "x.io/tenant", Holder: "tenant", Members: []guard.Members{{By: guard.ByName, Delimiter: "-", Selector: "!keep"}}}
	for _, c := range []struct {
		sweep           guard.Sweep
		share           share.Set
		objects, target string
		want            bool
		reason          string
	}{
		{label, share.None(), "tenant/1#2~[x.io/tenant]; volume/a#1[x]", "volume/a", true, "tenant 1 may wait for a"},
		{label, share.None(), "tenant/1#2~[x.io/tenant]; volume/a#1~[x]", "volume/a", true, "it may wait for the marked a"},
		{label, share.None(), "tenant/1#2~[x.io/tenant]; other#1; volume/a#1 -> other", "other", true, "it may wait for a below the target"},
		{label, share.None(), "tenant/1#2[x.io/tenant]; volume/a#1", "volume/a", false, "no holder waits"},
		{label, share.None(), "tenant/1#2~[x.io/tenant]; volume/a#1; other#1", "other", false, "the target cannot be a member"},
		{label, share.All(), "tenant/1#2~[x.io/tenant]; volume/a#1[x]", "volume/a", false, "a selection has not shown a"},
		{chosen, share.None(), "tenant/1#2~[x.io/tenant]; volume/1-a#1", "volume/1-a", true, "1-a is chosen, or is not"},
		{chosen, share.None(), "tenant/1#2~[x.io/tenant]; volume/a#1", "volume/a", false, "a does not have the name of a member"},
		{chosen, share.None(), "tenant/1#2~[x.io/tenant]; tenant/1-2#1[x.io/tenant]; volume/1-2-a#1", "tenant/1-2", true, "tenant 1 may have 1-2-a, once 1-2 does not contest it"},
		{chosen, share.None(), "tenant/1#2~[x.io/tenant]; tenant/1-2#1[x.io/tenant]; volume/1-2-a#1; other#1", "other", false, "the target contests nothing"},
	} {
		s := newStepped(t, ownergraph.Config{Sweeps: []guard.Sweep{c.sweep}, Share: c.share}, "tenant", "volume", "other")
		s.put(c.objects)
		s.selectNothing()
		o, err := graph.ParseObject(c.target)
		if err != nil {
			t.Fatal(err)
		}
		p, err := probe.Plan(s.e, s.now, plan.Request{Delete: []plan.Target{{Key: o.Key}}})
		if err != nil {
			t.Fatal(err)
		}
		is := func(a plan.Assumption) bool { return a.Type == plan.LabelsUnknown && a.Name == "volume" }
		if got := slices.ContainsFunc(p.Assumptions, is); got != c.want {
			t.Errorf("delete %s of %s: plan %s, assumptions %v, want unknown labels %t: %s", c.target, c.objects, outcomes(p), p.Assumptions, c.want, c.reason)
		}
	}
}

// selectNothing passes the fences of the engine, and answers each selection with no object. Writes stay
// under way.
func (s stepped) selectNothing() {
	s.Helper()
	for more := true; more; {
		more = false
		for _, lane := range []engine.Lane{engine.LaneControl, engine.LaneStore} {
			c, at := s.e.Next(s.now, lane)
			more = more || c.Type != engine.CallUnset || !at.IsZero() && !at.After(s.now)
			if c.Type == engine.CallFence || c.Type == engine.CallSelect {
				s.done(c, nil)
			}
			if c.Type == engine.CallFence {
				s.pass(uint64(c.ID))
			}
		}
	}
}
