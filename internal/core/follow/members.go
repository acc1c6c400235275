package follow

import (
	"math"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/dense"
	"github.com/ownergraph/ownergraph/internal/core/held"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/core/sweep"
	"github.com/ownergraph/ownergraph/internal/core/tombstone"
	"github.com/ownergraph/ownergraph/policy"
)

// View has the machines that a follower reads. The caller makes one for each call.
type View struct {
	sweep.View
	Sweeps  *sweep.Sweeps
	Ends    Ends
	Absent  *tombstone.Set // objects that have left the graph
	Rewound seq.Stamp      // the last rewind
}

// class is the list of a member.
type class uint8

const (
	gone    class = iota // the object is gone, and references may lead to it
	active               // the object exists, and is neither held nor blocked
	caused               // it is held: it waits for something that is no member
	blocked              // it waits for its dependents or members
	classes

	classBits = 2
)

// classOf returns the list of an observed node. One that waits for the write of another engine
// is not held: nothing keeps that engine from the write.
//
//test:by TestRecount
func classOf(v *View, id graph.NodeID) class {
	switch {
	case !v.Held.Has(id) || v.Held.Get(id).Reason == policy.ObserveOnly:
		return active
	case held.StatusOf(v.Held.Get(id).Reason) == held.Blocked:
		return blocked
	}
	return caused
}

// member is one entry of a set. Depth is 0 for the root and for objects that are gone.
// Another member has a reference to a member of a smaller depth.
type member struct {
	id    graph.NodeID
	depth uint32
}

// members is a set of members, and the walk that finds them.
type members struct {
	past      *past
	index     dense.Index // the place of a node: its position in a list, and the list
	lists     [classes]dense.List[member]
	todo      dense.List[graph.NodeID] // their dependents have to be visited
	expanding graph.NodeID             // the cursor is on its dependents, or on its content
	inside    bool                     // it is on the content, or on that of a container that is gone
	contents  []graph.Content          // of containers that are gone; their members have to be visited
	cursor    graph.Cursor
	scan      graph.NodeID // the next node of the scan for members of sweeps, 0 without one
	again     bool         // another scan is wanted
	holder    bool         // a holder is a member
	selected  uint64       // the members of sweeps at the beginning of the last scan
	suspect   bool         // a member may no longer have a way to the root
}

func newMembers(g *graph.Graph, p *past) *members {
	m := &members{past: p}
	g.OpenCursor(&m.cursor)
	return m
}

func (m *members) len(c class) int { return m.lists[c].Len() }

// place returns the list of a node and its position there.
func (m *members) place(id graph.NodeID) (c class, at int32, ok bool) {
	p := m.index.At(uint32(id))
	if p == dense.None {
		return 0, 0, false
	}
	return class(p & (1<<classBits - 1)), p >> classBits, true
}

func (m *members) has(id graph.NodeID) bool { return m.index.At(uint32(id)) != dense.None }

// depth returns the depth of a member.
func (m *members) depth(id graph.NodeID) (depth uint32, ok bool) {
	c, at, ok := m.place(id)
	if !ok {
		return math.MaxUint32, false
	}
	return m.lists[c].At(at).depth, true
}

func (m *members) put(id graph.NodeID, depth uint32, c class) {
	m.index.Set(uint32(id), int32(m.len(c))<<classBits|int32(c))
	m.lists[c].Push(member{id, depth})
}

// take removes an entry. The last one of its list takes its place.
func (m *members) take(id graph.NodeID) (was member, ok bool) {
	c, at, ok := m.place(id)
	if !ok {
		return member{}, false
	}
	l := &m.lists[c]
	was = *l.At(at)
	last := *l.At(int32(l.Len() - 1))
	*l.At(at) = last
	m.index.Set(uint32(last.id), at<<classBits|int32(c))
	l.Pop()
	m.index.Set(uint32(id), dense.None)
	return was, true
}

// move moves a member to another list.
func (m *members) move(id graph.NodeID, to class) {
	if was, ok := m.take(id); ok {
		m.put(id, was.depth, to)
	}
}

// add adds an observed node, and asks for a visit of its dependents.
func (m *members) add(v *View, id graph.NodeID, depth uint32) {
	m.put(id, depth, classOf(v, id))
	m.todo.Push(id)
	if v.Sweeps.Any() && v.Sweeps.IsHolder(id) {
		m.holder, m.again = true, true
	}
}

// anchor makes a node the place of an object that is gone. The references to it lead to a
// member.
func (m *members) anchor(id graph.NodeID) {
	if c, _, ok := m.place(id); ok && c == gone {
		return
	}
	m.take(id)
	m.put(id, 0, gone)
	m.todo.Push(id)
}

// forget forgets a node that left the graph. Nothing refers to it.
func (m *members) forget(id graph.NodeID) {
	m.take(id)
	m.stop(id)
}

// stop ends the visit of the dependents and the content of a node.
func (m *members) stop(id graph.NodeID) {
	if m.expanding == id {
		m.expanding, m.inside = 0, false
	}
}

// leave removes a member that stays in the graph, and asks for a review of its dependents.
func (m *members) leave(v *View, id graph.NodeID) {
	if _, ok := m.take(id); !ok {
		return
	}
	m.stop(id)
	m.todo.Push(id)
	m.suspect = m.suspect || m.holder && v.Sweeps.IsHolder(id)
}
