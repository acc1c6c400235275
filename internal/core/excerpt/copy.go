// Package excerpt copies the part of a graph that a deletion can affect, in small steps,
// while the graph changes (RULES, P1).
//
// The part has members and owners. Members are the roots, everything below a member, the content
// of each container among them, and each owner of a member that is marked, or that has to go and is
// restricted, since the end of that member may end the owner. The other owners of members belong to
// the copy, and nothing below them does.
package excerpt

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/garbage"
	"github.com/ownergraph/ownergraph/internal/core/orphaned"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// State is the knowledge of one object in a copy.
type State uint8

const (
	// StateUnset is no knowledge.
	StateUnset State = iota
	// Exists: the watch has shown the object and not its end.
	Exists
	// Absent: the object is proven absent.
	Absent
	// Unknown: a reference names the object, and it is proven neither present nor absent.
	Unknown
)

// String returns the state in lower case.
func (s State) String() string { return [...]string{"unset", "exists", "absent", "unknown"}[s&3] }

// Part is one object of a copy. It is a value, and the receiver owns it.
type Part struct {
	// Object is the object, or the key alone unless it exists.
	Object graph.Object
	State  State
	// Ended says that the watch has shown the end of the object.
	Ended bool
	// Member says that the deletion may affect the object.
	Member bool
	// Orphaned says that the engine has ended the orphaning of the object, which may still exist.
	Orphaned bool
	// End is the end of that owner.
	End orphaned.End
	// Shown has the UIDs of such owners that are gone, to which the object referred before.
	Shown []graph.UID
	// Known is the moment at which the engine knew the object's version.
	Known seq.Stamp
}

// View has the machines that the copy reads. The caller makes one for each call.
type View struct {
	record.Nodes
	Orphaned *orphaned.Memory // the owners whose orphaning has ended, or nil
	Rewound  seq.Stamp        // absence from before no longer counts
}

// Copy is a copy under way. Make one with New, call Step until it is done, and Observe
// with each change of the graph in between. Then Take returns the parts. A Copy is not safe
// for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. after the last Step, the parts are those of the graph
//  2. a member's dependents and content are members
//
// A loose copy keeps neither. Each of its parts was in the graph during the copy.
type Copy struct {
	parts     map[graph.NodeID]*part
	todo      []graph.NodeID
	first     int // of todo
	expanding graph.NodeID
	inside    bool // the members of the expanding node are being visited
	cursor    graph.Cursor
	changes   int
	members   int
	cut       bool
	loose     bool
	whole     bool
	scan      graph.NodeID // the next node of a whole copy
	until     graph.NodeID // the end of the scan of a loose one
}

type part struct {
	Part
	queued   bool
	expanded bool // its dependents have been visited, or are being
}

// New returns an empty copy. It is open in the graph until Close.
func New(g *graph.Graph) *Copy {
	c := &Copy{parts: map[graph.NodeID]*part{}}
	g.OpenCursor(&c.cursor)
	return c
}

// Close ends the copy. The graph then forgets it.
func (c *Copy) Close(g *graph.Graph) { g.CloseCursor(&c.cursor) }

// Add makes a node a member, with everything below it.
func (c *Copy) Add(id graph.NodeID) { c.add(id, true) }

// AddOwner adds a node without the objects below it.
func (c *Copy) AddOwner(id graph.NodeID) { c.add(id, false) }

// Has reports whether the node is a member, or about to be one.
func (c *Copy) Has(id graph.NodeID) bool {
	p := c.parts[id]
	return p != nil && p.Member
}

// Len returns the number of parts so far.
func (c *Copy) Len() int { return len(c.parts) }

// Members returns the number of times that a node has become a member.
func (c *Copy) Members() int { return c.members }

// IsCut reports whether more than graph.maxSameUID nodes had one UID, so that some are
// not copied.
func (c *Copy) IsCut() bool { return c.cut }

// Changes returns the number of parts that had to be copied again.
func (c *Copy) Changes() int { return c.changes }

// Loosen makes the copy disregard changes from now on, except for nodes that leave the graph. So it
// comes to an end, and its parts are of several moments.
//
//test:by TestCopyLoose
func (c *Copy) Loosen() { c.loose = true }

// IsLoose reports whether Loosen has been called.
func (c *Copy) IsLoose() bool { return c.loose }

func (c *Copy) add(id graph.NodeID, member bool) {
	p := c.parts[id]
	switch {
	case p == nil:
		p = &part{}
		c.parts[id] = p
	case p.Member || !member:
		return
	}
	if p.Member = member; member {
		c.members++
	}
	c.queue(id, p)
}

func (c *Copy) queue(id graph.NodeID, p *part) {
	if !p.queued {
		p.queued = true
		c.todo = append(c.todo, id)
	}
}

// Step copies about budget objects and references. It returns true once nothing is left to
// copy. The parts are then those of this moment.
func (c *Copy) Step(v View, budget int) (done bool) {
	for budget > 0 {
		if c.expanding != 0 {
			c.expand(v)
			budget--
			continue
		}
		if c.first == len(c.todo) {
			c.todo, c.first = c.todo[:0], 0
			if !c.whole {
				return true
			}
			cost, done := c.stepScan(v, budget)
			if done {
				return true
			}
			budget -= cost
			continue
		}
		id := c.todo[c.first]
		c.first++
		budget -= c.visit(v, id)
	}
	return false
}

