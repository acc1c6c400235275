package record

import (
	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// Nodes joins a graph with the states of its nodes. The engine passes it to a machine,
// which keeps it no longer than the call.
type Nodes struct {
	Graph *observed.Graph
	Table *Table
}

// Node returns a handle of a node.
func (n Nodes) Node(id observed.NodeID) observed.Node { return n.Graph.Node(id) }

// InUse reports whether the id names a node of the graph.
func (n Nodes) InUse(id observed.NodeID) bool { return n.Graph.InUse(id) }

// State returns a copy of the state of a node, the zero State for a node that is not in
// use.
func (n Nodes) State(id observed.NodeID) State { return n.Table.Get(n.Graph, id) }

// Peek returns the state of a node for reading: see Table.Peek.
func (n Nodes) Peek(id observed.NodeID, memory *State) *State {
	return n.Table.Peek(n.Graph, id, memory)
}

// Edit returns the state of a node. The machine may change it before it returns.
func (n Nodes) Edit(id observed.NodeID) *State { return n.Table.Edit(n.Graph, id) }

// OwnerID returns the node that stands for the i-th owner of a node. For a reference
// that counts by its UID it is the object with that UID. It is 0 without one.
func (n Nodes) OwnerID(id observed.NodeID, i int) observed.NodeID {
	o, ok := n.Graph.Node(id).OwnerNode(i)
	if !ok {
		return 0
	}
	return n.Means(id, o)
}

// Means returns the object that a reference of a node means, by the node to which it leads.
func (n Nodes) Means(id observed.NodeID, o observed.Node) observed.NodeID {
	if o.State() == observed.Observed {
		return o.ID()
	}
	if live, ok := n.OrphanedBy(id, o); ok {
		return live.ID()
	}
	if o.ByUID() {
		o, _ = n.Graph.Alive(o.Key().UID)
	}
	return o.ID()
}

// OrphanedBy returns the object that orphans a dependent by the UID of the owner o alone: see
// observed.Node. Its mark counts for dependents, and it is not the dependent itself.
func (n Nodes) OrphanedBy(dep observed.NodeID, o observed.Node) (observed.Node, bool) {
	live, ok := o.OrphanedBy()
	if !ok || live.ID() == dep || n.Peek(live.ID(), new(State)).Withheld {
		return observed.Node{}, false
	}
	return live, true
}
