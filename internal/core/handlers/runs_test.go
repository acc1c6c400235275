package handlers

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/policy"
)

var (
	start  = time.Unix(1000, 0)
	errBad = errors.New("the disk is busy")
)

// rig is a set of runs for three observed objects, a to c.
type rig struct {
	*testing.T
	g       *graph.Graph
	r       Runs
	now     time.Time
	out     effect.List
	a, b, c graph.NodeID
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, g: graph.New(graph.Config{}), r: New([]string{"x", "y"}, 1), now: start}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "c"}}}}
	for _, name := range []string{"a", "b", "c"} {
		o, err := graph.ParseObject(name + "#1~[x,y]")
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, graph.Event{Type: graph.Put, Object: o})
	}
	var ids []graph.NodeID
	for _, e := range events {
		d, err := r.g.Apply(e)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.Node)
	}
	r.a, r.b, r.c = ids[1], ids[2], ids[3]
	t.Cleanup(func() {
		if err := r.r.Check(r.g); err != nil {
			t.Error(err)
		}
	})
	return r
}

// decide returns the decision about an object that only finalizers hold.
func (r *rig) decide(id graph.NodeID, finalizers ...string) policy.Decision {
	d := policy.Decision{Action: policy.Wait, Reason: policy.NeedFinalizers}
	before := r.r.Clone()
	d = r.r.Judge(id, finalizers, d, policy.ReasonUnset, r.now)
	if before.waiting != r.r.waiting || !maps.Equal(before.states, r.r.states) {
		r.Errorf("the judgement of node %d has changed something", id)
	}
	r.r.Commit(id, finalizers, r.now, &r.out)
	return d
}

// start begins the next run, which has to be this one.
func (r *rig) start(id graph.NodeID, name string, call uint64) {
	r.Helper()
	run, ok := r.r.Next()
	if !ok || run != (Run{id, name}) {
		r.Fatalf("the next run is %v (%v), want %s for node %d", run, ok, name, id)
	}
	r.r.Start(run, call, r.now)
}

func (r *rig) done(id graph.NodeID, name string, call uint64, err error) {
	r.r.Done(Outcome{Run: Run{id, name}, Call: call, Err: err}, r.now, &r.out)
}

// TestRuns: a finalizer is released when its handler has succeeded.
func TestRuns(t *testing.T) {
	r := newRig(t)
	if d := r.decide(r.a, "other"); d.Reason != policy.NeedFinalizers || r.r.Queued() != 0 {
		t.Errorf("reason %v, %d runs, want none for a finalizer without a handler", d.Reason, r.r.Queued())
	}
	for range 2 { // a second decision queues nothing more
		if d := r.decide(r.a, "x"); d.Reason != policy.HandlerRuns || r.r.Queued() != 1 || !slices.Equal(r.r.QueuedNodes(), []graph.NodeID{r.a}) {
			t.Errorf("reason %v, runs of %v, want %v and one run", d.Reason, r.r.QueuedNodes(), policy.HandlerRuns)
		}
	}
	r.start(r.a, "x", 1)
	if got := r.r.Running(); len(got) != 1 || got[0].Run != (Run{r.a, "x"}) || !got[0].Since.Equal(r.now) {
		t.Errorf("running %v, want x for a", got)
	}
	if d := r.decide(r.a, "x"); d.Action == policy.Release || d.Reason != policy.HandlerRuns {
		t.Errorf("decision %v during the run, want to wait for it", d.Action)
	}
	r.done(r.a, "x", 1, nil)
	if d := r.decide(r.a, "x"); d.Action != policy.Release || d.Finalizer != "x" {
		t.Errorf("decision %v of %q, want the release of x", d.Action, d.Finalizer)
	}
	if got := r.out.Items(); len(got) != 1 || got[0].Type != effect.Look || got[0].Node != r.a {
		t.Errorf("effects %v, want a decision about a", got)
	}
}

// TestRunsAreBounded: the bound is of one name, so a handler that hangs delays no other
// handler.
func TestRunsAreBounded(t *testing.T) {
	r := newRig(t)
	r.decide(r.a, "x")
	r.decide(r.b, "x")
	r.decide(r.c, "y")
	r.start(r.a, "x", 1)
	r.start(r.c, "y", 2)
	if run, ok := r.r.Next(); ok {
		t.Errorf("%v runs beyond the bound", run)
	}
	r.done(r.a, "x", 1, nil)
	r.start(r.b, "x", 3)
	r.r.Return(Run{r.b, "x"}, 3) // no worker has begun it
	r.start(r.b, "x", 4)
}

