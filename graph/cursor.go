package graph

// Cursor walks the dependents of one node, or the members of a container, in pieces, while the graph
// changes between the pieces. It visits each reference that stands in the list from its beginning
// to its end. It does not visit later references, because their own events report them. The zero
// value stands on no node. A Cursor is not safe for concurrent use.
//
// The fan-out of the engine has one cursor in each node: see Fan in walk.go. A Cursor is for
// a reader beside the engine, such as the copy for a plan.
type Cursor struct {
	at     edgeID
	claim  NodeID // the claim on the node's UID, whose list follows
	member NodeID // of a container: see StartContents
	of     Content
}

// OpenCursor keeps the cursor right while references leave. The caller closes
// it. Few cursors are open at once, since each leaving reference looks at all of them.
func (g *Graph) OpenCursor(c *Cursor) { g.cursors = append(g.cursors, c) }

// CloseCursor ends OpenCursor. A cursor that is not open stays so.
func (g *Graph) CloseCursor(c *Cursor) {
	for i := range g.cursors {
		if g.cursors[i] == c {
			g.cursors[i] = g.cursors[len(g.cursors)-1]
			g.cursors = g.cursors[:len(g.cursors)-1]
			return
		}
	}
}

// Start puts an open cursor on the first dependent of a node in use.
func (c *Cursor) Start(g *Graph, id NodeID) {
	*c = Cursor{at: g.ownerRecordOf(id).firstDep, claim: g.claim(id)}
}

// Next returns the next dependent, or false at the end. A node with several references
// comes several times. A node that refers to itself comes, too.
//
//test:by TestCursor
func (c *Cursor) Next(g *Graph) (NodeID, bool) {
	dep, _, ok := c.next(g)
	return dep, ok
}

// NextReference is Next with the policy of the reference.
//
//test:by TestCursorPolicies
func (c *Cursor) NextReference(g *Graph) (NodeID, OnDelete, bool) {
	dep, id, ok := c.next(g)
	if id == 0 || !g.at(dep).is(ownersMark) {
		return dep, OnDeleteUnset, ok
	}
	return dep, g.onDelete(dep, int(g.edge(id).slot)), ok
}

// next returns the next dependent with the edge that leads to it, 0 for a member of a container.
func (c *Cursor) next(g *Graph) (dep NodeID, id edgeID, ok bool) {
	if c.at == 0 && c.claim != 0 {
		if g.inner().InUse(c.claim) {
			c.at = g.ownerRecordOf(c.claim).firstDep
		}
		c.claim = 0
	}
	if c.at == 0 {
		if c.member != 0 {
			return c.nextMember(g), 0, true
		}
		return 0, 0, false
	}
	id = c.at
	c.at, dep = g.following(id)
	return dep, id, true
}

// passCursors moves the cursors past an edge that leaves.
func (g *Graph) passCursors(id, next edgeID) {
	for _, c := range g.cursors {
		if c.at == id {
			c.at = next
		}
	}
}

// leaveCursors makes the cursors forget a claim that leaves the graph: its id may name another node
// later.
func (g *Graph) leaveCursors(id NodeID) {
	for _, c := range g.cursors {
		if c.claim == id {
			c.claim = 0
		}
	}
}

// maxSameUID bounds the nodes that SameUID returns.
const maxSameUID = 4096

// SameUID returns the other nodes with the UID of a node, at most maxSameUID: observed
// ones, phantoms of references with wrong coordinates, and the claim on the UID. Nearly
// every node has none.
//
//test:by TestSameUID
func (n innerNode) SameUID() (out []NodeID) {
	g, x := n.g, n.at()
	if !x.is(groupHeadMark | groupMemberMark) {
		return nil
	}
	if head := g.head(n.id); head != n.id {
		out = append(out, head)
	}
	for id := g.groupOf(n.id).first; id != 0 && len(out) < maxSameUID; id = g.groupLinks[id].next {
		if id != n.id {
			out = append(out, id)
		}
	}
	return out
}

// OfUID returns a node with the UID, in any state. SameUID of the node has the others.
//
//test:by TestSameUID
func (g inner) OfUID(u UID) (Node, bool) {
	id := g.withUID(g.packUID(u), u)
	return Node{g.Graph, id}, id != 0
}

// IsPlaced reports whether the node stands at the coordinates, with any UID.
func (n innerNode) IsPlaced(k Key) bool { return n.g.isPlaced(n.id, &k) }
