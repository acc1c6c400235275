// Package order follows the order of the objects below guarded roots (RULES, G7). The guard
// of such a root has phases. A root is under way from its foreground mark without a hold until
// its end. An order follows from the observed state alone, so a crash loses nothing.
//
// Rules R2 and R3 decide which objects go. The Machine only delays: the delete of an object
// waits for its phase, and an owner below the root stays until its dependents have gone.
//
// # The phase of an object
//
// A walk finds the objects that can go with the root. An object can go if each of its owners
// is the root, can go, waits, or is absent. A marked object counts as still there until it has
// gone. Each object that can go has a phase of its own, and three derived ones:
//
//   - Due: the earliest of its own phase and the due phases of its owners. An owner goes only
//     after the objects that hang below it, and the holder of a sweep only after its members.
//   - Delete: the earliest of its due phase and the delete phases of the objects that hang
//     below it. They go only after its mark.
//   - Done: the latest delete phase of itself and of the objects that hang below it. It has
//     gone by the end of that phase, and done is never later than due.
//
// A delete is handed out when its delete phase is open. A phase opens when no object is left
// whose done phase is earlier, and when a fence has passed that began after that was known.
// With these three the order is exact for the own phases, and no cascade waits for ever. One
// derived phase has cascades that wait for ever: see TestOnePhaseIsStuck.
//
// Ownership goes before order. An object that the root blocks ends only after the root, so the
// root and the phases wait for no such object. Two ordered roots that own each other do not wait
// for each other. In a ring below the root no owner stays for its dependents, unless they block
// it. TestEveryRing checks that no order stops a cascade that ends without the order.
//
// An object below several ordered roots has the earliest of its delete phases, and that phase
// has to be open for each of them. The root with the earliest open phase can then always go on.
//
// # Changes
//
// An object that goes lowers a count. A new or changed object below a root makes the order
// stale: another walk follows. Meanwhile only objects of the first phase are deleted, and the
// calls that no caller has begun are revoked. A cascade without changes by others takes one
// walk, and work in proportion to its objects and references.
package order

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/fence"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// View has the lower machines that the orders use. The caller makes one for each call, and
// the Machine keeps none.
type View struct {
	record.Nodes
	Fence   *fence.Machine
	Stamps  *seq.Counter
	Out     *effect.List
	Rewound seq.Stamp // an absence from before no longer counts
	// Stays, if set, reports whether a node stays although its owners go, as a protected
	// one does.
	Stays func(graph.NodeID) bool
	// Unproven, if set, reports whether the last decision about a node lacked evidence that the engine
	// asks for only on behalf of an order.
	Unproven func(graph.NodeID) bool
	// Holders, if set, returns the holders of which a node is a member. A holder goes only
	// after its members, so it counts as an owner for the due phase.
	Holders func(graph.NodeID) []graph.NodeID
}

// Machine has the orders under way. Make one with New. It is not safe for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. the objects left in each phase are counted as the places show them
//  2. in an order that is not stale, each object that goes is counted, and no object is left
//     before an open phase
//  3. there, the phases of each object that goes fit those of its owners
//  4. the sorted orders, the stale ones and those that wait for a fence are indexed
type Machine struct {
	guards  []guard.Guard
	phased  bool                            // a guard has phases
	orders  map[graph.NodeID]*order         // by root
	sorted  []*order                        // by the key of the root
	gone    map[graph.UID][]graph.NodeID    // the roots of the orders with the object in gone
	ended   []graph.UID                     // of orders that have ended, to be taken out of gone
	stales  int                             // the stale orders
	above   map[graph.NodeID][]graph.NodeID // the roots that may have a place for a node; the lists are never changed in place
	doomed  map[graph.NodeID]struct{}       // a decision deletes them although a walk found that they stay
	stale   []graph.NodeID                  // the roots that want a walk, in turn, each once
	fenced  []graph.NodeID                  // the roots that wait for a fence
	opening []graph.NodeID                  // of these, the ones that a fence has passed for
	walk    *walk                           // under way, or nil
	ready   []graph.NodeID                  // have to be decided: their phase has opened
	due     bool                            // opening is not empty
	looked  uint64                          // the references and places that were looked at
}

