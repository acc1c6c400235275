package brake

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/internal/core/garbage"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// walk counts the objects below the root of one cascade.
type walk struct {
	slot   slot                  // 0 without a walk
	seen   map[graph.NodeID]bool // true for an object that counts
	todo   []graph.NodeID        // their dependents and members have to be visited
	at     graph.NodeID          // its dependents are being visited, or its members
	inside bool                  // its members are being visited
	cursor *graph.Cursor         // open during a walk
	found  int
}

// inline is the number of references that a decision looks at itself.
const inline = 256

// begin begins to count a cascade that is not known. The walk begins at the seeds: the nodes
// of the root, and of those owners that are gone and have this root. Known is a number of
// objects below the root that is known without a walk. Without room it does nothing. LeftOut
// trips at once.
func (m *Machine) begin(v View, root graph.Key, seeds []graph.NodeID, known int) {
	s := m.remember(root)
	if s == 0 {
		return
	}
	c := m.at(s)
	m.noteGap(v, c)
	switch {
	case root == LeftOut():
		m.trip(v, s, RootsLeftOut)
		return
	case known > m.set.PerCascade:
		m.trip(v, s, TooMany)
		return
	}
	c.state, c.seeds = Counting, slices.Clone(seeds)
	m.noteEnd(s)
	m.pending.Push(&s)
	m.stepWalk(v, inline)
}

// noteGap notes which kinds the count of a cascade leaves out. The log names the same kinds once.
func (m *Machine) noteGap(v View, c *cascade) {
	c.gap, c.returned = v.Gap, v.Returned
	if v.Gap == nil || v.Gap.Is(m.said) {
		return
	}
	m.said = v.Gap
	v.Out.Warn("the brake counts cascades without the kinds that are sick and not listed", "kinds", v.Gap.Names())
}

// stepWalk goes on with the walks, for about budget references. It returns the rest of the
// budget.
func (m *Machine) stepWalk(v View, budget int) int {
	w := &m.walk
	for budget > 0 && (w.slot != 0 || m.pending.Len() > 0) {
		budget--
		switch {
		case w.slot == 0:
			m.startWalk(v)
		case w.found > m.set.PerCascade:
			m.endWalk(v, true)
		case w.at != 0:
			budget -= w.visitNext(v)
		case len(w.todo) == 0:
			m.endWalk(v, false)
		default:
			w.at, w.todo = w.todo[0], fifo.Rest(w.todo)
			if _, ok := w.seen[w.at]; ok && v.InUse(w.at) {
				w.inside = false
				w.cursor.Start(v.Graph, w.at)
			} else {
				w.at = 0
			}
		}
	}
	return budget
}

func (m *Machine) startWalk(v View) {
	var s slot
	m.pending.Pop(&s)
	m.walk = walk{slot: s, seen: map[graph.NodeID]bool{}, cursor: &graph.Cursor{}}
	v.Graph.OpenCursor(m.walk.cursor)
	for _, id := range m.at(s).seeds {
		if _, ok := m.walk.seen[id]; !ok && v.InUse(id) {
			m.walk.seen[id] = false
			m.walk.todo = append(m.walk.todo, id)
		}
	}
}

// endWalk ends the walk under way. The objects that wait for it are decided.
func (m *Machine) endWalk(v View, tooMany bool) {
	s := m.walk.slot
	m.stopWalk(v)
	if tooMany {
		m.trip(v, s, TooMany)
		return
	}
	c := m.at(s)
	c.state, c.seeds = Open, nil
	m.noteEnd(s)
	m.wake(v, &c.held)
}

func (m *Machine) stopWalk(v View) {
	if m.walk.slot != 0 {
		v.Graph.CloseCursor(m.walk.cursor)
	}
	m.walk = walk{}
}

// visitNext looks at the next dependent of the object being visited, then at its members. It
// returns the number of further references.
func (w *walk) visitNext(v View) int {
	id, ok := w.cursor.Next(v.Graph)
	switch {
	case ok && w.inside:
		w.countMember(v, id)
	case ok:
		return w.visit(v, id)
	case !w.inside:
		w.inside = true
		w.cursor.StartContents(v.Graph, w.at)
	default:
		w.at = 0
	}
	return 0
}

// countMember counts a member of a container. No owner keeps it: the actor of the container deletes it
// with every other member.
//
//test:by TestWalkContents
func (w *walk) countMember(v View, id graph.NodeID) {
	n := v.Node(id)
	if _, ok := w.seen[id]; ok || n.State() != graph.Observed {
		return
	}
	w.add(id, !n.Deleting())
}

func (w *walk) add(id graph.NodeID, counts bool) {
	if w.seen[id] = counts; counts {
		w.found++
	}
	w.todo = append(w.todo, id)
}

// visit looks at a dependent. It counts the dependent once it goes by its references (RULES, E1). An
// owner counts as gone if it is not solid, or goes with the cascade. It returns the number of its owners.
//
//test:by TestWalk
func (w *walk) visit(v View, id graph.NodeID) int {
	n := v.Node(id)
	if _, ok := w.seen[id]; ok || n.State() != graph.Observed || n.Inside(inside.Key{}).Flawed() {
		return 0
	}
	var sum garbage.Sum
	for _, r := range n.References() {
		if _, goes := w.seen[r.Owner]; !r.Self {
			sum.Add(r.OnDelete, goes || r.Class != graph.Solid)
		}
	}
	if sum.Goes() {
		w.add(id, !n.Deleting())
	}
	return n.Owners()
}

// end takes an object off the count that has gone. Its dependents may still count.
func (w *walk) end(id graph.NodeID) {
	if w.seen[id] {
		w.seen[id] = false
		w.found--
	}
}

// drop forgets a node that leaves the graph.
func (w *walk) drop(id graph.NodeID) {
	delete(w.seen, id)
	if w.at == id {
		w.at = 0
	}
}
