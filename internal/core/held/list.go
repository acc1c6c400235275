package held

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Slice is the number of nodes that one From looks at.
const Slice = 1024

// Node is a node that was found to be held. It is a value.
type Node struct {
	Key graph.Key
	ID  graph.NodeID
}

// First returns the first held nodes, by key. It looks at all of them, and sorts little more
// than limit at a time.
func (t *Table) First(g *graph.Graph, limit int) []graph.NodeID {
	var found []Node
	for id := range t.held {
		if found = append(found, Node{g.Node(id).Key(), id}); len(found) >= 2*limit+64 {
			found = first(found, limit)
		}
	}
	ids := make([]graph.NodeID, 0, min(limit, len(found)))
	for _, n := range first(found, limit) {
		ids = append(ids, n.ID)
	}
	return ids
}

func first(found []Node, limit int) []Node {
	slices.SortFunc(found, func(a, b Node) int { return a.Key.Compare(b.Key) })
	return found[:min(limit, len(found))]
}

// From looks at a slice of the nodes, from an id on, and appends the held ones to found. It
// returns the id of the next slice, if there is one. If one slice has room for all held
// nodes, it returns these alone.
func (t *Table) From(g *graph.Graph, found []Node, from graph.NodeID) (all []Node, next graph.NodeID, more bool) {
	if len(t.held) <= Slice {
		found = nil
		for id := range t.held {
			found = append(found, Node{g.Node(id).Key(), id})
		}
		return found, 0, false
	}
	end := min(int(from)+Slice, g.Inside(inside.Key{}).Cap())
	for id := from; int(id) < end; id++ {
		if t.Has(id) {
			found = append(found, Node{g.Node(id).Key(), id})
		}
	}
	return found, graph.NodeID(end), end < g.Inside(inside.Key{}).Cap()
}

// Entries shows the entries of a slice of the nodes, from an id on, in no order. It returns the id
// of the next slice, if there is one. If one slice has room for all held nodes, it shows all.
//
//test:by TestEntries
func (t *Table) Entries(g *graph.Graph, from graph.NodeID, show func(Entry)) (next graph.NodeID, more bool) {
	if len(t.held) <= Slice {
		for _, x := range t.held {
			show(x)
		}
		return 0, false
	}
	end := min(int(from)+Slice, g.Inside(inside.Key{}).Cap())
	for id := from; int(id) < end; id++ {
		if x, ok := t.held[id]; ok {
			show(x)
		}
	}
	return graph.NodeID(end), end < g.Inside(inside.Key{}).Cap()
}

// Is reports whether the node is still held, and still of the same object.
func (t *Table) Is(g *graph.Graph, n Node) bool { return t.Has(n.ID) && g.Node(n.ID).Key() == n.Key }