// order is the order of one root.
type order struct {
	root    graph.NodeID
	key     graph.Key // of the root
	guard   int
	places  map[graph.NodeID]*place
	sources map[graph.NodeID]struct{} // the places of objects that have gone and are still referred to
	gone    []graph.UID               // the objects that went: see Machine.gone
	counts
	open    int              // the deletes of phases up to this are handed out
	low     int              // the first phase that has objects left, as of the last count
	cleared seq.Stamp        // since then no object was left before the phase low, 0 if it is open
	waves   []int            // by phase: objects came back after the phase was empty
	waiting [][]graph.NodeID // the objects that wait for a phase to open
	stale   bool             // a walk is wanted or under way
	queued  bool             // it is in Machine.stale
	fenced  bool             // it is in Machine.fenced, or in Machine.opening
	fresh   bool             // a walk has been complete
}

// counts counts the objects of an order that go and have not gone.
type counts struct {
	left    []int // by done phase
	total   int
	forward int // the ones whose delete phase is earlier than their own
}

// add counts a place in, or out with -1.
func (c *counts) add(p *place, d int) {
	c.left[p.done] += d
	c.total += d
	if p.del < p.own {
		c.forward += d
	}
	p.counted = d > 0
}

// status is the finding of a walk about a node.
type status uint8

const (
	unset status = iota
	// outside: an owner of an object below the root, which does not hang below it.
	outside
	// stays: an object below the root that does not go with it.
	stays
	// goes: an object that goes with the root.
	goes
	// gone: an object that went, and to which others refer.
	gone
	// top: the root.
	top
)

// place is the knowledge of one node in one order.
type place struct {
	status  status
	free    bool // its dependents need not wait for its mark: it waits or is absent
	counted bool
	fixed   bool // no end of an owner makes it go
	listed  bool // it is among those that wait for a phase
	queued  bool // a walk has taken it up
	above   bool // the root hangs below it, too
	after   bool // it ends only after the root, or after another ordered root above that one
	known   bool // that walk knew that a decision deletes the object
	own     uint8
	due     uint8
	del     uint8
	done    uint8
	pending int32  // during a walk: the owners that are not known to go
	rank    int32  // the place in the order in which the walk found that objects go
	ring    int32  // the ring of owners to which it belongs, 0 without one
	kept    int32  // the references to it that do not delay it: see delays
	facts   uint64 // a digest of the object, as the walk saw it
}

// New returns a machine for the guards of a configuration, which have been checked.
func New(guards []guard.Guard) Machine {
	has := func(g guard.Guard) bool { return len(g.Phases) > 0 }
	m := Machine{guards: slices.Clone(guards), phased: slices.ContainsFunc(guards, has)}
	m.clear()
	return m
}

// clear forgets all orders, and the memory of their tables.
func (m *Machine) clear() {
	m.orders, m.above = map[graph.NodeID]*order{}, map[graph.NodeID][]graph.NodeID{}
	m.doomed, m.gone = map[graph.NodeID]struct{}{}, map[graph.UID][]graph.NodeID{}
	m.sorted, m.stale, m.fenced, m.ended, m.due, m.stales = nil, nil, nil, nil, false, 0
	m.opening = nil
}

// Any reports whether an order is under way, or objects of one that has ended have still to
// be decided.
func (m *Machine) Any() bool { return len(m.orders) > 0 || len(m.ready) > 0 || m.walk != nil }

// Orders returns the number of orders under way.
func (m *Machine) Orders() int { return len(m.orders) }

// IsRoot reports whether the node is the root of an order under way.
func (m *Machine) IsRoot(id graph.NodeID) bool { return m.orders[id] != nil }

// Has reports whether an order has a place for a node, so that phases may wait for it.
func (m *Machine) Has(id graph.NodeID) bool {
	for range m.all(id) {
		return true
	}
	return false
}

// Looked returns the number of references and places that were looked at so far.
func (m *Machine) Looked() uint64 { return m.looked }

// GuardOf returns the index of the first guard with phases that selects an object as a root,
// or -1.
func (m *Machine) GuardOf(o *graph.Object) int {
	return slices.IndexFunc(m.guards, func(g guard.Guard) bool { return len(g.Phases) > 0 && Selects(&g, o) })
}

