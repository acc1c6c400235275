package engine

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/policy"
)

// reasonsOf sums the held objects up by reason, slice by slice as a Collector does.
func reasonsOf(e *Engine) (out []HeldReason) {
	sum := map[policy.Reason]HeldReason{}
	for from, more := graph.NodeID(0), true; more; {
		from, more = driver{e}.HeldReasons(sum, from)
	}
	for _, r := range slices.Sorted(maps.Keys(sum)) {
		out = append(out, sum[r])
	}
	return out
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
		e, err := New(Level2, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.graph.Apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "pod"}}}); err != nil {
			t.Fatal(err)
		}
		want := map[policy.Reason]HeldReason{}
		for i := range c.n {
			o := graph.Object{Key: graph.Key{Kind: "pod", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("u", i))}, Version: "1"}
			d, err := e.graph.Apply(graph.Event{Type: graph.Put, Object: o})
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
			want[why] = HeldReason{why, Status(held.StatusOf(why)), w.Objects + 1, w.Oldest}
		}
		got := reasonsOf(e)
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
	e, err := New(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.graph.Apply(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "pod"}}}); err != nil {
		t.Fatal(err)
	}
	var ids []graph.NodeID
	for i := range 2 * held.Slice {
		o := graph.Object{Key: graph.Key{Kind: "pod", Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprint("u", i))}, Version: "1"}
		d, err := e.graph.Apply(graph.Event{Type: graph.Put, Object: o})
		if err != nil {
			t.Fatal(err)
		}
		e.hold(d.Node, policy.StoreRefused, graph.DoubtUnset)
		ids = append(ids, d.Node)
	}
	sum := map[policy.Reason]HeldReason{}
	next, more := driver{e}.HeldReasons(sum, 0)
	for _, id := range ids[held.Slice/2:] {
		e.unhold(id, false)
	}
	for more {
		next, more = driver{e}.HeldReasons(sum, next)
	}
	if n := sum[policy.StoreRefused].Objects; n != held.Slice/2 {
		t.Errorf("%d objects are counted, want %d", n, held.Slice/2)
	}
}
