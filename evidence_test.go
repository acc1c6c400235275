package ownergraph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// objects returns the events that bring the objects, in notation.
func objects(t *testing.T, text string) (out []graph.Event) {
	t.Helper()
	list, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		out = append(out, graph.Event{Type: graph.Put, Object: o})
	}
	return out
}

// drain runs the engine until it asks for nothing in the lane of the store. No read finds
// its object.
func (s stepped) drain() {
	s.Helper()
	for range 100 {
		switch c, at := s.e.Next(s.now, engine.LaneStore); {
		case c.Type == engine.CallRead:
			if err := s.e.Done(s.now, c.ID, engine.Result{Err: graph.ErrNotFound}); err != nil {
				s.Fatal(err)
			}
		case c.Type != engine.CallUnset:
			s.Fatalf("%s %s", c.Type, c.Key)
		case at.IsZero() || at.After(s.now):
			return
		}
	}
	s.Fatal("the engine never rests")
}

// TestNothingToDecide: before the first listing of an owner's kind ends, no decision can
// tell more than "not yet", so none is made. The end of the listing decides the rest. An
// object whose owner comes meanwhile needs no decision at all.
func TestNothingToDecide(t *testing.T) {
	s := newStepped(t, ownergraph.Config{})
	s.serve("a", "b")
	s.list("b")
	s.see(graph.Event{Type: graph.ListBegun, Kind: "a"})
	s.see(objects(t, "b/x#1 -> a/o; b/y#1 -> a/gone; b/z#1")...)
	s.drain()
	if n := s.e.Stats().Decisions; n != 0 {
		t.Errorf("%d decisions, and the owners are still to come", n)
	}
	s.see(objects(t, "a/o#1; b/x#2 -> a/o; b/y#2 -> a/gone")...)
	s.drain()
	if n := s.e.Stats().Decisions; n != 0 {
		t.Errorf("%d decisions, and one owner came, and another version of each object", n)
	}
	s.see(graph.Event{Type: graph.ListEnded, Kind: "a"})
	s.drain()
	if n := s.e.Stats().Decisions; n == 0 {
		t.Error("no decision, and the listing did not bring the owner of y")
	}
}

// TestHeldWhileUnlisted: an object that waits for the first listing of its owner's kind is
// held where the kind is sick, since that listing may never come. While the kind is well,
// the listing is work under way and holds no object.
func TestHeldWhileUnlisted(t *testing.T) {
	for _, c := range []struct {
		reason string
		events []graph.Event
		want   policy.Reason
	}{
		{"the kind is being listed", nil, policy.ReasonUnset},
		{"the kind cannot be watched", []graph.Event{{Type: graph.KindSick, Kind: "a", Reason: "forbidden"}}, policy.NeedListing},
		{"an event of the kind is refused, and so the kind is sick", []graph.Event{
			{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "a", Name: "o", UID: "o"}}},
		}, policy.NeedListing},
		{"the kind recovers, and is listed soon", []graph.Event{
			{Type: graph.KindSick, Kind: "a", Reason: "forbidden"}, {Type: graph.KindRecovered, Kind: "a"}, {Type: graph.ListBegun, Kind: "a"},
			{Type: graph.Put, Object: objects(t, "b/x#2 -> a/o")[0].Object},
		}, policy.ReasonUnset},
	} {
		s := newStepped(t, ownergraph.Config{})
		s.serve("a", "b")
		s.list("b")
		s.see(graph.Event{Type: graph.ListBegun, Kind: "a"})
		s.see(objects(t, "b/x#1 -> a/o")...)
		s.drain()
		for _, ev := range c.events {
			_ = s.e.Observe(s.now, ev)
			s.drain()
		}
		s.drain()
		held := s.e.Held(9)
		if c.want == policy.ReasonUnset && len(held) > 0 || c.want != policy.ReasonUnset && (len(held) != 1 || held[0].Reason != c.want) {
			t.Errorf("%s: held are %v, want %v", c.reason, held, c.want)
		}
	}
}

// TestDecisionsOfFastPath: Stats count decisions. OnDecision reports the fast path too.
func TestDecisionsOfFastPath(t *testing.T) {
	var got []string
	s := newStepped(t, ownergraph.Config{OnDecision: func(d engine.DecisionEvent) {
		got = append(got, d.Key.Name+" "+d.Action.String()+" "+d.Reason.String())
	}}, "b")
	s.serve("a", "b")
	s.see(objects(t, "b/x#1; b/y#1 -> b/x; b/z#1 -> a/o")...)
	s.drain()
	want := []string{"x keep " + policy.NoOwners.String(), "y keep " + policy.OwnerSolid.String(), "z wait " + policy.NeedListing.String()}
	if n := s.e.Stats().Decisions; n != 0 || len(got) < len(want) {
		t.Fatalf("%d decisions are counted, and %q are reported", n, got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("the report is %q, want %q", got[i], want[i])
		}
	}
}

// TestSickAgain: a kind that says again and again that it is sick, with another reason each
// time, does not begin the audit anew. So the audit comes to its end.
func TestSickAgain(t *testing.T) {
	s := newStepped(t, ownergraph.Config{})
	s.serve("a", "b")
	s.list("b")
	var text strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&text, "b/%d#1; ", i)
	}
	s.see(objects(t, text.String()+"b/x#1 -> a/o")...)
	s.drain()
	for i := range 60 {
		s.see(graph.Event{Type: graph.KindSick, Kind: "a", Reason: fmt.Sprint("request ", i)})
		s.e.Next(s.now, engine.LaneStore)
	}
	if held := s.e.Held(9); len(held) != 1 {
		t.Errorf("held are %v after 60 reports, want the last object", held)
	}
}

// TestSelfByRememberedUID: the engine remembers the end of an object, and no listing of its kind is
// complete. Another object with the UID lives, and refers to the one that is gone. No write
// follows, as after the same events in the other order.
func TestSelfByRememberedUID(t *testing.T) {
	end := graph.Event{Type: graph.Gone, Key: graph.Key{Kind: "b", Name: "o", UID: "u"}}
	for _, c := range []struct {
		first  bool
		reason string
	}{{true, "the end comes first, and no node has it"}, {false, "the reference comes first, and the node is absent"}} {
		s := newStepped(t, ownergraph.Config{})
		s.serve("a", "b")
		s.list("a")
		if c.first {
			s.see(end)
		}
		s.put("a/o@u#1 -> b/o@u")
		if !c.first {
			s.see(end)
		}
		if writes := s.run(ownergraph.ErrNotFound); len(writes) > 0 {
			t.Errorf("%v: %s", writes, c.reason)
		}
	}
}
