// Package unfinished keeps the objects with which the engine has begun and which it has not
// finished, each with the time of the beginning. The oldest of them shows a stall of any
// cause.
//
// The engine begins with an object when a decision asks for more than to keep it. The object
// is finished when a decision keeps it, or when it is gone. Another try is no beginning. So
// the time goes on through calls that are repeated, through errors, and through the wait for
// the event of a write.
//
// Three waits are no work of the engine, and their objects are not here:
//
//   - A held object. When a stuck one is tried again, its time goes on from its beginning. A
//     blocked or waiting one begins anew, because the engine could do nothing for it.
//   - An object that waits for its turn at a handler, at its sweep or at the brake.
//   - An object that waits for its first decision. These share one time, that of the last step
//     that took one of them (see Progress), because a long queue that moves is no stall.
//
// The table decides nothing, so it is no part of the engine's fingerprint.
package unfinished

import (
	"iter"
	"maps"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/dense"
	"github.com/ownergraph/ownergraph/policy"
)

// Table has the unfinished objects. Make one with New. It is not safe for concurrent use.
// Mostly the object that comes is the newest one, so a list has these in the order of their
// beginnings, and a step for one costs the same for any number. An object that was stuck comes
// back with an older time. A heap has these. An object takes about 40 bytes.
//
// Its invariants, which Check verifies:
//
//  1. the list and the heap are ordered by time
//  2. the index finds each object of both, and no other one
//
// Package recount compares the objects with the machines that have work for them.
type Table struct {
	Progress Progress
	list     list
	heap     dense.List[entry]
	places   dense.Index // by node: see inList
	stuck    map[graph.NodeID]time.Time
}

type entry struct {
	since time.Time
	node  graph.NodeID
}

// before orders the entries by time, then by node.
func (x *entry) before(y *entry) bool {
	return x.since.Before(y.since) || !y.since.Before(x.since) && x.node < y.node
}

// New returns an empty table.
func New() Table {
	return Table{list: list{head: dense.None, tail: dense.None}, stuck: map[graph.NodeID]time.Time{}}
}

// Rests reports whether a decision leaves no work for an object: it is kept, or waits for its
// turn. A handler at work for a marked object is work, also if the object is kept otherwise.
func Rests(d policy.Decision, handled bool) bool {
	if WaitsForTurn(d.Reason) {
		return !handled
	}
	return d.Action == policy.Keep && d.Reason != policy.NeedAnswer // its handler waits for the answer
}

// WaitsForTurn reports whether an object waits for its turn at a handler, at its sweep or at
// the brake.
func WaitsForTurn(why policy.Reason) bool {
	return why == policy.NeedSweep || why == policy.BrakeWindow || why == policy.HandlerRuns
}

// Begin notes that the engine has work for an object. One that is unfinished keeps its time,
// and so does one that was stuck.
func (t *Table) Begin(id graph.NodeID, now time.Time) {
	if t.Has(id) {
		return
	}
	if since, ok := t.stuck[id]; ok {
		delete(t.stuck, id)
		now = since
	}
	if t.list.takes(now) {
		t.placeInList(t.list.push(entry{now, id}))
		return
	}
	t.heap.Push(entry{now, id})
	t.rise(int32(t.heap.Len() - 1))
}

// Note takes a decision that does not hold an object: it leaves work, or none.
func (t *Table) Note(id graph.NodeID, rests bool, now time.Time) {
	if rests {
		t.End(id)
	} else {
		t.Begin(id, now)
	}
}

// Return takes the end of a run that no worker has begun. For this reason of the last decision,
// the object may wait for its turn again.
func (t *Table) Return(id graph.NodeID, why policy.Reason, handled bool) {
	if WaitsForTurn(why) && !handled {
		t.End(id)
	}
}

// Hold notes that an object is held. Of a stuck one it keeps the time of the beginning.
func (t *Table) Hold(id graph.NodeID, stuck bool, now time.Time) {
	i := t.places.At(uint32(id))
	_, known := t.stuck[id]
	switch {
	case !stuck:
		t.End(id)
		return
	case i != dense.None:
		t.stuck[id] = t.at(i).since
		t.remove(i)
	case !known:
		t.stuck[id] = now
	}
}

// Release forgets since when an object was stuck: it is held no longer, and not tried again.
func (t *Table) Release(id graph.NodeID) {
	if len(t.stuck) > 0 {
		delete(t.stuck, id)
	}
}

// End notes that an object is finished, or gone.
func (t *Table) End(id graph.NodeID) {
	t.Release(id)
	if i := t.places.At(uint32(id)); i != dense.None {
		t.remove(i)
	}
}

// Has reports whether an object is unfinished and not held.
func (t *Table) Has(id graph.NodeID) bool { return t.places.At(uint32(id)) != dense.None }

// IsStuck reports whether the time of an object is kept that is held as stuck.
func (t *Table) IsStuck(id graph.NodeID) bool {
	_, ok := t.stuck[id]
	return ok
}

// Stuck returns the number of these objects.
func (t *Table) Stuck() int { return len(t.stuck) }

// Len returns the number of unfinished objects.
func (t *Table) Len() int { return t.list.slots.Len() + t.heap.Len() }

// Nodes yields the unfinished objects, in no fixed order.
func (t *Table) Nodes() iter.Seq[graph.NodeID] {
	return func(yield func(graph.NodeID) bool) {
		for i := range int32(t.list.slots.Len()) {
			if !yield(t.list.slots.At(i).node) {
				return
			}
		}
		for i := range int32(t.heap.Len()) {
			if !yield(t.heap.At(i).node) {
				return
			}
		}
	}
}

// Oldest returns the object that is unfinished longest, and since when. Without one it
// reports false.
func (t *Table) Oldest() (id graph.NodeID, since time.Time, ok bool) {
	var first *entry
	if t.list.head != dense.None {
		first = &t.list.slots.At(t.list.head).entry
	}
	if t.heap.Len() > 0 && (first == nil || t.heap.At(0).before(first)) {
		first = t.heap.At(0)
	}
	if first == nil {
		return 0, time.Time{}, false
	}
	return first.node, first.since, true
}

// Clone returns a table that shares nothing with t.
func (t *Table) Clone() Table {
	c := *t
	c.list.slots, c.heap, c.places, c.stuck = t.list.slots.Clone(), t.heap.Clone(), t.places.Clone(), maps.Clone(t.stuck)
	return c
}
