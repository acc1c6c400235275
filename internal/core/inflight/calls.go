package inflight

import (
	"iter"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/queue"
)

// Call is a call that was handed out, or that is prepared. It takes at most 128 bytes, up
// to which a map stores values in itself. It is a value.
type Call struct {
	Purpose Purpose
	Shown   bool         // the watch has shown its object since
	Ahead   bool         // of a write whose version is that of a retry
	Orphan  OrphanStep   // of a write
	Node    graph.NodeID // 0 without one
	Key     graph.Key
	Version graph.Version // that a write is conditioned on
	Began   seq.Stamp     // Issue sets it
	Handler string        // the finalizer of a run
	Fence   uint64        // the id of a fence
	Run     uint32        // the run whose holder is read
	Wrote   uint32        // the digest of a write
}

// Calls has the calls of one engine that are under way, and the prepared ones. C is the
// call as the caller of the engine receives it. Make one with NewCalls. It is not safe for
// concurrent use.
//
// A prepared call waits for its lane. No caller has begun it, so the engine may revoke it.
// A retry is the object that a reread has returned. It counts for one decision about the
// node, in place of the graph's object (R1).
//
// Its invariants, which Check verifies:
//
//	N3  an object has at most one write or reread in flight, and its key is in flight in the queue
//	N4  each key has at most one read in flight
//	N5  the retries belong to nodes of the graph
//	N6  every write in flight carries UID and version
//
// Calls from before a rewind, or from before the object went and came back, do not count
// for N3.
type Calls[C any] struct {
	last     uint64
	under    map[uint64]Call // the prepared ones, too
	ids      fifo.List[uint64]
	prepared fifo.List[C] // the calls of ids, which rise
	retries  map[graph.NodeID]graph.Object

	Delays Delays
}

// NewCalls returns Calls without a call.
func NewCalls[C any]() Calls[C] {
	return Calls[C]{under: map[uint64]Call{}, retries: map[graph.NodeID]graph.Object{}}
}

// Issue gives a call its number, and notes the moment in it. A node notes the number of its
// write or reread.
func (t *Calls[C]) Issue(v record.Nodes, stamps *seq.Counter, x *Call) uint64 {
	t.last++
	x.Began = stamps.Stamp()
	t.under[t.last] = *x
	if x.Purpose.isOwn() {
		v.Edit(x.Node).Call = t.last
	}
	return t.last
}

// Len returns the number of calls, with the prepared ones.
func (t *Calls[C]) Len() int { return len(t.under) }

// All yields the calls by number, with the prepared ones, in no fixed order.
func (t *Calls[C]) All() iter.Seq2[uint64, Call] { return maps.All(t.under) }

// UnderWay yields the calls that a caller has, in no fixed order.
func (t *Calls[C]) UnderWay() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		for id, x := range t.under {
			if !t.isPrepared(id) && !yield(x) {
				return
			}
		}
	}
}

// Of returns a call, also a prepared one. It reports false for none.
func (t *Calls[C]) Of(id uint64) (x Call, ok bool) {
	x, ok = t.under[id]
	return x, ok
}

// Take removes a call that its caller reports, and returns it. It reports false for a call
// that is not under way, or only prepared.
func (t *Calls[C]) Take(id uint64) (x Call, ok bool) {
	if x, ok = t.under[id]; !ok || t.isPrepared(id) {
		return Call{}, false
	}
	delete(t.under, id)
	return x, true
}

// Drop forgets a call that is not handed out after all.
func (t *Calls[C]) Drop(id uint64) { delete(t.under, id) }

// Show notes that the watch shows the object of two calls, where these are under way. If a
// call does not find its object, that proves no absence then: the watch goes first (R2,
// absence).
func (t *Calls[C]) Show(read, own uint64) {
	for _, id := range [...]uint64{read, own} {
		if x, ok := t.under[id]; ok {
			x.Shown = true
			t.under[id] = x
		}
	}
}

// Completion says what the end of a write or reread finds.
type Completion uint8

const (
	// CompletionUnset is none.
	CompletionUnset Completion = iota
	// Replaced means that the call is no longer the node's: the node is another one.
	Replaced
	// Ended means that the object of the node has gone.
	Ended
	// Current means that the object is still in the graph, as the same node.
	Current
)

var completionNames = [...]string{"unset", "replaced", "ended", "current"}

// String returns the completion in lower case.
func (c Completion) String() string { return completionNames[c&3] }

// Complete ends a write or reread of a node.
func (t *Calls[C]) Complete(v record.Nodes, id uint64, node graph.NodeID) Completion {
	if v.Peek(node, new(record.State)).Call != id {
		return Replaced
	}
	v.Edit(node).Call = 0
	if v.Node(node).State() != graph.Observed {
		return Ended
	}
	return Current
}

// Prepare keeps a call until its lane takes it. Ids rise from call to call.
func (t *Calls[C]) Prepare(id uint64, c *C) {
	t.ids.Push(&id)
	t.prepared.Push(c)
}

// PopPrepared moves the oldest prepared call to *c: a caller has it from now on. It reports
// false without one.
func (t *Calls[C]) PopPrepared(c *C) bool {
	var id uint64
	return t.ids.Pop(&id) && t.prepared.Pop(c)
}

// Prepared returns the prepared calls, the oldest first. Calls owns the slice.
func (t *Calls[C]) Prepared() []C { return t.prepared.All() }

// isPrepared reports whether a call is prepared. Prepared calls are sorted by id. Most ids
// that are looked for are smaller than the first of them.
func (t *Calls[C]) isPrepared(id uint64) bool {
	ids := t.ids.All()
	if len(ids) == 0 || id < ids[0] {
		return false
	}
	_, ok := slices.BinarySearch(ids, id)
	return ok
}

// DropPrepared ends the preparation of all calls. It returns their ids, for Revoke.
func (t *Calls[C]) DropPrepared() []uint64 {
	ids := t.ids.All()
	t.ids, t.prepared = fifo.List[uint64]{}, fifo.List[C]{}
	return ids
}

// RevokeID is Revoke for a call that no caller has taken.
func (t *Calls[C]) RevokeID(v record.Nodes, id uint64, work *queue.Queue[graph.NodeID], out *effect.List) {
	x := t.under[id]
	delete(t.under, id)
	t.Revoke(v, id, &x, work, out)
}

// Revoke takes back a write, or a read of an object itself or of a holder, that no caller
// has begun. Its key is decided again.
func (t *Calls[C]) Revoke(v record.Nodes, id uint64, x *Call, work *queue.Queue[graph.NodeID], out *effect.List) {
	if x.Purpose == ReadHolder {
		out.ReturnRead(x.Run)
		return
	}
	if v.State(x.Node).Call != id {
		return
	}
	s := v.Edit(x.Node)
	s.Call = 0
	s.Reread = s.Reread || x.Purpose == Reread
	work.Done(x.Node)
	work.Add(x.Node, queue.Normal)
}

// Clone returns Calls that share nothing with t.
func (t *Calls[C]) Clone() Calls[C] {
	c := NewCalls[C]()
	c.last, c.ids, c.prepared = t.last, t.ids.Clone(), t.prepared.Clone()
	if len(t.under) > 0 { // an empty map keeps the memory of its former entries
		c.under = maps.Clone(t.under)
	}
	if len(t.retries) > 0 {
		c.retries = maps.Clone(t.retries)
	}
	return c
}