// expand adds the next dependent of the node being expanded, or its next member.
func (c *Copy) expand(v View) {
	d, ok := c.cursor.Next(v.Graph)
	switch {
	case ok && c.inside && v.Graph.Node(d).State() != graph.Observed: // no member
	case ok:
		c.add(d, true)
	case !c.inside:
		c.inside = true
		c.cursor.StartContents(v.Graph, c.expanding)
	default:
		c.expanding = 0
	}
}

// visit copies one node and returns the cost.
func (c *Copy) visit(v View, id graph.NodeID) int {
	p := c.parts[id]
	if p == nil || !p.queued {
		return 1
	}
	p.queued = false
	n := v.Graph.Node(id)
	p.Object, p.State, p.Known = n.Object(), stateOf(v, n), v.State(id).Known
	p.Ended = n.State() == graph.Absent
	if v.Orphaned != nil {
		p.End, p.Orphaned = v.Orphaned.Has(p.Object.Key)
		p.Shown = v.Orphaned.Shown(p.Object.UID)
	}
	if !p.Member && (n.Deleting() || isKeptBack(v, n)) {
		p.Member = true
		c.members++
	}
	c.addSameUID(v, n, p.Member)
	if !p.Member {
		return 4
	}
	c.addOwners(v, n)
	if !p.expanded && !c.whole {
		p.expanded = true
		c.expanding, c.inside = id, false
		c.cursor.Start(v.Graph, id)
	}
	return 4 + n.Owners()
}

// isKeptBack reports whether a node has to go, as far as its owners or its last decision tell, and other
// objects restrict it (RULES, E4).
//
//test:by TestCopyRestricted
func isKeptBack(v View, n graph.Node) bool {
	if !n.Restricted() {
		return false
	}
	return garbage.Of(n).Goes() || v.State(n.ID()).Reason == policy.Restricted
}

// addSameUID adds the other nodes with the UID of a node. An object below a reference with wrong
// coordinates may be held until the object with that UID goes.
func (c *Copy) addSameUID(v View, n graph.Node, member bool) {
	others := n.Inside(inside.Key{}).SameUID()
	c.cut = c.cut || len(others) == graph.Inside(inside.Key{}).MaxSameUID()
	for _, id := range others {
		c.add(id, member && v.Graph.Node(id).State() != graph.Observed)
	}
}

// addOwners adds the owners of a node. A claim on a UID stands for each object with it.
func (c *Copy) addOwners(v View, n graph.Node) {
	for _, o := range n.OwnerNodes() {
		if !o.Inside(inside.Key{}).ByUID() {
			c.add(o.ID(), false)
			continue
		}
		for _, id := range o.Inside(inside.Key{}).SameUID() {
			if v.Graph.Node(id).State() == graph.Observed {
				c.add(id, false)
			}
		}
	}
}

func stateOf(v View, n graph.Node) State {
	switch n.State() {
	case graph.Observed:
		return Exists
	case graph.Absent:
		return Absent
	}
	if v.State(n.ID()).Absent > v.Rewound {
		return Absent
	}
	return Unknown
}

// Observe takes a change of the graph. It forgets the parts that the change concerns, so that they
// are copied again. It adds a new object below a member. The delta's nodes may have left the graph.
//
//test:by TestCopyMeanwhile
func (c *Copy) Observe(v View, d *graph.Delta) {
	for _, f := range d.Freed {
		if c.parts[f.ID] != nil {
			delete(c.parts, f.ID)
			c.changes++
		}
		if c.expanding == f.ID {
			c.expanding = 0
		}
	}
	for _, id := range d.Restricted {
		if p := c.parts[id]; p != nil && !c.loose {
			c.queue(id, p)
		}
	}
	if d.Node == 0 || c.loose || !v.InUse(d.Node) {
		return
	}
	if p := c.parts[d.Node]; p != nil {
		c.changes++
		if d.Observed { // a container has members only now
			p.expanded = false
		}
		c.queue(d.Node, p)
	}
	n := v.Graph.Node(d.Node)
	if c.whole && n.State() == graph.Observed {
		if c.parts[d.Node] == nil {
			c.changes++ // objects that come without an end would keep the copy from its own
		}
		c.add(d.Node, true)
		return
	}
	for _, o := range n.OwnerNodes() {
		if c.Has(o.ID()) || c.hasUID(o) {
			c.add(d.Node, true)
			return
		}
	}
	if n.State() == graph.Observed && slices.ContainsFunc(n.Inside(inside.Key{}).Containers(), c.Has) {
		c.add(d.Node, true)
		return
	}
	for _, id := range n.Inside(inside.Key{}).SameUID() {
		if c.parts[id] != nil {
			c.add(d.Node, false)
			return
		}
	}
}

// hasUID reports whether a member has the UID of a node.
func (c *Copy) hasUID(n graph.Node) bool {
	for _, id := range n.Inside(inside.Key{}).SameUID() {
		if c.Has(id) {
			return true
		}
	}
	return false
}

// Take returns the parts by key, and leaves the copy empty. It does not read the graph.
func (c *Copy) Take() []Part {
	order := make([]*part, 0, len(c.parts)) // a Part takes long to swap
	for _, p := range c.parts {
		order = append(order, p)
	}
	c.parts = map[graph.NodeID]*part{}
	slices.SortFunc(order, func(a, b *part) int { return a.Object.Key.Compare(b.Object.Key) })
	out := make([]Part, len(order))
	for i, p := range order {
		out[i] = p.Part
	}
	return out
}
