package held

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

var (
	start  = time.Unix(1000, 0)
	errBad = errors.New("the disk is full")
)

// observed returns a graph with one object, and its node.
func graphOf(t *testing.T) (*graph.Graph, graph.NodeID) {
	t.Helper()
	g := graph.New(graph.Config{})
	o, err := graph.ParseObject("a#1")
	if err != nil {
		t.Fatal(err)
	}
	var id graph.NodeID
	for _, e := range []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}}, {Type: graph.Put, Object: o}} {
		d, err := g.Apply(e)
		if err != nil {
			t.Fatal(err)
		}
		id = d.Node
	}
	return g, id
}

// TestTable: an object is held since the first time of its reason. A try with the same
// outcome changes neither the time nor the error.
func TestTable(t *testing.T) {
	late := start.Add(time.Minute)
	for _, c := range []struct {
		reason string
		change func(x *Table, id graph.NodeID)
		held   bool
		since  time.Time
		err    string
	}{
		{"the same reason again", func(x *Table, id graph.NodeID) { x.Put(id, policy.KindSick, graph.DoubtUnset, late) }, true, start, errBad.Error()},
		{"another reason", func(x *Table, id graph.NodeID) { x.Put(id, policy.StoreRefused, graph.DoubtUnset, late) }, true, late, ""},
		{"another doubt", func(x *Table, id graph.NodeID) { x.Put(id, policy.KindSick, graph.Unlisted, late) }, true, late, ""},
		{"a try under way", func(x *Table, id graph.NodeID) { x.Drop(id, true) }, false, time.Time{}, ""},
		{"a try with the same outcome", func(x *Table, id graph.NodeID) {
			x.Drop(id, true)
			x.Put(id, policy.KindSick, graph.DoubtUnset, late)
		}, true, start, errBad.Error()},
		{"held, dropped and held again", func(x *Table, id graph.NodeID) {
			x.Drop(id, true)
			x.Drop(id, false)
			x.Put(id, policy.KindSick, graph.DoubtUnset, late)
		}, true, late, ""},
		{"an earlier time", func(x *Table, id graph.NodeID) { x.SetSince(id, start.Add(-1)) }, true, start.Add(-1), errBad.Error()},
		{"a later time, and no error", func(x *Table, id graph.NodeID) { x.SetSince(id, late); x.SetError(id, nil) }, true, start, errBad.Error()},
	} {
		t.Run(c.reason, func(t *testing.T) {
			g, id := graphOf(t)
			x := New()
			x.SetError(id, errBad) // it is not held yet
			x.Put(id, policy.KindSick, graph.DoubtUnset, start)
			x.SetError(id, errBad)
			before := x.Clone()
			c.change(&x, id)
			if err := x.Check(g); err != nil {
				t.Error(err)
			}
			if got := x.Get(id); x.Has(id) != c.held || !got.Since.Equal(c.since) || got.Error != c.err {
				t.Errorf("held %v since %v with error %q, want %v since %v with %q", x.Has(id), got.Since, got.Error, c.held, c.since, c.err)
			}
			n := 0
			for status := range numStatuses {
				k := x.Count(status)
				if n += k; k > 0 && status != StatusOf(x.Get(id).Reason) {
					t.Errorf("%d objects are counted as %v", k, status)
				}
			}
			if n != x.Len() {
				t.Errorf("%d objects are counted, and %d are held", n, x.Len())
			}
			if got := before.Get(id); !got.Since.Equal(start) || got.Error != errBad.Error() {
				t.Error("the change of a table has changed its copy")
			}
		})
	}
}

// TestFailing: a node fails when many calls for it have failed in a row, since the first.
func TestFailing(t *testing.T) {
	_, id := graphOf(t)
	x := New()
	for i := range minFailures {
		if _, ok := x.FailingSince(id); ok {
			t.Errorf("the node fails after %d failures", i)
		}
		x.Fail(id, start.Add(time.Duration(i)))
	}
	if at, ok := x.FailingSince(id); !ok || !at.Equal(start) {
		t.Errorf("the node fails since %v (%v), want since %v", at, ok, start)
	}
	x.Drop(id, true) // another try ends no row of failures
	if _, ok := x.FailingSince(id); !ok {
		t.Error("a try under way ends the row of failures")
	}
	x.Succeed(id)
	if _, ok := x.FailingSince(id); ok {
		t.Error("the node fails after a success")
	}
}

// TestStatusAt: an object outside of the table has no status.
func TestStatusAt(t *testing.T) {
	_, id := graphOf(t)
	x := New()
	if s := x.StatusAt(id); s != Unset {
		t.Errorf("status %s of an object that is not held", s)
	}
	x.Put(id, policy.NeedDependents, graph.DoubtUnset, start)
	if s := x.StatusAt(id); s != Blocked {
		t.Errorf("status %s of an object that waits for its dependents, want %s", s, Blocked)
	}
}
