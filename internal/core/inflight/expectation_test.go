package inflight

import (
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// wait is the time that the watch has for an event.
const wait = time.Minute

// TestExpectationSize: an expectation takes at most 64 bytes. A lagging watch leaves one for
// each write.
func TestExpectationSize(t *testing.T) {
	if n := unsafe.Sizeof(Expectation{}); n > 64 {
		t.Errorf("an expectation takes %d bytes, want 64 at most", n)
	}
}

// TestExpectations: the index finds each entry after every order of additions and removals.
func TestExpectations(t *testing.T) {
	r := newRig(t)
	var x Expectations
	const n = 100
	for id := range graph.NodeID(n) {
		x.Put(id+1, Expectation{Wrote: uint32(id), OnTimeout: TimeoutDecide})
	}
	x.Put(7, Expectation{Wrote: 77, Blocked: true})
	x.Put(8, Expectation{OnTimeout: TimeoutHeld})
	c := x.Clone()
	for id := graph.NodeID(1); id <= n; id += 2 {
		x.Drop(id)
		x.Drop(id) // changes nothing
	}
	ids := x.Nodes()
	if len(ids) != n/2 || x.Len() != n/2 || !slices.IsSorted(ids) || x.Has(7) || !x.Has(10) {
		t.Errorf("%d entries, for nodes %v, want one for each even node", x.Len(), ids)
	}
	for _, id := range ids[4:] {
		if got, ok := x.End(id); !ok || got.Wrote != uint32(id-1) {
			t.Errorf("node %d has the entry %v (%v)", id, got, ok)
		}
	}
	if !x.IsBlocked(8) || x.IsBlocked(2) || x.IsBlocked(200) || !c.IsBlocked(7) || c.Len() != n {
		t.Error("other nodes than 7 and 8 are blocked, or the copy has changed")
	}
	if got := slices.Sorted(x.Unblocked()); !slices.Equal(got, []graph.NodeID{2, 4, 6}) || !x.HasUnblocked() {
		t.Errorf("the nodes %v are not blocked, want 2, 4 and 6", got)
	}
	if err := x.Check(r.v.Graph); err == nil {
		t.Error("no error for entries of nodes that are not in the graph")
	}
	for _, id := range x.Nodes() {
		x.Drop(id)
	}
	x.Put(r.id, Expectation{})
	if err := x.Check(r.v.Graph); err != nil {
		t.Error(err)
	}
}

// table returns the kinds of the rig, with a listing of kind a that began after the stamps
// so far, if one is wanted.
func (r *rig) table(stamps *seq.Counter, listed bool) *kinds.Table {
	k := kinds.New(nil)
	k.SetKinds([]graph.KindInfo{{Kind: "a"}}, r.v.Graph, stamps)
	if listed {
		for _, t := range []graph.EventType{graph.ListBegun, graph.ListEnded} {
			k.Apply(&graph.Event{Type: t, Kind: "a"}, stamps, nil)
		}
		k.SetListed("a")
	}
	return &k
}

// TestDeadline: an object waits for its event until the deadline, and then for a listing if
// a read has contradicted the watch.
func TestDeadline(t *testing.T) {
	for _, c := range []struct {
		reason    string
		onTimeout OnTimeout
		late      bool
		pending   bool
		effects   string
	}{
		{"the event may come", TimeoutRead, false, true, "[look at]"},
		{"the event has not come", TimeoutRead, true, false, ""},
		{"the kind is to be listed", TimeoutList, true, true, "[relist look at]"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t)
			var x Expectations
			var stamps seq.Counter
			k := r.table(&stamps, false)
			x.Put(r.id, Expectation{Version: "1", Deadline: start.Add(wait), OnTimeout: c.onTimeout, Wrote: 7})
			if c.late {
				r.now = start.Add(wait)
			}
			if got := x.IsPending(r.id, "a", r.now, k); got != c.pending {
				t.Fatalf("pending %v, want %v", got, c.pending)
			}
			if !c.pending {
				if got, ok := x.End(r.id); !ok || got.Wrote != 7 || x.Has(r.id) {
					t.Errorf("the expectation ends with %v (%v)", got, ok)
				}
				return
			}
			x.Postpone(r.id, "a", r.now, wait, k, &stamps, &r.out)
			if got := types(&r.out); got != c.effects {
				t.Errorf("effects %s, want %s", got, c.effects)
			}
			all := r.out.Items()
			if at := all[len(all)-1].At; !at.Equal(start.Add(wait)) && !at.Equal(r.now.Add(wait)) || !at.After(r.now) {
				t.Errorf("decided again at %v, want at the deadline", at)
			}
		})
	}
}

// TestDeadlineOfListing: a listing counts only if it began after the request.
func TestDeadlineOfListing(t *testing.T) {
	r := newRig(t)
	var x Expectations
	var stamps seq.Counter
	x.Put(r.id, Expectation{Deadline: start, OnTimeout: TimeoutList})
	k := r.table(&stamps, true)
	if !x.IsPending(r.id, "a", r.now, k) {
		t.Error("a listing from before the request ends the wait")
	}
	x.Postpone(r.id, "a", r.now, wait, k, &stamps, &r.out)
	r.now = start.Add(wait)
	if x.IsPending(r.id, "a", r.now, r.table(&stamps, true)) {
		t.Error("a listing from after the request does not end the wait")
	}
}

