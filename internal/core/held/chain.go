package held

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Holding returns the first dependents that hold an object in its deletion, by key. It looks at a bounded
// number of dependents. Total counts all references that hold the object.
//
//test:by TestHolding
func Holding(g *graph.Graph, n graph.Node, most, look int) (ids []graph.NodeID, total int) {
	total, looked := n.Blocking(), 0
	dependents := n.Dependents()
	if n.Orphaning() {
		total, dependents = n.Referring()+n.Inside(inside.Key{}).Elsewhere(), n.Inside(inside.Key{}).Orphans()
	}
	for d := range dependents {
		if looked++; looked > look || len(ids) == most {
			break
		}
		for i, o := range d.OwnerNodes() {
			if o.Key().UID == n.Key().UID && (n.Orphaning() || d.Inside(inside.Key{}).Blocks(i)) && !slices.Contains(ids, d.ID()) {
				ids = append(ids, d.ID())
			}
		}
	}
	slices.SortFunc(ids, func(a, b graph.NodeID) int { return g.Node(a).Key().Compare(g.Node(b).Key()) })
	return ids, total
}

// RestrictedBy returns the first objects that restrict an object, by key, at most as many as it may look
// at. Total counts the others by their references.
//
//test:by TestRestrictedBy ownergraph.TestExplainRestricted
func RestrictedBy(g *graph.Graph, n graph.Node, look int) (ids []graph.NodeID, total int) {
	more := 0
	for d := range n.RestrictedBy() {
		switch {
		case len(ids) == look:
			more++
		case !slices.Contains(ids, d.ID()):
			ids = append(ids, d.ID())
		}
	}
	slices.SortFunc(ids, func(a, b graph.NodeID) int { return g.Node(a).Key().Compare(g.Node(b).Key()) })
	return ids, len(ids) + more
}

// Contents returns the observed members of a container, as far as it looks. Marked ones come first,
// since they wait for something, and then the key decides.
//
//test:by TestContents ownergraph.TestExplainContainer
func Contents(g *graph.Graph, n graph.Node, look int) (ids []graph.NodeID) {
	var cursor graph.Cursor // of one call, so the graph need not know it
	cursor.StartContents(g, n.ID())
	for range look {
		id, ok := cursor.Next(g)
		if !ok {
			break
		}
		if g.Node(id).State() == graph.Observed {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b graph.NodeID) int {
		p, q := g.Node(a), g.Node(b)
		switch {
		case p.Deleting() && !q.Deleting():
			return -1
		case q.Deleting() && !p.Deleting():
			return 1
		}
		return p.Key().Compare(q.Key())
	})
	return ids
}
