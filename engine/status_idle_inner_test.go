package engine

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestIdleInAfterVanished: objects that wait for a kind to pass a fence are decided again
// when the kind vanishes, and no longer counted as waiting.
func TestIdleInAfterVanished(t *testing.T) {
	e, err := New(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	see := func(events ...graph.Event) {
		t.Helper()
		for _, ev := range events {
			if err := e.Observe(now, ev); err != nil {
				t.Fatal(err)
			}
		}
	}
	put := func(text string) {
		t.Helper()
		objects, err := graph.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			see(graph.Event{Type: graph.Put, Object: o})
		}
	}
	list := func(kinds ...graph.Kind) {
		for _, k := range kinds {
			see(graph.Event{Type: graph.ListBegun, Kind: k}, graph.Event{Type: graph.ListEnded, Kind: k})
		}
	}
	run := func(delay bool) {
		for range 1000 {
			for _, lane := range []Lane{LaneControl, LaneStore} {
				c, _ := e.Next(now, lane)
				switch c.Type {
				case CallUnset:
				case CallFence:
					_ = e.Done(now, c.ID, Result{Fence: uint64(c.ID)})
					if !delay {
						for _, k := range e.Kinds() {
							see(graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: uint64(c.ID)})
						}
						see(graph.Event{Type: graph.FencePassed, Fence: uint64(c.ID)})
					}
				case CallRead:
					_ = e.Done(now, c.ID, Result{Err: graph.ErrNotFound})
				default:
					_ = e.Done(now, c.ID, Result{})
					if c.Type == CallDelete {
						see(graph.Event{Type: graph.Gone, Key: c.Key})
					}
				}
			}
		}
	}
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "d"}}})
	list("a", "d")
	run(false)
	put("d#1 -> a/x")
	run(true) // a read finds nothing; d waits for a fence of kind a
	t.Logf("waiting: %d, idle %t", len(e.fence.AwaitingKind("a")), e.Idle())
	see(graph.Event{Type: graph.KindVanished, Kind: "a"}, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "d"}}})
	now = now.Add(time.Hour)
	for range 10 {
		run(false)
		now = now.Add(time.Minute)
	}
	t.Logf("held %v", e.Held(9))
	if !e.Idle() || !(pending{e}).idleIn("") {
		t.Errorf("idle %t, idle in scope %t, waiting %v", e.Idle(), pending{e}.idleIn(""), e.fence.AwaitingKind("a"))
	}
}
