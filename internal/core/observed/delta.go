package observed

import "github.com/ownergraph/ownergraph/graph"

// Delta says what one Apply changed. It is valid until the next Apply: its
// slices are the graph's own.
type Delta struct {
	// Node is the node that the event was about, 0 for none. It may be in Freed.
	Node NodeID
	// Created: the node is new. Observed: it is observed and was not before.
	Created, Observed bool
	// Version: it is in another state than before: what was concluded from the
	// former one counts no more. Content that differs under one version is one.
	Version bool
	// Alike: nothing else than its version differs. It is not always told where a
	// version is no number. Held by TestAlike.
	Alike bool
	// Class: what it is as an owner has changed: solid, waiting, orphaning,
	// absent. Its dependents have to be looked at: a fan-out.
	Class bool
	// Mark: its deletion mark or propagation finalizer changed.
	Mark bool
	// Gone: it was observed and is now absent. Unseen: a listing has begun since it
	// was observed last, so that there may have been later states of it of which
	// nobody was told. Held by TestGoneUnseen.
	Gone, Unseen bool
	// Resurrected: it had been seen gone and is back. History went backwards.
	Resurrected bool
	// DuplicateUID: another observed node has the same UID, which no store may do.
	DuplicateUID bool
	// Acknowledged: its observed generation changed.
	Acknowledged bool
	// Owners lists the marked owners whose dependents changed by this event: the
	// old ones and then the new ones, in order of the references. An owner that
	// is both comes twice.
	Owners []NodeID
	// Added lists the phantoms that were made. Freed lists the nodes that are no
	// longer in the graph; an id in it is not used again within the Apply. A Gone
	// of what the graph did not hold is in it, too.
	Added []NodeID
	Freed []Freed
}

// reset empties it, and keeps the room of its lists.
func (d *Delta) reset() {
	d.Node = 0
	d.Created, d.Observed, d.Version, d.Alike, d.Class, d.Mark = false, false, false, false, false, false
	d.Gone, d.Unseen, d.Resurrected, d.DuplicateUID, d.Acknowledged = false, false, false, false, false
	d.Owners, d.Added, d.Freed = d.Owners[:0], d.Added[:0], d.Freed[:0]
}

// Freed is a node that left the graph.
type Freed struct {
	ID  NodeID
	Key graph.Key
	// Absent: it was seen gone, so that its absence outlives the node.
	Absent bool
	// Note is what the caller kept with it.
	Note uint64
}
