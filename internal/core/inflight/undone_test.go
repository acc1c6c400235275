package inflight

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

var start = time.Unix(1000, 0)

// rig is an observed object, and the writes to it.
type rig struct {
	*testing.T
	v   record.Nodes
	id  graph.NodeID
	u   Undone
	q   *queue.Queue[graph.NodeID]
	now time.Time
	out effect.List
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, u: NewUndone(), now: start}
	r.v = record.Nodes{Graph: graph.New(graph.Config{}), Table: &record.Table{}}
	r.q = queue.New(queue.Config[graph.NodeID]{
		Hash: func(graph.NodeID) uint64 { return 0 }, Number: func(id graph.NodeID) uint32 { return uint32(id) },
	})
	o, err := graph.ParseObject("a#1 -> b")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}}, {Type: graph.Put, Object: o}} {
		d, err := r.v.Graph.Apply(e)
		if err != nil {
			t.Fatal(err)
		}
		r.id = d.Node
	}
	return r
}

var trim = policy.Decision{Action: policy.Trim, Owners: []int{0}}

// judge judges a decision to write, and returns the reason to wait.
func (r *rig) judge(d policy.Decision) policy.Reason {
	x := r.call(d)
	why, again := r.u.Judge(&x, r.now), r.u.Judge(&x, r.now)
	if why != again {
		r.Errorf("the first judgement is %v, and the second one is %v", why, again)
	}
	r.u.Commit(&x, &d, r.now, r.q, &r.out)
	return why
}

// wrote notes the success of the write of a decision.
func (r *rig) wrote(d policy.Decision) {
	r.u.Wrote(r.id, r.call(d).Wrote)
}

// call returns the call for a decision.
func (r *rig) call(d policy.Decision) Call {
	var w Write
	WriteOf(&w, Subject{node: r.v.Node(r.id)}, &d)
	return w.Call
}

// TestUndone: a write that the next version asks for again waits, longer each time. The
// third time only the outside can help.
func TestUndone(t *testing.T) {
	r := newRig(t)
	var waits []time.Duration
	for i := range 2 * maxUndone {
		r.wrote(trim)
		for range 2 { // a second decision about one version is no further try
			if got := r.judge(trim); got != policy.WriteUndone {
				t.Fatalf("reason %v for try %d, want %v", got, i, policy.WriteUndone)
			}
		}
		if final := i+1 >= maxUndone; r.u.IsFinal(r.id) != final {
			t.Errorf("after %d tries, final is %v", i+1, !final)
		}
		waits = append(waits, r.u.Until(r.id).Sub(r.now))
		r.now = r.u.Until(r.id)
		if got := r.judge(trim); got != policy.ReasonUnset {
			t.Errorf("reason %v after the backoff", got)
		}
	}
	if waits[0] >= time.Second || waits[maxUndone-1] < time.Second/2 || waits[2*maxUndone-1] < 4*waits[maxUndone-1] {
		t.Errorf("waits %v, want short ones at first, and rising ones later", waits)
	}
	if n := len(r.out.Items()); n != 1 || r.u.Count() != uint64(2*maxUndone) {
		t.Errorf("%d lines in the log and %d undone writes, want 1 and %d", n, r.u.Count(), 2*maxUndone)
	}
	if err := r.u.Check(r.v); err != nil {
		t.Error(err)
	}
}

// TestUndoneEnds: another write, and a decision to write nothing, end the row of tries. A
// decision that waits for evidence does not.
func TestUndoneEnds(t *testing.T) {
	wait := func(why policy.Reason) policy.Decision { return policy.Decision{Action: policy.Wait, Reason: why} }
	unblock := policy.Decision{Action: policy.Unblock, Owners: []int{0}}
	for _, c := range []struct {
		reason string
		write  policy.Decision
		then   func(r *rig)
		undone bool
	}{
		{"the object is kept", trim, func(r *rig) { r.u.Rest(r.id, policy.Decision{Action: policy.Keep}) }, false},
		{"the owner has to be read", trim, func(r *rig) { r.u.Rest(r.id, policy.Decision{Action: policy.Verify}) }, true},
		{"a fence has to pass", trim, func(r *rig) { r.u.Rest(r.id, wait(policy.NeedFence)) }, true},
		{"the objects of a cascade are counted", trim, func(r *rig) { r.u.Rest(r.id, wait(policy.OwnersGone)) }, true},
		{"the same for a cascade reference", trim, func(r *rig) { r.u.Rest(r.id, wait(policy.CascadeOwnerGone)) }, true},
		{"the same for one whose owner waits", trim, func(r *rig) { r.u.Rest(r.id, wait(policy.CascadeOwnerWaits)) }, true},
		{"dependents hold the object", trim, func(r *rig) { r.u.Rest(r.id, wait(policy.NeedDependents)) }, false},
		{"a cycle is to be found again", unblock, func(r *rig) { r.u.Rest(r.id, wait(policy.NeedDependents)) }, true},
		{"another write", trim, func(r *rig) { r.wrote(unblock) }, false},
		{"the object has gone", trim, func(r *rig) { r.u.Drop(r.id) }, false},
		{"a rewind", trim, func(r *rig) { r.u.Rewind() }, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t)
			r.wrote(c.write)
			before := r.u.Clone()
			c.then(r)
			if got := r.judge(c.write) == policy.WriteUndone; got != c.undone {
				t.Errorf("undone %v, want %v", got, c.undone)
			}
			if r.u = before; r.judge(c.write) != policy.WriteUndone {
				t.Error("the change has changed the copy")
			}
		})
	}
}

// TestUndoneLogIsBounded: a minute has a bounded number of lines, and the next line has the
// number of the skipped ones.
func TestUndoneLogIsBounded(t *testing.T) {
	var l undoneLines
	var out effect.List
	for i := range 100 {
		l.warn(graph.Key{Kind: "a", Name: fmt.Sprint(i)}, &trim, start, &out)
	}
	if n := len(out.Items()); n != maxLines {
		t.Errorf("%d lines in a minute, want %d", n, maxLines)
	}
	l.warn(graph.Key{Kind: "a"}, &trim, start.Add(time.Minute), &out)
	all := out.Items()
	args := all[len(all)-1].Record.Args
	if got := args[len(args)-1]; len(all) != maxLines+1 || got != 100-maxLines {
		t.Errorf("%d lines, the last with %v others, want %d and %d", len(all), got, maxLines+1, 100-maxLines)
	}
}
