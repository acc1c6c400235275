package follow

import (
	"math"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

const (
	reviewCost = 2 // of a node, beside its references
	scanCost   = 8 // of a node that a scan compares with all holders
)

// support returns the smallest depth of a member on which the node depends.
func (m *members) support(v *View, n graph.Node) (depth uint32, ok bool) {
	depth = math.MaxUint32
	found := func(id graph.NodeID) {
		if d, has := m.depth(id); has && id != n.ID() {
			depth, ok = min(depth, d), true
		}
	}
	for i, o := range n.OwnerNodes() {
		if n.Inside(inside.Key{}).SelfOwner(i) {
			continue
		}
		if m.owns(v, o, n) {
			found(o.ID())
		}
		if o.Inside(inside.Key{}).ByUID() {
			for _, id := range o.Inside(inside.Key{}).SameUID() {
				if m.owns(v, v.Graph.Node(id), n) {
					found(id)
				}
			}
		}
	}
	for _, id := range n.Inside(inside.Key{}).Containers() {
		found(id)
	}
	for _, c := range n.Inside(inside.Key{}).Contents() {
		if c.Name != "" && m.past.contents[c] {
			return 0, true
		}
	}
	if !v.Sweeps.Any() {
		return depth, ok
	}
	for _, h := range v.Sweeps.HoldersOf(v.View, n.ID()) {
		found(h)
	}
	for _, k := range v.Sweeps.GoneHoldersOf(n.ID()) {
		if m.past.has(k) {
			return 0, true
		}
	}
	return depth, ok
}

// review adds an observed node that depends on a member, and removes one that does not. It
// returns the cost, and whether the set has changed.
func (m *members) review(v *View, id graph.NodeID) (cost int, changed bool) {
	n := v.Graph.Node(id)
	if cost = reviewCost; n.State() != graph.Observed {
		return cost, false
	}
	depth, is := m.depth(id)
	if is && depth == 0 {
		return cost, false
	}
	cost += n.Owners()
	switch by, ok := m.support(v, n); {
	case ok && !is:
		m.add(v, id, by+1)
	case is && !ok:
		m.leave(v, id)
	case is && by >= depth:
		m.suspect = true
		return cost, false
	default:
		return cost, false
	}
	return cost, true
}

// step visits about budget nodes and references. It returns the rest of the budget, which
// is positive once nothing is left to visit.
func (m *members) step(v *View, budget int) (rest int, changed bool) {
	for budget > 0 {
		cost, did := m.visit(v)
		if cost == 0 {
			break
		}
		budget -= cost
		changed = changed || did
	}
	return budget, changed
}

// isDone reports whether nothing is left to visit.
func (m *members) isDone(v *View) bool {
	return m.expanding == 0 && !m.inside && len(m.contents) == 0 && m.todo.Len() == 0 && m.scan == 0 && !m.wantsScan(v)
}

// visit makes one step of the walk, and returns its cost, 0 at the end.
func (m *members) visit(v *View) (cost int, changed bool) {
	switch {
	case m.expanding != 0 || m.inside:
		if d, ok := m.cursor.Next(v.Graph); ok {
			return m.visitDependent(v, d)
		}
		if m.inside {
			m.expanding, m.inside = 0, false
			break
		}
		m.inside = true
		m.cursor.StartContents(v.Graph, m.expanding)
	case len(m.contents) > 0:
		last := len(m.contents) - 1
		m.inside = true
		m.cursor.StartContent(v.Graph, m.contents[last])
		m.contents = m.contents[:last]
	case m.todo.Len() > 0:
		id := *m.todo.At(int32(m.todo.Len() - 1))
		if m.todo.Pop(); v.InUse(id) {
			m.expanding, m.inside = id, false
			m.cursor.Start(v.Graph, id)
		}
	case m.scan != 0:
		return m.visitScanned(v)
	case m.wantsScan(v):
		m.scan, m.again, m.selected = 1, false, v.Sweeps.Counts().Members
	default:
		return 0, false
	}
	return 1, false
}

// visitDependent looks at a dependent of the node that the cursor is on, or at a member of that
// container. That node is a
// member, or has just left.
func (m *members) visitDependent(v *View, id graph.NodeID) (cost int, changed bool) {
	depth, in := uint32(0), true // of a container that is gone
	if m.expanding != 0 {
		depth, in = m.depth(m.expanding)
	}
	under, has := m.depth(id)
	switch {
	case id == m.expanding, !in && !has, in && has && under > depth:
		return 1, false
	case has: // its way may have led over the node
		return m.review(v, id)
	case v.Graph.Node(id).State() != graph.Observed, !m.inside && !m.owns(v, v.Graph.Node(m.expanding), v.Graph.Node(id)):
		return 1, false
	}
	m.add(v, id, depth+1)
	return reviewCost, true
}

// wantsScan reports whether a node may be a member of a sweep whose holder is a member. The
// sweeps find the members of a holder that is gone, and those with a label, without an
// event. They count all members.
func (m *members) wantsScan(v *View) bool {
	return m.again || m.holder && v.Sweeps.Counts().Members != m.selected && (v.Sweeps.Detached() || v.Sweeps.NeedLabels() != "")
}

func (m *members) visitScanned(v *View) (cost int, changed bool) {
	if int(m.scan) >= v.Graph.Inside(inside.Key{}).Cap() {
		m.scan = 0
		return 1, false
	}
	id := m.scan
	m.scan++
	if !v.InUse(id) || m.has(id) {
		return 1, false
	}
	cost, changed = m.review(v, id)
	return cost + scanCost, changed
}
