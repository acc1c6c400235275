package graph

// Delta is the change that one Apply made. It is valid until the next Apply, because its
// slices are the graph's own.
type Delta struct {
	// Node is the node of the event, 0 for none. It may be in Freed.
	Node NodeID
	// Created: the node is new. Observed: it is observed and was not before.
	Created, Observed bool
	// Version: the node has another state than before, and conclusions from the former
	// state are void. Different content under one version is another state.
	Version bool
	// Alike: only the version of the node differs. For a version that is no number Alike
	// may be false all the same.
	//
	//test:by TestAlike
	Alike bool
	// Class: the node's state as an owner has changed: solid, waiting, orphaning, absent.
	// Its dependents need a decision, by a fan-out.
	Class bool
	// Mark: the node's deletion mark or propagation finalizer has changed.
	Mark bool
	// Gone: the node was observed and is now absent. Unseen: a listing has begun since
	// the node was observed last. The node may have had later states that the watch did
	// not report. SharesUID: other nodes have the UID of the object that is gone.
	//
	//test:by TestGoneSharesUID
	Gone, Unseen, SharesUID bool
	// Resurrected: the node was observed gone and is back. History went backwards.
	Resurrected bool
	// DuplicateUID: another observed node has the same UID. No store may have that.
	DuplicateUID bool
	// Acknowledged: the observed generation of the node has changed.
	Acknowledged bool
	// Owners lists the marked owners whose dependents this event has changed: the former
	// owners, then the new ones, in order of the references. An owner that is both comes
	// twice.
	Owners []NodeID
	// Restricted lists the nodes that have become restricted or free by this event: see Node.Restricted.
	// The mark of such a node counts for no dependent, or counts again. A node may come twice.
	Restricted []NodeID
	// Added lists the new phantoms. Freed lists the nodes that have left the graph. The
	// graph does not use an id of Freed again within the Apply. Freed also has the Gone
	// of an object that the graph did not have.
	Added []NodeID
	Freed []Freed
}

// reset empties the Delta, and keeps the capacity of its lists.
func (d *Delta) reset() {
	d.Node = 0
	d.Created, d.Observed, d.Version, d.Alike, d.Class, d.Mark = false, false, false, false, false, false
	d.Gone, d.Unseen, d.SharesUID, d.Resurrected, d.DuplicateUID, d.Acknowledged = false, false, false, false, false, false
	d.Owners, d.Restricted, d.Added, d.Freed = d.Owners[:0], d.Restricted[:0], d.Added[:0], d.Freed[:0]
}

// Freed is a node that left the graph.
type Freed struct {
	ID  NodeID
	Key Key
	// Absent: the node was observed gone, so its absence outlives it.
	Absent bool
	// Note is the note of the caller: see Graph.SetNote.
	Note uint64
}