// TestMeet: another version ends an expectation, and so does the end of the object.
func TestMeet(t *testing.T) {
	for _, c := range []struct {
		reason string
		event  graph.Event
		met    bool
	}{
		{"the same version", event(t, "a#1 -> b"), false},
		{"another version", event(t, "a#2 -> b"), true},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t)
			var x Expectations
			if _, met := x.Meet(r.v.Node(r.id)); met {
				t.Error("an empty table has met an expectation")
			}
			x.Put(r.id, Expectation{Version: "1", Wrote: 7})
			if _, err := r.v.Graph.Apply(c.event); err != nil {
				t.Fatal(err)
			}
			if wrote, met := x.Meet(r.v.Node(r.id)); met != c.met || met != (wrote == 7) || x.Has(r.id) == c.met {
				t.Errorf("met %v with digest %d, want %v", met, wrote, c.met)
			}
		})
	}
}

// TestRetry: a kind that recovers ends the waits that its sickness has caused.
func TestRetry(t *testing.T) {
	r := newRig(t)
	var x Expectations
	x.Put(r.id, Expectation{Deadline: start.Add(wait), OnTimeout: TimeoutDecide, Blocked: true})
	retry := func(kind graph.Kind) (ids []graph.NodeID) {
		if x.Retry(kind); !x.Retries() {
			t.Errorf("nothing is tried again when kind %s has recovered", kind)
		}
		ids = x.StepRetry(r.v.Graph, r.now, 9)
		if x.Retries() {
			t.Errorf("the walk for kind %s goes on", kind)
		}
		return ids
	}
	if got := retry("b"); len(got) > 0 {
		t.Errorf("nodes %v of another kind", got)
	}
	for i, want := range [][]graph.NodeID{{r.id}, nil} {
		if got := retry("a"); !slices.Equal(got, want) || x.IsBlocked(r.id) {
			t.Errorf("try %d has nodes %v, want %v", i, got, want)
		}
	}
	var stamps seq.Counter
	if x.IsPending(r.id, "a", r.now, r.table(&stamps, false)) {
		t.Error("the node waits on")
	}
}

// TestRetrySteps: the waits for a kind end in bounded steps, each once, while entries come and go and
// another kind recovers.
func TestRetrySteps(t *testing.T) {
	r := newRig(t)
	const n, limit = 100, 7
	ids := map[string]graph.NodeID{}
	var x Expectations
	blocked := Expectation{Deadline: start.Add(wait), OnTimeout: TimeoutDecide, Blocked: true}
	for i := range n {
		for _, kind := range []string{"a", "b"} {
			name := fmt.Sprintf("%s/%d", kind, i)
			o, err := graph.ParseObject(name)
			if err != nil {
				t.Fatal(err)
			}
			o.Version = "1"
			d, err := r.v.Graph.Apply(graph.Event{Type: graph.Put, Object: o})
			if err != nil {
				t.Fatal(err)
			}
			ids[name] = d.Node
			x.Put(d.Node, blocked)
		}
	}
	x.Retry("a")
	again, steps := map[graph.NodeID]int{}, 0
	for ; x.Retries(); steps++ {
		for _, id := range x.StepRetry(r.v.Graph, r.now, limit) {
			again[id]++
		}
		switch steps {
		case 2: // the walk for the other kind follows
			x.Retry("b")
		case 3: // the last entries take the places of the first ones
			for i := range 10 {
				x.Drop(ids[fmt.Sprint("a/", i)])
			}
			c := x.Clone()
			if c.StepRetry(r.v.Graph, r.now, n); !x.Retries() {
				t.Error("the walk of a copy is that of the original")
			}
		}
	}
	for name, id := range ids {
		if want := x.Has(id); (again[id] == 1) != want || again[id] > 1 || x.IsBlocked(id) {
			t.Errorf("%s is tried again %d times, it waits: %t", name, again[id], want)
		}
	}
	if least := 2 * n / limit; steps < least {
		t.Errorf("%d steps, want %d or more", steps, least)
	}
}

// TestAwaitWatch: a node awaits the watch until its deadline. Another decision in between
// does not move the deadline.
func TestAwaitWatch(t *testing.T) {
	r := newRig(t)
	var x Expectations
	for _, c := range []struct {
		after, want time.Duration
		late        bool
	}{{0, wait, false}, {wait / 2, wait, false}, {wait, 2 * wait, true}} {
		at, late := x.AwaitWatch(r.id, start.Add(c.after), wait)
		if !at.Equal(start.Add(c.want)) || late != c.late {
			t.Errorf("after %v the deadline is %v (late %v), want %v (%v)", c.after, at.Sub(start), late, c.want, c.late)
		}
	}
	x.Put(r.id, Expectation{})
	if x.WatchLen() != 1 || !slices.Equal(x.AwaitingWatch(), []graph.NodeID{r.id}) {
		t.Error("the node does not await the watch")
	}
	c := x.Clone()
	if expecting, awaiting := x.Rewind(); len(expecting) != 1 || len(awaiting) != 1 || x.Len()+x.WatchLen() > 0 || c.WatchLen() != 1 {
		t.Errorf("a rewind returns the nodes %v and %v, and leaves %d", expecting, awaiting, x.Len()+x.WatchLen())
	}
	if c.EndWatch(r.id); c.WatchLen() > 0 {
		t.Error("the node awaits the watch after its event")
	}
}

func event(t *testing.T, object string) graph.Event {
	t.Helper()
	o, err := graph.ParseObject(object)
	if err != nil {
		t.Fatal(err)
	}
	return graph.Event{Type: graph.Put, Object: o}
}

func types(l *effect.List) string {
	out := "["
	for i, x := range l.Items() {
		if i > 0 {
			out += " "
		}
		out += x.Type.String()
	}
	return out + "]"
}
