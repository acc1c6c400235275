package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/policy"
)

// garbage returns an engine that has observed an object whose owner is gone, and that is
// about to delete it.
func garbage(t *testing.T, cfg Config) *Engine {
	t.Helper()
	e, err := New(Level1, cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.observeEach(t, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}},
		graph.Event{Type: graph.ListBegun, Kind: "a"}, graph.Event{Type: graph.ListEnded, Kind: "a"},
		graph.Event{Type: graph.ListBegun, Kind: "b"}, put("b#1 -> a"), graph.Event{Type: graph.ListEnded, Kind: "b"})
	return e
}

func (e *Engine) observeEach(t *testing.T, events ...graph.Event) {
	t.Helper()
	for _, ev := range events {
		if err := e.Observe(e.now, ev); err != nil {
			t.Fatal(err)
		}
	}
}

// answer reports an error for each store call, until there is none left.
func (e *Engine) answer(t *testing.T, now time.Time, result error) {
	t.Helper()
	for {
		c, at := e.Next(now, LaneStore)
		switch {
		case c.Type != CallUnset:
			if err := e.Done(now, c.ID, Result{Err: result}); err != nil {
				t.Fatal(err)
			}
		case at.IsZero() || at.After(now):
			return
		}
	}
}

// TestGraphIsFixedDuringDecision: a decision cannot change the graph (N2).
func TestGraphIsFixedDuringDecision(t *testing.T) {
	var e *Engine
	decided := 0
	e = garbage(t, Config{OnDecision: func(d DecisionEvent) {
		decided++
		ev := put("b#2")
		_, applied := e.apply(&ev, nil)
		_, pruned := e.apply(nil, &pruning{kind: "b", limit: 1})
		if !errors.Is(applied, errDeciding) || !errors.Is(pruned, errDeciding) {
			t.Errorf("an event has the error %v and a pruning %v, want %v", applied, pruned, errDeciding)
		}
		if n, _ := e.graph.Lookup(d.Key); n.Version() != "1" {
			t.Errorf("the graph shows version %s during the decision", n.Version())
		}
	}})
	e.answer(t, e.now, graph.ErrNotFound)
	if decided == 0 {
		t.Fatal("nothing was decided")
	}
	e.cfg.OnDecision = nil // the next event keeps the object on the fast path
	e.observeEach(t, put("b#2"))
	if err := e.check(); err != nil {
		t.Error(err)
	}
}

// TestWaitRemembersWrite: an object whose write is remembered is no object of the fast path
// while it waits for a listing. After the wait the same write may be undone again, and its
// backoff goes on.
func TestWaitRemembersWrite(t *testing.T) {
	e, err := New(Level1, Config{})
	if err != nil {
		t.Fatal(err)
	}
	e.observeEach(t, graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}}, put("b#1 -> a"))
	n, _ := e.graph.Lookup(put("b").Object.Key)
	if why := e.fastKeep(n.ID()); why != policy.NeedListing {
		t.Errorf("the object waits for %v, want %v", why, policy.NeedListing)
	}
	e.undone.Wrote(n.ID(), 7)
	if e.tryKeep(n.ID()) || !e.undone.Has(n.ID()) {
		t.Error("the fast path has taken the object, and the write is forgotten")
	}
}

// TestListingBringsVanished: a listing brings an object that a delete did not find. The
// history went backwards (R5). The engine notes that after the decision, and not in it.
func TestListingBringsVanished(t *testing.T) {
	e := garbage(t, Config{})
	e.answer(t, e.now, graph.ErrNotFound) // the owner, and the delete
	late := e.now.Add(e.cfg.AwaitTimeout)
	e.answer(t, late, nil)
	if c, _ := e.Next(late, LaneControl); c.Type != CallList || c.Kind != "b" || e.counts.Rewinds != 0 {
		t.Fatalf("%v of %q, and %d rewinds, want a listing of b", c.Type, c.Kind, e.counts.Rewinds)
	}
	e.observeEach(t, graph.Event{Type: graph.ListBegun, Kind: "b"}, put("b#1 -> a"), graph.Event{Type: graph.ListEnded, Kind: "b"})
	e.answer(t, late, nil) // the pruning
	later := late.Add(e.cfg.AwaitTimeout)
	e.answer(t, later, nil)
	if err := e.check(); err != nil || e.counts.Rewinds != 1 || e.counts.Calls.Of(CallDelete) != 1 {
		t.Errorf("%v; %d rewinds and %d deletes, want one of each", err, e.counts.Rewinds, e.counts.Calls.Of(CallDelete))
	}
}

// TestBrokenInDecision: an engine that breaks during a decision does not hand out the call of
// that decision.
func TestBrokenInDecision(t *testing.T) {
	e := garbage(t, Config{})
	read, _ := e.Next(e.now, LaneStore)
	if err := e.Done(e.now, read.ID, Result{Err: graph.ErrNotFound}); err != nil {
		t.Fatal(err)
	}
	e.effects.Do(effect.Unset) // the decision carries it out
	c, _ := e.Next(e.now, LaneStore)
	if e.Err() == nil || c.Type != CallUnset || len((driver{e}).UnderWay()) > 0 {
		t.Errorf("%v: a %v of %s is handed out, and under way are %q", e.Err(), c.Type, c.Key, (driver{e}).UnderWay())
	}
}
