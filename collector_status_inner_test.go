package ownergraph

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/policy"
)

// TestHeldInSlices: the Collector's report is the engine's, for any number of held objects.
// No slice of the report looks at more than its share.
func TestHeldInSlices(t *testing.T) {
	for _, c := range []struct {
		n, limit int
		reason   string
	}{
		{0, 10, "nothing is held"},
		{held.Slice / 2, 10, "one slice will do"},
		{3*held.Slice + 5, 10, "a few of many"},
		{3*held.Slice + 5, 3*held.Slice + 5, "all of many"},
		{3*held.Slice + 5, 0, "none is asked for"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			e, err := NewEngine(Level2, Config{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.n {
				o := Object{Key: Key{Kind: "pod", Name: fmt.Sprint(i * 7919 % 10007), UID: graph.UID(fmt.Sprint("u", i))}, Version: "1"}
				d, err := e.graph.Apply(Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "pod"}}})
				if err == nil {
					d, err = e.graph.Apply(Event{Type: graph.Put, Object: o})
				}
				if err != nil {
					t.Fatal(err)
				}
				if i%3 > 0 {
					e.setHeld(d.Node)
				}
			}
			if all, from, _ := e.held.From(e.graph, nil, 1); c.n > held.Slice && (len(all) > held.Slice || from != held.Slice+1) {
				t.Errorf("a slice finds %d and goes on at %d", len(all), from)
			}
			got, want := drive(e, e.cfg.Config).Held(c.limit), e.Held(c.limit)
			same := func(a, b Held) bool { return a.Key == b.Key && slices.Equal(a.Detail, b.Detail) }
			if !slices.EqualFunc(got, want, same) {
				t.Errorf("%d of %d held: the collector says %d, the engine %d", c.limit, e.held.Len(), len(got), len(want))
			}
		})
	}
}

// TestHeldReasons: the counts and the oldest times by reason are those of all held objects,
// in one slice and in many.
func TestHeldReasons(t *testing.T) {
	for _, c := range []struct {
		n      int
		reason string
	}{
		{0, "nothing is held"},
		{40, "one slice will do"},
		{3*held.Slice + 5, "many slices"},
	} {
		e, err := NewEngine(Level2, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.graph.Apply(Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "pod"}}}); err != nil {
			t.Fatal(err)
		}
		want := map[policy.Reason]HeldReason{}
		for i := range c.n {
			o := Object{Key: Key{Kind: "pod", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("u", i))}, Version: "1"}
			d, err := e.graph.Apply(Event{Type: graph.Put, Object: o})
			if err != nil {
				t.Fatal(err)
			}
			why := [...]policy.Reason{policy.NeedFinalizers, policy.StoreRefused, policy.NeedDependents}[i%3]
			e.now = time.Unix(int64(1_000_000-i*7919%10007), 0)
			e.hold(d.Node, why, graph.DoubtUnset)
			w := want[why]
			if w.Objects == 0 || e.now.Before(w.Oldest) {
				w.Oldest = e.now
			}
			want[why] = HeldReason{why, w.Objects + 1, w.Oldest}
		}
		got := drive(e, e.cfg.Config).HeldReasons()
		for i, r := range got {
			if r != want[r.Reason] || i > 0 && got[i-1].Reason >= r.Reason {
				t.Errorf("%s: %+v, want %+v", c.reason, r, want[r.Reason])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d reasons, want %d", c.reason, len(got), len(want))
		}
	}
}

// TestHeldReasonsOfFewer: objects that are released in the middle of a walk count once at most.
func TestHeldReasonsOfFewer(t *testing.T) {
	e, err := NewEngine(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.graph.Apply(Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "pod"}}}); err != nil {
		t.Fatal(err)
	}
	var ids []graph.NodeID
	for i := range 2 * held.Slice {
		o := Object{Key: Key{Kind: "pod", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("u", i))}, Version: "1"}
		d, err := e.graph.Apply(Event{Type: graph.Put, Object: o})
		if err != nil {
			t.Fatal(err)
		}
		e.hold(d.Node, policy.StoreRefused, graph.DoubtUnset)
		ids = append(ids, d.Node)
	}
	sum := map[policy.Reason]HeldReason{}
	next, more := e.heldReasons(sum, 0)
	for _, id := range ids[held.Slice/2:] {
		e.unhold(id, false)
	}
	for more {
		next, more = e.heldReasons(sum, next)
	}
	if n := sum[policy.StoreRefused].Objects; n != held.Slice/2 {
		t.Errorf("%d objects are counted, want %d", n, held.Slice/2)
	}
}
