package unfinished

import (
	"flag"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/dense"
	"github.com/ownergraph/ownergraph/internal/core/fanout"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/queue"
)

var seed = flag.Uint64("unfinished.seed", 1, "of random numbers")

var start = time.Unix(1000, 0)

func at(minutes int) time.Time { return start.Add(time.Duration(minutes) * time.Minute) }

// TestTable: the time of an object is that of its beginning, until it is finished, gone, or
// held for something that the engine cannot help.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(x *Table)
		want   time.Time // zero for an object that is not unfinished
	}{
		{"another try", func(x *Table) { x.Begin(1, at(5)) }, at(0)},
		{"a decision that leaves work", func(x *Table) { x.Note(1, false, at(5)) }, at(0)},
		{"a decision that keeps it", func(x *Table) { x.Note(1, true, at(5)) }, time.Time{}},
		{"it is gone", func(x *Table) { x.End(1) }, time.Time{}},
		{"the end of another one", func(x *Table) { x.End(2) }, at(0)},
		{"finished, and begun again", func(x *Table) { x.End(1); x.Begin(1, at(5)) }, at(5)},
		{"held as stuck", func(x *Table) { x.Hold(1, true, at(5)) }, time.Time{}},
		{"held as stuck, and tried again", func(x *Table) { x.Hold(1, true, at(5)); x.Begin(1, at(6)) }, at(0)},
		{"stuck twice", func(x *Table) { x.Hold(1, true, at(5)); x.Hold(1, true, at(6)); x.Begin(1, at(7)) }, at(0)},
		{"tried again and again", func(x *Table) {
			for i := range 9 {
				x.Hold(1, true, at(2*i))
				x.Begin(1, at(2*i+1))
			}
		}, at(0)},
		{"stuck, and then held no longer", func(x *Table) { x.Hold(1, true, at(5)); x.Release(1); x.Begin(1, at(6)) }, at(6)},
		{"stuck and gone", func(x *Table) { x.Hold(1, true, at(5)); x.End(1); x.Begin(1, at(6)) }, at(6)},
		{"held for a finalizer, and then free", func(x *Table) { x.Hold(1, false, at(5)); x.Begin(1, at(60)) }, at(60)},
		{"stuck, then held for a finalizer", func(x *Table) { x.Hold(1, true, at(5)); x.Hold(1, false, at(6)); x.Begin(1, at(60)) }, at(60)},
		{"stuck before it began", func(x *Table) { x.End(1); x.Hold(1, true, at(5)); x.Begin(1, at(6)) }, at(5)},
	} {
		x := New()
		x.Begin(1, at(0))
		c.change(&x)
		id, since, ok := x.Oldest()
		if ok == c.want.IsZero() || ok && (id != 1 || !since.Equal(c.want)) {
			t.Errorf("%s: node %d since %v, %v; want %v", c.reason, id, since.Sub(start), ok, c.want.Sub(start))
		}
		if err := x.Check(); err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

// TestModel compares a table with a map, through random steps.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 1))
	x, now := New(), start
	open, stuck := map[graph.NodeID]time.Time{}, map[graph.NodeID]time.Time{}
	for step := range 30_000 {
		now = now.Add(time.Duration(r.IntN(2)) * time.Second) // many begin at one time
		id := graph.NodeID(1 + r.IntN(300))
		since, held := stuck[id]
		switch n := r.IntN(100); {
		case n < 55 && step/3000%2 == 0 || n < 20:
			x.Begin(id, now)
			if held {
				open[id] = since
			} else if _, ok := open[id]; !ok {
				open[id] = now
			}
			delete(stuck, id)
		case n < 80:
			x.End(id)
			delete(open, id)
			delete(stuck, id)
		case n < 90:
			x.Hold(id, true, now)
			if begun, ok := open[id]; ok {
				stuck[id] = begun
			} else if !held {
				stuck[id] = now
			}
			delete(open, id)
		case n < 95:
			x.Release(id)
			delete(stuck, id)
		default:
			x = x.Clone()
		}
		compare(t, &x, open, stuck)
	}
}

func compare(t *testing.T, x *Table, open, stuck map[graph.NodeID]time.Time) {
	t.Helper()
	var oldest time.Time
	for _, since := range open {
		if oldest.IsZero() || since.Before(oldest) {
			oldest = since
		}
	}
	got := map[graph.NodeID]bool{}
	for id := range x.Nodes() {
		got[id] = x.Has(id)
	}
	for id := range open {
		if !got[id] {
			t.Fatalf("seed %d: node %d is not unfinished", *seed, id)
		}
	}
	id, since, ok := x.Oldest()
	if !since.Equal(oldest) || !open[id].Equal(oldest) || ok != (len(open) > 0) || len(got) != len(open) || x.Len() != len(open) {
		t.Fatalf("seed %d: node %d since %v of %d, want since %v of %d", *seed, id, since, x.Len(), oldest, len(open))
	}
	if !maps.Equal(x.stuck, stuck) || x.Stuck() != len(stuck) {
		t.Fatalf("seed %d: stuck %v, want %v", *seed, x.stuck, stuck)
	}
	if err := x.Check(); err != nil {
		t.Fatalf("seed %d: %v", *seed, err)
	}
}