// HasPhases reports whether a guard has phases.
func (m *Machine) HasPhases() bool { return m.phased }

// Begin begins the order of a root, by the phases of a guard. For a root under way it does
// nothing.
func (m *Machine) Begin(v View, root graph.NodeID, guard int) {
	if m.orders[root] != nil {
		return
	}
	n := len(m.guards[guard].Phases) + 1
	o := &order{root: root, key: v.Node(root).Key(), guard: guard, counts: counts{left: make([]int, n)}, waves: make([]int, n), waiting: make([][]graph.NodeID, n)}
	o.places, o.sources = map[graph.NodeID]*place{}, map[graph.NodeID]struct{}{}
	m.orders[root] = o
	for other, p := range m.all(root) {
		if p.above { // it waits for the other root, and the other root waits for it
			m.setStale(v, other)
		}
	}
	at, _ := slices.BinarySearchFunc(m.sorted, o, byKey)
	m.sorted = slices.Insert(m.sorted, at, o)
	m.know(o, root, m.topPlace(v, o))
	m.setStale(v, o)
}

// topPlace returns the place of a root.
func (m *Machine) topPlace(v View, o *order) *place {
	n := v.Node(o.root)
	x := n.Object()
	return &place{status: top, free: true, facts: factsOf(n, &x, uint8(PhaseOf(m.phases(o), x)))}
}

// End ends the order of a root that is gone, or whose deletion is no longer a foreground deletion.
// The objects that wait are decided again.
func (m *Machine) End(root graph.NodeID) {
	o := m.orders[root]
	if o == nil {
		return
	}
	m.release(o, len(o.waiting)-1)
	if m.walk != nil && m.walk.order == o {
		m.walk.over = true
	}
	if delete(m.orders, root); len(m.orders) == 0 {
		m.clear()
		return
	}
	if at, ok := slices.BinarySearchFunc(m.sorted, o, byKey); ok {
		m.sorted = slices.Delete(m.sorted, at, at+1)
	}
	m.ended = append(m.ended, o.gone...)
	if o.stale {
		m.stales--
	}
}

func byKey(a, b *order) int { return cmp.Or(a.key.Compare(b.key), cmp.Compare(a.root, b.root)) }

// know gives a node a place in an order.
func (m *Machine) know(o *order, id graph.NodeID, p *place) {
	o.places[id] = p
	m.note(o, id)
}

// note notes that an order may have a place for a node.
func (m *Machine) note(o *order, id graph.NodeID) {
	roots := m.above[id]
	if slices.Contains(roots, o.root) {
		return
	}
	now := make([]graph.NodeID, 0, len(roots)+1)
	for _, root := range roots { // orders end
		if m.orders[root] != nil {
			now = append(now, root)
		}
	}
	m.above[id] = append(now, o.root)
}

// setStale asks for a new walk of the order. The calls of later phases that no caller has begun are
// revoked.
func (m *Machine) setStale(v View, o *order) {
	if w := m.walk; w != nil && w.order == o {
		w.over = true
	}
	if !o.queued {
		o.queued = true
		m.stale = append(m.stale, o.root)
	}
	if o.stale {
		return
	}
	o.stale = true
	m.stales++
	if o.open > 0 {
		v.Out.Do(effect.Revoke)
	}
}

// found returns the place of a node in an order: that of the walk under way, if it has come
// to the node, and otherwise the last one.
func (m *Machine) found(o *order, id graph.NodeID) *place {
	p := o.places[id]
	if w := m.walk; w != nil && w.order == o && !w.over {
		if q := w.places[id]; q != nil && (p == nil || q.status != outside) {
			return q
		}
	}
	return p
}

// all yields the orders that have a place for a node, with the place.
func (m *Machine) all(id graph.NodeID) func(yield func(*order, *place) bool) {
	return func(yield func(*order, *place) bool) {
		for _, root := range m.above[id] {
			if o := m.orders[root]; o != nil {
				if p := m.found(o, id); p != nil && !yield(o, p) {
					return
				}
			}
		}
	}
}
