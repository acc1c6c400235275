package inflight

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/dense"
	"github.com/ownergraph/ownergraph/internal/core/fingerprint"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Expectation keeps an object from being decided until the watch shows another version, or
// the deadline passes. A write or a doubt leads to it. It is a value.
type Expectation struct {
	Version   graph.Version // the write was conditioned on it
	Deadline  time.Time
	OnTimeout OnTimeout
	Wrote     uint32    // the digest of the write that succeeded, 0 for none
	listed    seq.Stamp // a listing was asked for, 0 if none was
	Blocked   bool      // only the outside can help: for example, the kind is sick
	Gone      bool      // with TimeoutList: a read or a write did not find the object
}

// OnTimeout says what happens to an object whose event has not come by the deadline.
type OnTimeout uint8

const (
	// TimeoutUnset is no action.
	TimeoutUnset OnTimeout = iota
	// TimeoutRead asks for a read of the object: the outcome of its write is unknown.
	TimeoutRead
	// TimeoutList asks for a new listing of its kind: a read has contradicted the watch.
	TimeoutList
	// TimeoutDecide asks for a new decision of the object: nothing was written.
	TimeoutDecide
	// TimeoutHeld is TimeoutDecide for an object that only the outside can help.
	TimeoutHeld
)

var timeoutNames = [...]string{"unset", "read", "list", "decide", "held"}

// String returns the action in lower case.
func (o OnTimeout) String() string {
	if int(o) < len(timeoutNames) {
		return timeoutNames[o]
	}
	return fmt.Sprintf("timeout(%d)", uint8(o))
}

// isBlocked reports whether only the outside can end the expectation.
func (x *Expectation) isBlocked() bool { return x.OnTimeout == TimeoutHeld || x.Blocked }

// Expectations has at most one Expectation for each node, and the nodes that await the
// watch. The zero value is empty. It is not safe for concurrent use.
//
// While a watch lags behind the writes, each of these has an entry, and each decision asks
// for one. So an index by node id finds the entries.
//
// Its invariants, which Check verifies:
//
//  1. an entry is kept only for a node in use
//  2. the index finds each entry
type Expectations struct {
	index dense.Index // by node id
	list  dense.List[entry]
	watch map[graph.NodeID]time.Time // a read contradicts the watch; their deadlines
	walk  walk                       // for kinds that have recovered
}

type entry struct {
	node graph.NodeID
	Expectation
}

// at returns the expectation of a node, until the next Put or Drop, or nil.
func (t *Expectations) at(id graph.NodeID) *Expectation {
	if i := t.index.At(uint32(id)); i != dense.None {
		return &t.list.At(i).Expectation
	}
	return nil
}

// Len returns the number of expectations.
func (t *Expectations) Len() int { return t.list.Len() }

// Has reports whether a node has an expectation.
func (t *Expectations) Has(id graph.NodeID) bool { return t.index.At(uint32(id)) != dense.None }

// Of returns the expectation of a node, and reports whether it has one.
func (t *Expectations) Of(id graph.NodeID) (x Expectation, ok bool) {
	if at := t.at(id); at != nil {
		return *at, true
	}
	return x, false
}

// WatchUntil returns the deadline of a node that awaits the watch, the zero time for
// another one.
func (t *Expectations) WatchUntil(id graph.NodeID) time.Time { return t.watch[id] }

// IsBlocked reports whether a node has an expectation that only the outside can end.
func (t *Expectations) IsBlocked(id graph.NodeID) bool {
	x := t.at(id)
	return x != nil && x.isBlocked()
}

// Put sets the expectation of a node.
func (t *Expectations) Put(id graph.NodeID, x Expectation) {
	if was := t.at(id); was != nil {
		*was = x
		return
	}
	t.index.Set(uint32(id), int32(t.list.Len()))
	t.list.Push(entry{id, x})
}

// Drop forgets the expectation of a node. The last entry of the list takes its place.
func (t *Expectations) Drop(id graph.NodeID) {
	i := t.index.At(uint32(id))
	if i == dense.None {
		return
	}
	t.index.Set(uint32(id), dense.None)
	if last := int32(t.list.Len() - 1); i != last {
		*t.list.At(i) = *t.list.At(last)
		t.index.Set(uint32(t.list.At(i).node), i)
	}
	t.list.Pop()
}

// Nodes returns the nodes with an expectation, by id.
func (t *Expectations) Nodes() []graph.NodeID {
	out := make([]graph.NodeID, t.list.Len())
	for i := range out {
		out[i] = t.list.At(int32(i)).node
	}
	slices.Sort(out)
	return out
}

// Unblocked yields the nodes whose expectation ends without the outside, in no fixed order.
func (t *Expectations) Unblocked() iter.Seq[graph.NodeID] {
	return func(yield func(graph.NodeID) bool) {
		for i := range int32(t.list.Len()) {
			if x := t.list.At(i); !x.isBlocked() && !yield(x.node) {
				return
			}
		}
	}
}

// HasUnblocked reports whether an expectation ends without the outside.
func (t *Expectations) HasUnblocked() bool {
	for range t.Unblocked() {
		return true
	}
	return false
}

// Check verifies the invariants of Expectations.
func (t *Expectations) Check(g *graph.Graph) error {
	used, err := t.index.Check()
	if err == nil && used != t.list.Len() {
		err = fmt.Errorf("%d are found, of %d", used, t.list.Len())
	}
	for i := range int32(t.list.Len()) {
		if id := t.list.At(i).node; err == nil && (t.index.At(uint32(id)) != i || !g.Inside(inside.Key{}).InUse(id)) {
			err = fmt.Errorf("node %d is not found, or not in the graph", id)
		}
	}
	for id := range t.watch {
		if err == nil && !g.Inside(inside.Key{}).InUse(id) {
			err = fmt.Errorf("node %d awaits the watch, and is not in the graph", id)
		}
	}
	if err != nil {
		return fmt.Errorf("expectations: %w", err)
	}
	return nil
}

// Clone returns expectations that share nothing with t.
func (t *Expectations) Clone() (c Expectations) {
	if t.list.Len() > 0 {
		c.index, c.list = t.index.Clone(), t.list.Clone()
	}
	if len(t.watch) > 0 {
		c.watch = maps.Clone(t.watch)
	}
	c.walk = t.walk.clone()
	return c
}

// HashNode writes the expectation of a node to the printer, and whether the node awaits the
// watch.
func (t *Expectations) HashNode(p *fingerprint.Printer, n graph.Node, k *kinds.Table) {
	if x := t.at(n.ID()); x != nil {
		p.Version(n.Key(), x.Version)
		p.Until(x.Deadline)
		p.Word(uint64(x.OnTimeout)<<1 | fingerprint.Bit(x.Blocked))
		p.Flags(x.Blocked && t.retries(t.index.At(uint32(n.ID())), n.Kind()))
		p.Word(uint64(x.Wrote))
		p.Flags(x.Gone, x.listed != 0, k.Relisted(n.Kind(), x.listed), k.Of(n.Kind()).Begun > x.listed)
	}
	if at, ok := t.watch[n.ID()]; ok {
		p.Until(at)
	}
}
