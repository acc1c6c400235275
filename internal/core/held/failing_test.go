package held

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestFailingSince: failed calls are reported from the fifth in a row on, and a call that the
// store has put off at once.
func TestFailingSince(t *testing.T) {
	fail := func(n int) func(*Table, graph.NodeID) {
		return func(x *Table, id graph.NodeID) {
			for i := range n {
				x.Fail(id, start.Add(time.Duration(i)*time.Second))
			}
		}
	}
	for _, c := range []struct {
		change func(*Table, graph.NodeID)
		want   bool
		reason string
	}{
		{fail(0), false, "no call has failed"},
		{fail(minFailures - 1), false, "a failure that passes by itself costs less"},
		{fail(minFailures), true, "many in a row"},
		{func(x *Table, id graph.NodeID) { x.Delay(id, start) }, true, "the wait may be long"},
		{func(x *Table, id graph.NodeID) { fail(9)(x, id); x.Succeed(id) }, false, "a success ends the row"},
	} {
		_, id := graphOf(t)
		x := New()
		c.change(&x, id)
		since, is := x.FailingSince(id)
		if is != c.want || is && !since.Equal(start) {
			t.Errorf("failing %t since %v, want %t since the first: %s", is, since, c.want, c.reason)
		}
	}
}

// TestStuck: an object that is stuck counts, also during another try.
func TestStuck(t *testing.T) {
	_, id := graphOf(t)
	x := New()
	x.Put(id, policy.NeedDependents, graph.DoubtUnset, start)
	if n := x.Stuck(); n != 0 {
		t.Errorf("%d objects are stuck, and the object waits for its dependents", n)
	}
	x.Put(id, policy.StoreRefused, graph.DoubtUnset, start)
	if n := x.Stuck(); n != 1 {
		t.Errorf("%d objects are stuck, want the refused one", n)
	}
	if x.Drop(id, true); x.Stuck() != 1 {
		t.Errorf("%d objects are stuck during a try, want 1", x.Stuck())
	}
}

// TestJoin: the names of one report are sorted, each is there once, and their number is bounded.
func TestJoin(t *testing.T) {
	if got := Join([]string{"b", "a", "b", "i", "h", "g", "f", "e", "d", "c"}); got != "a, b, c, d, e, f, g, h" {
		t.Errorf("the names are %q", got)
	}
}