// TestCheck: Check names each broken invariant.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		reason, want string
		damage       func(x *Table)
	}{
		{"two of the heap are exchanged", "above it", func(x *Table) {
			a, b := *x.heap.At(0), *x.heap.At(1)
			x.put(0, b)
			x.put(1, a)
		}},
		{"one of the list is older than the one before it", "before it", func(x *Table) { x.list.slots.At(2).since = at(0) }},
		{"one of the list is lost", "the list", func(x *Table) { x.list.head = x.list.slots.At(x.list.head).next }},
		{"an object has no place", "have a place", func(x *Table) { x.places.Set(2, dense.None) }},
		{"an object of the list has the place of another one", "not found", func(x *Table) { x.places.Set(2, 0|inList) }},
		{"an object of the heap has the place of another one", "not found", func(x *Table) { x.places.Set(11, 2) }},
	} {
		x := New()
		for i := range 3 {
			x.Begin(graph.NodeID(i+1), at(10+i))
		}
		for i := range 3 { // older ones come later
			x.Begin(graph.NodeID(11+i), at(i))
		}
		c.damage(&x)
		if err := x.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}

// TestRests: an object that waits for its turn has no work, unless its handler runs.
func TestRests(t *testing.T) {
	for _, c := range []struct {
		d       policy.Decision
		handled bool
		want    bool
		reason  string
	}{
		{policy.Decision{Action: policy.Keep, Reason: policy.OwnerSolid}, false, true, "it is kept"},
		{policy.Decision{Action: policy.Keep, Reason: policy.HandlerRuns}, false, true, "a handler has still to begin"},
		{policy.Decision{Action: policy.Keep, Reason: policy.HandlerRuns}, true, false, "its owner is solid, and its handler runs"},
		{policy.Decision{Action: policy.Keep, Reason: policy.NeedAnswer}, false, false, "its handler waits for the store to answer"},
		{policy.Decision{Action: policy.Wait, Reason: policy.HandlerRuns}, true, false, "its handler runs"},
		{policy.Decision{Action: policy.Wait, Reason: policy.NeedSweep}, false, true, "its sweep comes to it"},
		{policy.Decision{Action: policy.Wait, Reason: policy.BrakeWindow}, false, true, "the brake paces it"},
		{policy.Decision{Action: policy.Wait, Reason: policy.NeedFence}, false, false, "a fence has to pass"},
		{policy.Decision{Action: policy.Verify, Reason: policy.NeedOwner}, false, false, "a read is wanted"},
		{policy.Decision{Action: policy.Delete, Reason: policy.OwnersGone}, false, false, "a write goes out"},
	} {
		if got := Rests(c.d, c.handled); got != c.want {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}

// TestProgress: objects that wait for a decision have the time of the last step that took one.
func TestProgress(t *testing.T) {
	var p Progress
	var f fanout.Machine
	q := queue.New(queue.Config[graph.NodeID]{})
	waits := func(want graph.NodeID, since int, reason string) {
		t.Helper()
		id, moved, ok := p.Waiting(q, &f)
		if ok != (want != 0) || id != want || ok && !moved.Equal(at(since)) {
			t.Errorf("%s: node %d since %v, %v; want node %d since minute %d", reason, id, moved.Sub(start), ok, want, since)
		}
	}
	p.Tick(q, &f, at(1))
	waits(0, 0, "nothing waits")
	q.Add(7, queue.Normal)
	q.Add(8, queue.Normal)
	p.Tick(q, &f, at(5))
	waits(7, 1, "none was taken since the queue was empty")
	if id, ok := q.Next(at(6)); !ok || id != 7 {
		t.Fatal(id)
	}
	p.Move(at(6))
	p.Tick(q, &f, at(9))
	waits(8, 6, "one was taken")
	q.Drop(8)
	waits(0, 0, "the queue is empty")
	f.Wake(3)
	waits(3, 6, "a woken one is not in the queue yet")
	q.Done(7)
	q.AddAt(7, queue.Normal, at(60))
	q.Add(9, queue.Normal)
	waits(9, 6, "a queued one comes first, and one that is put off does not count")
}
