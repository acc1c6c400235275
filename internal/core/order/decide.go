package order

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Judgement is the answer of the orders about one object, with what its commit does. It is a
// value, and it is good until the machine changes. The zero value is no wait, and its commit
// does nothing.
//
//test:by TestCommitOfNothing
type Judgement struct {
	Wait   bool   // the delete or the release of the object has to wait
	joins  *joins // nil without any
	order  *order // for which it waits, and the place and the phase in it
	place  *place
	phase  int
	doomed bool // it goes although a walk found that it stays
	stale  bool // the order wants another walk
}

// JudgeDelete judges whether the delete of an object has to wait for its phase. The object is
// then decided again when the phase opens. Holder is the holder whose sweep deletes the object, 0
// without one. The sweep of a holder below the root deletes its members in the sweep's own
// phases, because the holder goes only after them. JudgeDelete changes nothing but the count of
// Looked.
//
//test:by TestJudgementHasNoEffects
func (m *Machine) JudgeDelete(v View, id, holder graph.NodeID) Judgement {
	j := Judgement{joins: m.joinsOf(v, id)}
	phase := m.phaseOf(j.joins, id, holder)
	if phase <= 0 {
		return j
	}
	for o, p := range m.allJoined(j.joins, id) {
		if !m.delays(j.joins, o, p, holder) || !o.stale && phase <= o.open {
			continue
		}
		j.Wait, j.order, j.place, j.phase = true, o, p, phase
		switch {
		case o.stale:
		case p.status == stays && holder == 0:
			j.doomed = true    // it goes after all, and has to be counted
			j.stale = !p.known // another walk would find the same, and ask for decisions of the object without end
		default:
			j.stale = m.isDelayed(v, o, p, id)
		}
		return j
	}
	return j
}

// JudgeRelease judges whether the end of a foreground deletion has to wait: of the root for all
// objects that go with it, and of another owner for its dependents that do. So the owners
// lead to the root as long as an object has a phase, and a crash loses no order. JudgeRelease
// changes nothing.
//
//test:by TestJudgementHasNoEffects
func (m *Machine) JudgeRelease(v View, id graph.NodeID) Judgement {
	for o, p := range m.all(id) {
		wait := false
		switch {
		case p.status == top:
			wait = o.stale || o.total > 0
		case p.status == goes && v.Node(id).Waiting():
			wait = o.stale || v.Node(id).Referring() > int(p.kept)
		}
		if wait {
			return Judgement{Wait: true, order: o, place: p}
		}
	}
	return Judgement{}
}

// Commit carries out a judgement about an object. The object gets its places in stale orders. If
// it waits, its order lists it.
//
//test:by TestCommitJoins
func (m *Machine) Commit(v View, id graph.NodeID, j *Judgement) {
	m.commitJoins(j.joins)
	if !j.Wait {
		return
	}
	if j.doomed {
		m.doomed[id] = struct{}{}
	}
	if j.stale {
		m.setStale(v, j.order)
	}
	j.order.wants(id, j.place, j.phase)
}

// isDelayed reports whether the object is a member of a holder with an earlier due phase. The
// walk did not know that yet.
func (m *Machine) isDelayed(v View, o *order, p *place, id graph.NodeID) bool {
	return v.Holders != nil && slices.ContainsFunc(v.Holders(id), func(h graph.NodeID) bool {
		q := m.found(o, h)
		return q != nil && h != id && q.status == goes && q.due < p.due && p.status == goes
	})
}

// delays reports whether an order delays a delete of an object with this place.
func (m *Machine) delays(j *joins, o *order, p *place, holder graph.NodeID) bool {
	if p.status != goes && p.status != stays {
		return false
	}
	if holder == 0 || holder == o.root {
		return true
	}
	h := m.foundJoined(j, o, holder)
	return h == nil || h.status == outside
}

// phaseOf returns the earliest of the delete phases of an object, -1 for one that no order
// delays.
func (m *Machine) phaseOf(j *joins, id, holder graph.NodeID) int {
	phase := -1
	for o, p := range m.allJoined(j, id) {
		if at := o.phaseAt(p); m.delays(j, o, p, holder) && (phase < 0 || at < phase) {
			phase = at
		}
	}
	return phase
}

// phaseAt returns the delete phase of a place. It is the object's own while the order is stale,
// and for an object that stays.
func (o *order) phaseAt(p *place) int {
	if o.stale || p.status == stays {
		return int(p.own)
	}
	return int(p.del)
}

// Spare notes a decision that keeps an object.
func (m *Machine) Spare(v View, id graph.NodeID) {
	if _, is := m.doomed[id]; is {
		delete(m.doomed, id)
		m.Keep(v, id)
	}
}

// Keep notes that an object stays for a reason that its owners do not show: see View.Stays.
func (m *Machine) Keep(v View, id graph.NodeID) {
	for o, p := range m.all(id) {
		if p.status == goes && !v.Node(id).Deleting() {
			m.setStale(v, o)
		}
	}
}
