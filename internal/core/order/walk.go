package order

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/queue"
)

// walk finds the objects that go with one root, and their phases, in bounded steps. An object
// goes as soon as the last of its owners does, so rings of living objects stay.
type walk struct {
	order  *order
	over   bool // it no longer serves: the order has changed, or ended
	places map[graph.NodeID]*place
	counts
	ids    []graph.NodeID // the root, the sources, and the objects that go, by rank
	taken  []graph.NodeID // the objects below the root
	marked []graph.NodeID // of these, the ones that go although an owner stays
	stage  stage
	at     int // of the list of the stage
	cursor graph.Cursor
	open   bool // the cursor
	rings  bool // an object may have been found to go before one of its owners
	again  bool // a pass over a ring has changed something
	search rings
	upper  []graph.NodeID // the root, and the objects above it
	last   []graph.NodeID // the root, and the objects that end only after it
}

// stage is a part of a walk.
type stage uint8

const (
	descending stage = iota // from the root over the dependents
	passingDue
	passingDelete
	passingDone
	circling  // over the rings of owners
	rising    // from the root over its owners
	excluding // the objects that end only after the root
	counting
	ended
)

// never is the number of pending owners of an object that stays.
const never = 1 << 30

// HasWork reports whether Step has work to do.
func (m *Machine) HasWork() bool {
	return m.due || m.walk != nil || len(m.stale) > 0 || len(m.ready) > 0 || len(m.ended) > 0
}

// Step goes on with the walks, within the budget, and asks for decisions of at most room objects whose
// phase has opened.
func (m *Machine) Step(v View, budget, room int) {
	m.openPhases(v, budget)
	m.forget(budget)
	for ; room > 0 && len(m.ready) > 0; room-- {
		if id := m.ready[0]; v.InUse(id) {
			v.Out.Look(id, queue.Low)
		}
		m.ready = fifo.Rest(m.ready)
	}
	for before := m.looked; m.beginWalk(v) && m.looked-before < uint64(budget); {
		m.stepWalk(v)
	}
}

// beginWalk begins the next walk, if none is under way. It reports whether one is.
func (m *Machine) beginWalk(v View) bool {
	if w := m.walk; w != nil && w.over {
		m.dropWalk(v)
	}
	for m.walk == nil && len(m.stale) > 0 {
		o := m.orders[m.stale[0]]
		m.stale = fifo.Rest(m.stale)
		if o == nil || !o.queued { // a later order of the same root may be there twice
			continue
		}
		if o.queued = false; !o.stale {
			continue
		}
		w := &walk{order: o, places: map[graph.NodeID]*place{o.root: m.topPlace(v, o)}, counts: counts{left: make([]int, len(o.left))}}
		w.ids, w.upper = append(w.ids, o.root), []graph.NodeID{o.root}
		for _, id := range slices.Sorted(maps.Keys(o.sources)) {
			w.addSource(id)
		}
		m.walk = w
	}
	return m.walk != nil
}

// addSource adds an object that has gone, and to which others refer.
func (w *walk) addSource(id graph.NodeID) {
	w.places[id] = &place{status: gone, free: true}
	w.ids = append(w.ids, id)
}

// dropWalk ends the walk under way.
func (m *Machine) dropWalk(v View) {
	if m.walk.open {
		v.Graph.CloseCursor(&m.walk.cursor)
	}
	m.walk = nil
}

// stepWalk goes one step on.
func (m *Machine) stepWalk(v View) {
	m.looked++
	w := m.walk
	switch w.stage {
	case descending:
		m.descend(v, w)
	case passingDue, passingDelete, passingDone:
		m.pass(v, w)
	case circling:
		m.circle(v, w)
	case rising:
		m.rise(v, w)
	case excluding:
		m.exclude(v, w)
	case counting:
		m.count(v, w)
	case ended:
		m.endWalk(v, w)
	}
}

// descend visits the next dependent of an object that goes.
func (m *Machine) descend(v View, w *walk) {
	switch {
	case w.at == len(w.ids):
		if !w.tryForce() {
			w.next()
		}
		return
	case !w.open && !w.passesOn(v, w.ids[w.at]):
		w.at++
		return
	case !w.open:
		v.Graph.OpenCursor(&w.cursor)
		w.cursor.Start(v.Graph, w.ids[w.at])
		w.open = true
	}
	owner := w.ids[w.at]
	dep, policy, ok := w.cursor.NextReference(v.Graph)
	if !ok {
		v.Graph.CloseCursor(&w.cursor)
		w.open = false
		w.at++
		return
	}
	if p := w.places[owner]; dep != owner && p != nil {
		m.visit(v, w, dep, policy, p.free)
	}
}

// next begins the next stage.
func (w *walk) next() {
	w.stage++
	w.at, w.again = 0, false
}

// passesOn reports whether the dependents of a node go with it: the node has not left the
// graph, and orphans nothing.
func (w *walk) passesOn(v View, id graph.NodeID) bool {
	return w.places[id] != nil && v.InUse(id) && v.Node(id).Inside(inside.Key{}).Propagation() != graph.Orphan
}

