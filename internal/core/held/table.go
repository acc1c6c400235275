// Package held keeps the held objects for the reports. A held object stays although its
// owners or its deletion mark ask for something else. The table has the reason of each
// held object, the time since which it is held, and the last error.
//
// The engine puts an object into the table after a decision that holds it, and drops the
// object after another decision. The table decides nothing, so it is no part of the
// engine's fingerprint.
package held

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/unfinished"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Table has the held objects. Make one with New. A Table is not safe for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. entries and failures are kept only for nodes in use
//  2. an object is either held or tried again, not both
//  3. the counts are the numbers of the held objects by their reason
//  4. the beginning is kept of exactly the objects that are held as stuck
type Table struct {
	Open unfinished.Table // the objects that are neither held nor finished

	held    map[graph.NodeID]Entry
	retried map[graph.NodeID]Entry // held before a try whose outcome is not known yet
	failing map[graph.NodeID]failure
	counts  []int // by reason, up to the highest reason so far
}

// Entry describes one held object. It is a value.
type Entry struct {
	Reason policy.Reason
	Doubt  graph.Doubt
	Since  time.Time
	Error  string // the last error, "" for none
}

// New returns an empty table.
func New() Table {
	return Table{Open: unfinished.New(), held: map[graph.NodeID]Entry{}, retried: map[graph.NodeID]Entry{}, failing: map[graph.NodeID]failure{}}
}

// Has reports whether the object is held.
func (t *Table) Has(id graph.NodeID) bool {
	_, ok := t.held[id]
	return ok
}

// Get returns the entry of an object, the zero Entry for one that is not held.
func (t *Table) Get(id graph.NodeID) Entry { return t.held[id] }

// StatusAt returns the status of an object: Blocked, Pending, Stuck, or Unset for one that is not in the
// table.
//
//test:by TestStatusAt
func (t *Table) StatusAt(id graph.NodeID) Status { return StatusOf(t.held[id].Reason) }

// Len returns the number of held objects.
func (t *Table) Len() int { return len(t.held) }

// Put notes that an object is held, since this time. An object that was held before for
// the same reason, also before the last try, keeps its time and its error.
func (t *Table) Put(id graph.NodeID, why policy.Reason, doubt graph.Doubt, since time.Time) {
	x, ok := t.held[id]
	if !ok {
		x, ok = t.retried[id]
	}
	if !ok || x.Reason != why || x.Doubt != doubt {
		x = Entry{Reason: why, Doubt: doubt, Since: since}
	}
	if was, ok := t.held[id]; ok {
		t.counts[was.Reason]--
	}
	t.held[id] = x
	if more := int(x.Reason) + 1 - len(t.counts); more > 0 {
		t.counts = append(t.counts, make([]int, more)...)
	}
	t.counts[x.Reason]++
	delete(t.retried, id)
	t.Open.Hold(id, StatusOf(why) == Stuck, since)
}

// Begin notes that there is work for an object, unless it is held.
func (t *Table) Begin(id graph.NodeID, now time.Time) {
	if !t.Has(id) {
		t.Open.Begin(id, now)
	}
}

// Observe notes a new version of an object. A call may be under way from before its end, if the
// object has come back. That call is work for it.
func (t *Table) Observe(id graph.NodeID, call bool, now time.Time) {
	if call {
		t.Begin(id, now)
	}
}

// Drop notes that an object is not held. If a call for it is tried again, the table keeps
// the entry apart until the outcome is known. Open.Note goes before, so that the time of a stuck
// object goes on through its next try.
func (t *Table) Drop(id graph.NodeID, retry bool) {
	if len(t.held)+len(t.retried)+len(t.failing) == 0 { // mostly
		return
	}
	x, ok := t.held[id]
	switch {
	case ok && retry:
		t.retried[id] = x
	case !retry:
		delete(t.retried, id)
		delete(t.failing, id)
	}
	if ok {
		t.counts[x.Reason]--
		delete(t.held, id)
		t.Open.Release(id)
	}
}

// SetError keeps the error of a call for a held object. Without an error nothing changes.
func (t *Table) SetError(id graph.NodeID, err error) {
	if x, ok := t.held[id]; ok && err != nil {
		x.Error = record.ErrorText(err)
		t.held[id] = x
	}
}

// SetSince sets an earlier time since which an object is held.
func (t *Table) SetSince(id graph.NodeID, since time.Time) {
	if x := t.held[id]; since.Before(x.Since) {
		x.Since = since
		t.held[id] = x
	}
}

// Check verifies the invariants of Table.
func (t *Table) Check(g *graph.Graph) error {
	counts, stuck := make([]int, len(t.counts)), 0
	for id, x := range t.held {
		counts[x.Reason]++
		if StatusOf(x.Reason) == Stuck {
			stuck++
			if !t.Open.IsStuck(id) {
				return fmt.Errorf("held: node %d is stuck, and since when it is unfinished is not kept", id)
			}
		}
		if _, both := t.retried[id]; both || !g.Inside(inside.Key{}).InUse(id) {
			return fmt.Errorf("held: node %d is not in the graph, or is tried again and held", id)
		}
	}
	if stuck != t.Open.Stuck() {
		return fmt.Errorf("held: the beginning is kept of %d objects, and %d are stuck", t.Open.Stuck(), stuck)
	}
	if !slices.Equal(counts, t.counts) {
		return fmt.Errorf("held: other numbers of objects are held than counted")
	}
	for id := range t.retried {
		if !g.Inside(inside.Key{}).InUse(id) {
			return fmt.Errorf("held: node %d was held and is not in the graph", id)
		}
	}
	for id := range t.failing {
		if !g.Inside(inside.Key{}).InUse(id) {
			return fmt.Errorf("held: calls for node %d fail, and it is not in the graph", id)
		}
	}
	return t.Open.Check()
}

// Clone returns a table that shares nothing with t. An empty map is made anew, because the
// old one keeps its memory.
func (t *Table) Clone() Table {
	c := New()
	c.Open = t.Open.Clone()
	maps.Copy(c.held, t.held)
	maps.Copy(c.retried, t.retried)
	maps.Copy(c.failing, t.failing)
	c.counts = slices.Clone(t.counts)
	return c
}
