package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestRestrictedAfterStart: a new engine deletes nothing before it has listed each kind, because an
// object of another kind may restrict the object (RULES, E4).
func TestRestrictedAfterStart(t *testing.T) {
	type step struct {
		event graph.Event
		sent  bool // the delete of x goes out by this event
	}
	const restricting = "c/z@z#1 -> b/x@x:restrict"
	for _, c := range []struct {
		level    Level
		policies bool
		rest     []step // after the listings of the kinds a and b
		reason   string
	}{
		{Level2, true, []step{{graph.Event{Type: graph.ListEnded, Kind: "c"}, false}, {graph.Event{Type: graph.FencePassed, Kind: "c", Fence: 7}, true}}, "nothing restricts it"},
		{Level2, true, []step{{put(restricting), false}, {graph.Event{Type: graph.ListEnded, Kind: "c"}, false}, {graph.Event{Type: graph.FencePassed, Kind: "c", Fence: 7}, false}, {graph.Event{Type: graph.Gone, Key: put(restricting).Object.Key}, true}}, "the listing brings the restricting object"},
		{Level1, true, []step{{put("c/y@y#1"), false}, {graph.Event{Type: graph.ListEnded, Kind: "c"}, true}}, "a store without fences: the listings count"},
		{Level2, false, nil, "policies do not act"},
		{Level3, true, []step{{graph.Event{Type: graph.ListEnded, Kind: "c"}, false}, {graph.Event{Type: graph.FencePassed, Kind: "c", Fence: 7}, true}}, "a store that would refuse the delete"},
	} {
		e, err := New(c.level, Config{Policies: c.policies})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(0, 0)
		see := seeing(t, e, now)
		sent := func() bool {
			var types []CallType
			for range 8 {
				types = append(types, e.answerAll(t, now, 7, see)...)
			}
			return slices.Contains(types, CallDelete)
		}
		see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}})
		see(graph.Event{Type: graph.ListBegun, Kind: "a"}, graph.Event{Type: graph.ListEnded, Kind: "a"})
		see(graph.Event{Type: graph.ListBegun, Kind: "b"}, put("b/x@x#1 -> a/r@r"), graph.Event{Type: graph.ListEnded, Kind: "b"})
		see(graph.Event{Type: graph.ListBegun, Kind: "c"})
		if at := sent(); at != (c.rest == nil) {
			t.Errorf("%s: the delete goes out before the listing of c: %t", c.reason, at)
		}
		for i, s := range c.rest {
			if see(s.event); sent() != s.sent {
				t.Errorf("%s: event %d: the delete goes out: %t", c.reason, i, !s.sent)
			}
		}
	}
}

// answerAll makes the calls that are due: no owner is there, and the kinds a and b and their set pass a
// fence at once. It leaves a delete without an answer. It returns the types of the calls.
func (e *Engine) answerAll(t *testing.T, now time.Time, token uint64, see func(...graph.Event)) (types []CallType) {
	t.Helper()
	for _, lane := range []Lane{LaneStore, LaneControl} {
		c, _ := e.Next(now, lane)
		switch types = append(types, c.Type); c.Type {
		case CallRead:
			if err := e.Done(now, c.ID, Result{Err: graph.ErrNotFound}); err != nil {
				t.Fatal(err)
			}
		case CallFence:
			if err := e.Done(now, c.ID, Result{Fence: token}); err != nil {
				t.Fatal(err)
			}
			for _, k := range []graph.Kind{"a", "b", ""} {
				see(graph.Event{Type: graph.FencePassed, Kind: k, Fence: token})
			}
		}
	}
	return types
}
