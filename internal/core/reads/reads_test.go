package reads

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

// rig is a graph of dependents and phantoms, and a machine that reads the phantoms.
type rig struct {
	*testing.T
	v   record.Nodes
	now time.Time
	m   Machine
	out effect.List
}

func newRig(t *testing.T, objects string) *rig {
	t.Helper()
	r := &rig{T: t, now: time.Unix(1000, 0), m: New(queue.Config[graph.NodeID]{})}
	r.v = record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}}
	all, err := graph.Parse(objects)
	if err != nil {
		t.Fatal(err)
	}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "d"}}}}
	for _, o := range all {
		events = append(events, graph.Event{Type: graph.Put, Object: o})
	}
	for _, e := range events {
		if _, err := r.v.Graph.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *rig) id(key string) graph.NodeID {
	r.Helper()
	o, err := graph.ParseObject(key + "#1")
	if err != nil {
		r.Fatal(err)
	}
	n, ok := r.v.Graph.Lookup(o.Key)
	if !ok {
		r.Fatalf("%s is not in the graph", key)
	}
	return n.ID()
}

// begin begins the next read and returns its owner, 0 if none is due.
func (r *rig) begin() graph.NodeID {
	r.Helper()
	id, ok := r.m.Next(r.v, r.now)
	if ok {
		r.m.Begin(r.v.Node(id).Key(), 1)
	}
	r.check()
	return id
}

func (r *rig) end(owner graph.NodeID) { r.m.End(r.v.Node(owner).Key(), owner) }

// looked returns the nodes that the effects so far have decided.
func (r *rig) looked() (out []graph.NodeID) {
	for _, x := range r.out.Items() {
		if x.Type == effect.Look {
			out = append(out, x.Node)
		}
	}
	r.out.Reset()
	return out
}

func (r *rig) check() {
	r.Helper()
	if err := r.m.Check(r.v); err != nil {
		r.Error(err)
	}
}

// TestAnswer: a dependent is decided when the last of its reads has answered, and one read
// serves all dependents of an owner.
func TestAnswer(t *testing.T) {
	r := newRig(t, "d/1#1 -> a/x, a/y; d/2#1 -> a/x")
	d1, d2, x, y := r.id("d/1"), r.id("d/2"), r.id("a/x"), r.id("a/y")
	r.m.Want(r.v, d1, x)
	r.m.Want(r.v, d1, y)
	r.m.Want(r.v, d2, x)
	r.m.Want(r.v, d2, x) // noted once
	if first, second, third := r.begin(), r.begin(), r.begin(); first != x || second != y || third != 0 {
		t.Fatalf("the reads are of %d, %d and %d, want %d and %d", first, second, third, x, y)
	}
	r.end(x)
	r.m.EndRetries(x)
	if r.m.Answer(r.v, x, &r.out); !slices.Equal(r.looked(), []graph.NodeID{d2}) {
		t.Error("the first answer has to free the second dependent alone")
	}
	r.end(y)
	if r.m.Answer(r.v, y, &r.out); !slices.Equal(r.looked(), []graph.NodeID{d1}) {
		t.Error("the second answer has to free the first dependent")
	}
	r.check()
	if r.m.Len() != 0 || r.v.State(d1).PendingReads != 0 {
		t.Errorf("%d reads are left", r.m.Len())
	}
}

// TestFail: a failed read frees its dependents once, and is tried again in its time.
func TestFail(t *testing.T) {
	r := newRig(t, "d/1#1 -> a/x")
	d, x := r.id("d/1"), r.id("a/x")
	r.m.Want(r.v, d, x)
	for try, free := range []int{1, 0, 1} { // the third one has another doubt
		if got := r.begin(); got != x {
			t.Fatalf("try %d reads %d, want %d", try, got, x)
		}
		r.end(x)
		r.m.Retry(x, r.now, time.Second)
		was, doubt := r.v.State(x).Blocked, graph.Unreadable
		if try == 2 {
			doubt = graph.UnservedKind
		}
		if got := r.m.Fail(r.v, x, was, doubt, &r.out); len(got) != free {
			t.Errorf("try %d frees %v, want %d nodes", try, got, free)
		}
		if r.begin() != 0 {
			t.Errorf("try %d is repeated at once", try)
		}
		r.now = r.now.Add(time.Second)
	}
	if got := r.m.Waiting(r.v, x); !slices.Equal(got, []graph.NodeID{d}) || r.v.State(d).PendingReads != 0 {
		t.Errorf("%v wait for the retry, with %d reads", got, r.v.State(d).PendingReads)
	}
	if r.m.Resume(r.v, "d"); r.v.State(x).Blocked == graph.DoubtUnset {
		t.Error("another kind's recovery resumes the read")
	}
	if r.m.Resume(r.v, "a"); r.v.State(x).Blocked != graph.DoubtUnset || r.begin() != x {
		t.Error("the kind's recovery has to resume the read")
	}
}

// TestOneAtATime: one read of each full coordinates is under way, and a wish meanwhile
// leads to another read (R6).
func TestOneAtATime(t *testing.T) {
	r := newRig(t, "d/1#1 -> a/x; d/2#1 -> a/x")
	x := r.id("a/x")
	r.m.Want(r.v, r.id("d/1"), x)
	if r.begin() != x || r.m.Under(r.v.Node(x).Key()) != 1 {
		t.Fatal("the read has to begin")
	}
	r.m.Want(r.v, r.id("d/2"), x)
	if r.begin() != 0 {
		t.Error("two reads of one owner are under way")
	}
	r.end(x)
	if r.begin() != x {
		t.Error("the later wish has to be read for")
	}
}

// TestWaitersAreBounded: past the bound all dependents of the owner are decided again.
func TestWaitersAreBounded(t *testing.T) {
	text := ""
	for i := range MaxWaiters + 1 {
		text += fmt.Sprintf("; d/%d#1 -> a/x", i)
	}
	r := newRig(t, text[2:])
	x := r.id("a/x")
	for i := range MaxWaiters + 1 {
		r.m.Want(r.v, r.id(fmt.Sprintf("d/%d", i)), x)
	}
	r.begin()
	r.end(x)
	r.m.Answer(r.v, x, &r.out)
	if items := r.out.Items(); len(items) != MaxWaiters+1 || items[0].Type != effect.Fan || items[0].Node != x {
		t.Errorf("%d effects, want a fan and %d nodes", len(items), MaxWaiters)
	}
}

// TestResult: a result pins the full state of its node until it is dropped.
func TestResult(t *testing.T) {
	r := newRig(t, "d/1#1 -> a/x, a/y")
	x, y := r.id("a/x"), r.id("a/y")
	want := Result{State: policy.ReadSolid, Version: "7", Began: 1, Done: 2}
	r.m.SetResult(r.v, x, want)
	r.m.SetResult(r.v, y, want)
	c := r.m.Clone()
	if r.v.Table.Compact(r.v.Graph); r.v.Table.IsCompact(r.v.Graph, x) {
		t.Error("the state of a node with a result is compact")
	}
	if r.m.DropResult(r.v, x); r.v.State(x).HasResult {
		t.Error("the node still has a result")
	}
	if r.m.Rewind(r.v); !r.m.NoResults() {
		t.Error("results outlive a rewind")
	}
	if got, ok := c.Result(y); !ok || got != want {
		t.Errorf("the clone has %+v", got)
	}
}
