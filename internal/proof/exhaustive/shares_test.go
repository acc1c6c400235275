package exhaustive

import (
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

// TestSets: the shares of different objects have no slot in common, and each has all incarnations
// of its name.
func TestSets(t *testing.T) {
	g := Graphs(3, 0)[0]
	spreadUIDs(g)
	sets := setsOf(g)
	for mask, set := range sets {
		for i, o := range g {
			for range maxIncarnations {
				if set.Has(o.UID) != (mask>>i&1 != 0) {
					t.Errorf("mask %b has %s: %t", mask, o.UID, set.Has(o.UID))
				}
				o.UID += "'"
			}
		}
	}
	if m := [maxSides]uint8{firstMask(0, 3), firstMask(1, 3)}; m != [maxSides]uint8{0b101, 0b010} || missing(m, 3) != 0 || missing([maxSides]uint8{1, 0}, 3) != 0b110 {
		t.Errorf("the first shares are %b", m)
	}
	if g := Graphs(3, 0)[ringGraph-1]; graph.Format(g) != "a#1 -> b!; b#1 -> c!; c#1 -> a!" {
		t.Errorf("graph %d is %s, want the ring", ringGraph, graph.Format(g))
	}
}

// TestOutside: an engine may begin no call outside of its share.
func TestOutside(t *testing.T) {
	start, err := graph.Parse("a; b -> a")
	if err != nil {
		t.Fatal(err)
	}
	spreadUIDs(start)
	x, err := begin(start, Scope{Engines: 2, Shares: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, b := start[0].Key, start[1].Key
	for _, c := range []struct {
		call   engine.Call
		set    share.Set
		want   bool
		reason string
	}{
		{engine.Call{Type: engine.CallDelete, Key: a}, x.sets[0b01], false, "an own object"},
		{engine.Call{Type: engine.CallDelete, Key: a}, x.sets[0b10], true, "an object of another share"},
		{engine.Call{Type: engine.CallRead, Key: a}, x.sets[0b10], false, "the owner of an own object"},
		{engine.Call{Type: engine.CallRead, Key: b}, x.sets[0b01], true, "an object without a dependent in the share"},
		{engine.Call{Type: engine.CallJudge, Key: b}, x.sets[0b01], true, "a root of another share"},
		{engine.Call{Type: engine.CallFence}, x.sets[0b01], false, "a fence"},
		{engine.Call{Type: engine.CallFence}, x.sets[0], true, "a fence without a share"},
		{engine.Call{Type: engine.CallList}, x.sets[0], false, "a listing is of no object"},
	} {
		if got := outside(x.w.Sides[0].Engine, c.call, c.set); (got != nil) != c.want {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}

// TestSharesFindDefects: an engine that has another share than its judge breaks a rule.
func TestSharesFindDefects(t *testing.T) {
	g := Graphs(2, 0)[1]
	spreadUIDs(g)
	s := newSearch(g, Scope{Actions: 1, Engines: 2, Switches: 2, Shares: 2, defect: func(x *state, m move, honest func() (bool, error)) (bool, error) {
		if m.op != opShare {
			return honest()
		}
		x.moves--
		x.masks[m.side] ^= 1 << m.at // the engine does not hear of it
		return true, nil
	}})
	if s.run(); s.res.Broken == nil {
		t.Error("no rule breaks if an engine hears of no share")
	}
}
