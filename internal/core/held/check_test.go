package held

import (
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestCheckFinds: Check finds each damage of a table.
func TestCheckFinds(t *testing.T) {
	const elsewhere graph.NodeID = 1000 // no node of the graph
	for _, c := range []struct {
		damage func(x *Table, id graph.NodeID)
		want   string
		reason string
	}{
		{func(*Table, graph.NodeID) {}, "", "a sound table"},
		{func(x *Table, id graph.NodeID) { x.Open.Release(id) }, "is not kept", "the beginning of a stuck object is lost"},
		{func(x *Table, id graph.NodeID) { delete(x.held, id) }, "the beginning is kept of 1", "no object is stuck"},
		{func(x *Table, id graph.NodeID) { x.counts[policy.KindSick]++ }, "than counted", "a count is wrong"},
		{func(x *Table, id graph.NodeID) { x.retried[id] = Entry{} }, "tried again and held", "a held object is tried again"},
		{func(x *Table, id graph.NodeID) { x.retried[elsewhere] = Entry{} }, "was held and is not in the graph", "a node left the graph before its try ended"},
		{func(x *Table, id graph.NodeID) { x.Fail(elsewhere, start) }, "calls for node 1000 fail", "a node left the graph with its failures"},
	} {
		g, id := graphOf(t)
		x := New()
		x.Put(id, policy.KindSick, graph.DoubtUnset, start)
		c.damage(&x, id)
		err := x.Check(g)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q: %s", err, c.want, c.reason)
		}
	}
}

// TestBegin: work for an object begins its time, unless it is held. The time of a stuck object goes
// on through a try, and ends with the object's release.
func TestBegin(t *testing.T) {
	_, id := graphOf(t)
	x := New()
	x.Begin(id, start)
	x.Put(id, policy.KindSick, graph.DoubtUnset, start.Add(time.Minute))
	if x.Begin(id, start.Add(time.Hour)); x.Open.Has(id) {
		t.Error("a held object is unfinished, too")
	}
	x.Open.Note(id, false, start.Add(time.Hour))
	x.Drop(id, true)
	if _, since, ok := x.Open.Oldest(); !ok || !since.Equal(start) {
		t.Errorf("a try after it was held: unfinished since %v (%v), want %v", since, ok, start)
	}
	x.Open.Note(id, true, start)
	if x.Drop(id, false); x.Open.Has(id) {
		t.Error("a kept object is unfinished")
	}
	x.Begin(id, start.Add(2*time.Hour))
	if _, since, ok := x.Open.Oldest(); !ok || !since.Equal(start.Add(2*time.Hour)) {
		t.Errorf("after the end: unfinished since %v (%v), want the new beginning", since, ok)
	}
}

// TestObserve: an object that comes back while a call is under way is unfinished from then on.
func TestObserve(t *testing.T) {
	_, id := graphOf(t)
	x := New()
	if x.Observe(id, false, start); x.Open.Has(id) {
		t.Error("unfinished without a call")
	}
	x.Observe(id, true, start)
	x.Observe(id, true, start.Add(time.Hour))
	if _, since, ok := x.Open.Oldest(); !ok || !since.Equal(start) {
		t.Errorf("unfinished since %v (%v), want %v", since, ok, start)
	}
}

// TestLate: a call that exceeds a limit of time is reported at once, and until a success.
func TestLate(t *testing.T) {
	_, id := graphOf(t)
	x := New()
	if x.IsLate(id) {
		t.Error("late without a call")
	}
	for want := 1; want <= 3; want++ {
		if n := x.Late(id, start); n != want {
			t.Errorf("the number %d is reported as %d", want, n)
		}
	}
	if since, ok := x.FailingSince(id); !ok || !since.Equal(start) || !x.IsLate(id) {
		t.Errorf("failing since %v (%v), late %v: want since %v, and late", since, ok, x.IsLate(id), start)
	}
	if x.Succeed(id); x.IsLate(id) {
		t.Error("late after a success")
	}
}
