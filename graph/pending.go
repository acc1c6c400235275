package graph

import (
	"iter"
	"slices"
)

// Unswept yields the nodes that the sweep of a kind has still to look at, in its
// order; none if no sweep is under way.
func (g *Graph) Unswept(k Kind) iter.Seq[NodeID] {
	return g.chain(g.kinds[g.byKind[k]].sweep)
}

// Ranked yields all nodes of a kind, in the order of its sweeps.
func (g *Graph) Ranked(k Kind) iter.Seq[NodeID] {
	id, ok := g.byKind[k]
	if !ok {
		return g.chain(0)
	}
	return g.chain(g.kinds[id].first)
}

func (g *Graph) chain(id NodeID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for ; id != 0 && yield(id); id = g.nodes[id].nextKind {
		}
	}
}

// Unfanned yields the dependents that the fan-out of a node has still to visit,
// in its order; one that refers to the node twice comes twice.
func (g *Graph) Unfanned(id NodeID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for e := g.nodes[id].fan; e != 0 && yield(g.edges[e].dep); e = g.edges[e].next {
		}
	}
}

// Reused returns how many more nodes have to be made until the id names one
// again, from 1; 0 if it is in use or was never used. It takes a walk.
func (g *Graph) Reused(id NodeID) int {
	i := slices.Index(g.freeNodes, id)
	if i < 0 {
		return 0
	}
	return len(g.freeNodes) - i
}
