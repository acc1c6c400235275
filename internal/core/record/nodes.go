package record

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Nodes joins a graph with the states of its nodes. The engine passes it to a machine,
// which keeps it no longer than the call.
type Nodes struct {
	Graph *graph.Graph
	Table *Table
}

// Node returns a handle of a node.
func (n Nodes) Node(id graph.NodeID) graph.Node { return n.Graph.Node(id) }

// InUse reports whether the id names a node of the graph.
func (n Nodes) InUse(id graph.NodeID) bool { return n.Graph.Inside(inside.Key{}).InUse(id) }

// State returns a copy of the state of a node, the zero State for a node that is not in
// use.
func (n Nodes) State(id graph.NodeID) State { return n.Table.Get(n.Graph, id) }

// Peek returns the state of a node for reading: see Table.Peek.
func (n Nodes) Peek(id graph.NodeID, memory *State) *State {
	return n.Table.Peek(n.Graph, id, memory)
}

// Edit returns the state of a node. The machine may change it before it returns.
func (n Nodes) Edit(id graph.NodeID) *State { return n.Table.Edit(n.Graph, id) }

// OwnerID returns the node that stands for the i-th owner of a node. For a reference
// that counts by its UID it is the object with that UID. It is 0 without one.
func (n Nodes) OwnerID(id graph.NodeID, i int) graph.NodeID {
	o, ok := n.Graph.Node(id).OwnerNode(i)
	if !ok {
		return 0
	}
	return n.Means(id, o)
}

// Means returns the object that a reference of a node means, by the node to which it leads.
func (n Nodes) Means(id graph.NodeID, o graph.Node) graph.NodeID {
	if o.State() == graph.Observed {
		return o.ID()
	}
	if live, ok := n.OrphanedBy(id, o); ok {
		return live.ID()
	}
	if o.Inside(inside.Key{}).ByUID() {
		o, _ = n.Graph.Alive(o.Key().UID)
	}
	return o.ID()
}

// OrphanedBy returns the object that orphans a dependent by the UID of the owner o alone: see
// graph.Node. Its mark counts for dependents, and it is not the dependent itself.
func (n Nodes) OrphanedBy(dep graph.NodeID, o graph.Node) (graph.Node, bool) {
	live, ok := o.Inside(inside.Key{}).OrphanedBy()
	if !ok || live.ID() == dep || n.Peek(live.ID(), new(State)).Withheld {
		return graph.Node{}, false
	}
	return live, true
}