// tryForce lets the next object go that is marked, or that a decision deletes, although an owner
// of it stays. It returns false without one.
func (w *walk) tryForce() bool {
	for len(w.marked) > 0 {
		id := w.marked[0]
		w.marked = fifo.Rest(w.marked)
		if p := w.places[id]; p != nil && p.status == stays {
			w.rings = true
			w.grow(id, p)
			return true
		}
	}
	return false
}

// grow notes that an object goes.
func (w *walk) grow(id graph.NodeID, p *place) {
	p.status, p.rank = goes, int32(len(w.ids))
	w.rings = w.rings || p.free // its dependents may have gone before it
	w.ids = append(w.ids, id)
}

// visit visits an object by one of its references. Free says that the object need not wait for
// the mark of that owner.
func (m *Machine) visit(v View, w *walk, id graph.NodeID, by graph.OnDelete, free bool) {
	if v.Node(id).State() != graph.Observed || id == w.order.root {
		return
	}
	p := w.places[id]
	if p == nil || !p.queued {
		p = m.addPlace(v, w, id)
	}
	switch {
	case by == graph.OnDeleteCascade && !p.fixed:
		p.pending = 0
	case by == graph.OnDeleteUnset && !free && p.pending > 0 && p.pending < never:
		p.pending--
	}
	if p.pending == 0 && p.status == stays {
		w.grow(id, p)
	}
}

// addPlace adds an object below the root, and counts the owners for which it has to wait.
func (m *Machine) addPlace(v View, w *walk, id graph.NodeID) *place {
	n := v.Node(id)
	o := n.Object()
	p := w.place(m, v, id)
	p.queued, p.status = true, stays
	_, p.known = m.doomed[id]
	p.own = uint8(PhaseOf(m.phases(w.order), o))
	p.due, p.facts = p.own, factsOf(n, &o, p.own)
	w.taken = append(w.taken, id)
	if o.MarkWithheld() || v.Stays != nil && v.Stays(id) || n.Inside(inside.Key{}).Flawed() && !o.Deleting {
		p.pending, p.fixed = never, true
		return p
	}
	p.pending = m.countPending(v, w, n)
	if p.known || o.Deleting {
		w.marked = append(w.marked, id)
	}
	return p
}

// countPending returns the number of owners for which an object has to wait before it goes: those of
// its unset references. It is 0 once the owner of a cascade reference goes.
func (m *Machine) countPending(v View, w *walk, n graph.Node) (pending int32) {
	counted, cascades := false, false
	for i := range n.Owners() {
		m.looked++
		wait, keeps := m.awaits(v, w, n, i)
		switch r := n.Reference(i); {
		case r.Self:
		case r.OnDelete == graph.OnDeleteCascade:
			cascades = cascades || !wait && !keeps
		case r.OnDelete != graph.OnDeleteUnset:
		case keeps:
			counted, pending = true, never
		default:
			if counted = true; wait && pending < never {
				pending++
			}
		}
	}
	switch {
	case cascades:
		return 0
	case !counted:
		return never
	}
	return pending
}

// awaits reports whether an object has to wait for the mark of its i-th owner, or whether the
// doubt about that owner keeps the object.
func (m *Machine) awaits(v View, w *walk, n graph.Node, i int) (wait, keeps bool) {
	r := n.Reference(i)
	if r.Owner == 0 {
		return false, true
	}
	p := w.place(m, v, r.Owner)
	switch {
	case r.Self, r.Class == graph.Dangling, v.State(r.Owner).Absent > v.Rewound:
		return false, false
	case r.Class == graph.Unknown && r.Doubt != graph.Unobserved && r.Doubt != graph.Unlisted:
		return false, true
	}
	return !p.free, false
}

// place returns the place of a node, which is outside until a walk comes to it. An owner that
// no listing has brought yet is about to be read. Until then its dependents may go.
func (w *walk) place(m *Machine, v View, id graph.NodeID) *place {
	p := w.places[id]
	if p == nil {
		n := v.Node(id)
		p = &place{status: outside, free: n.Waiting() || n.State() != graph.Observed}
		w.places[id] = p
		m.note(w.order, id)
	}
	return p
}

// factsOf returns a digest of the parts of an object on which its place rests. The last bit is
// the deletion mark.
func factsOf(n graph.Node, o *graph.Object, own uint8) uint64 {
	h := uint64(own)
	mix := func(x uint64) { h = (h ^ x) * 0x9e3779b97f4a7c15; h ^= h >> 29 }
	for _, flag := range [...]bool{n.Inside(inside.Key{}).Propagation() == graph.Orphan, n.Inside(inside.Key{}).Flawed() && !o.Deleting, o.MarkWithheld()} {
		mix(bit(flag))
	}
	for i, owner := range n.OwnerNodes() {
		mix(uint64(owner.ID())<<1 | bit(n.Inside(inside.Key{}).Blocks(i)) | uint64(n.OwnerAt(i).OnDelete)<<33)
	}
	return h<<1 | bit(o.Deleting)
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}