// TestFailedRun: a failed handler runs again after a delay that doubles, and the report has
// the first failure and the last error.
func TestFailedRun(t *testing.T) {
	r := newRig(t)
	for i, delay := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		r.decide(r.a, "x")
		r.start(r.a, "x", uint64(i+1))
		r.done(r.a, "x", uint64(i+1), errBad)
		r.now = r.now.Add(delay - 1)
		if d := r.decide(r.a, "x"); d.Reason != policy.HandlerFailed {
			t.Errorf("reason %v before the delay is over, want %v", d.Reason, policy.HandlerFailed)
		}
		if all := r.out.Items(); all[len(all)-1].Type != effect.LookAt || !all[len(all)-1].At.Equal(r.now.Add(1)) {
			t.Errorf("effects %v, want a decision when the delay is over", all)
		}
		r.now = r.now.Add(1)
	}
	if got := r.r.Names(r.a, []string{"x", "other"}); !slices.Equal(got, []string{"x: " + errBad.Error(), "other"}) {
		t.Errorf("the names are %q", got)
	}
	if at := r.r.FailingSince(r.a); !at.Equal(start) || r.r.Error(r.a) != errBad.Error() || r.r.Failed() != 3 {
		t.Errorf("failing since %v with %q, %d times; want %v, %q and 3", at, r.r.Error(r.a), r.r.Failed(), start, errBad)
	}
	r.decide(r.a, "x")
	r.start(r.a, "x", 9)
	r.done(r.a, "x", 9, nil)
	if at := r.r.FailingSince(r.a); !at.IsZero() || r.r.Error(r.a) != "" {
		t.Errorf("failing since %v with %q after a success", at, r.r.Error(r.a))
	}
}

// TestResultCountsForNothing: a result counts only for the deletion that its run was for.
func TestResultCountsForNothing(t *testing.T) {
	for _, c := range []struct {
		reason string
		after  func(r *rig)
	}{
		{"the object has gone", func(r *rig) { r.r.Drop(r.a); r.done(r.a, "x", 1, nil) }},
		{"the run is of a former history", func(r *rig) {
			r.r.Rewind()
			r.r.Done(Outcome{Run: Run{r.a, "x"}, Call: 1, Former: true}, r.now, &r.out)
		}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t)
			r.decide(r.a, "x")
			r.start(r.a, "x", 1)
			c.after(r)
			if d := r.decide(r.a, "x"); d.Reason != policy.HandlerRuns {
				t.Errorf("reason %v, want another run", d.Reason)
			}
		})
	}
}

// TestRunIsBlocked: no handler runs for an object that no write may go out to.
func TestRunIsBlocked(t *testing.T) {
	r := newRig(t)
	d := r.r.Judge(r.a, []string{"x"}, policy.Decision{Reason: policy.NeedFinalizers}, policy.NeedListing, r.now)
	if d.Reason != policy.NeedListing || r.r.Queued() != 0 {
		t.Errorf("reason %v, %d runs, want %v and none", d.Reason, r.r.Queued(), policy.NeedListing)
	}
	r.decide(r.b, "x")
	run, _ := r.r.Next()
	r.r.Cancel(run)
	r.decide(r.b, "x")
	r.start(r.b, "x", 1)
}

// TestQueuesAreBounded: the queue of a name forgets freed nodes.
func TestQueuesAreBounded(t *testing.T) {
	r := newRig(t)
	for range 1000 {
		r.decide(r.a, "x")
		r.r.Drop(r.a)
	}
	if n := len(r.r.queues["x"]); n > maxFreed+1 {
		t.Errorf("%d entries for no run, want at most %d", n, maxFreed+1)
	}
}

// TestClone: a copy shares no run, queue or count.
func TestClone(t *testing.T) {
	r := newRig(t)
	r.decide(r.a, "x")
	c := r.r.Clone()
	r.start(r.a, "x", 1)
	if _, ok := c.Next(); !ok || len(c.Running()) > 0 {
		t.Error("the run of the original has changed the copy")
	}
	if !c.HandlesAny([]string{"other", "y"}) || c.HandlesAny([]string{"other"}) || strings.Join(c.names, "") != "xy" {
		t.Error("the copy has other handlers")
	}
}

// TestFinal: a run whose failure is final is not repeated, and its object stays held by the
// failure.
func TestFinal(t *testing.T) {
	r := newRig(t)
	r.decide(r.a, "x")
	run, ok := r.r.Next()
	if !ok {
		t.Fatal("no run is due")
	}
	r.r.Start(run, 1, r.now)
	r.r.Done(Outcome{Run: run, Call: 1, Err: errBad, Final: true}, r.now, &r.out)
	r.now = r.now.Add(365 * 24 * time.Hour)
	if d := r.decide(r.a, "x"); d.Reason != policy.HandlerFailed {
		t.Errorf("%s after a year, want that the handler failed", d.Reason)
	}
	if run, ok := r.r.Next(); ok {
		t.Errorf("%v runs again", run)
	}
}
