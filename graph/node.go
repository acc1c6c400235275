package graph

import (
	"fmt"
	"iter"
)

// NodeID names a node within one graph. Ids are dense, start at 1 and are used
// again after a node was freed: whoever keeps one beside the graph must follow
// Delta.Freed.
type NodeID uint32

// State says how much of a node has been observed.
type State uint8

const (
	// StateUnset is no state: the node is not in use.
	StateUnset State = iota
	// Phantom: somebody refers to it and nobody has observed it.
	Phantom
	// Observed: the watch reported it and not its end.
	Observed
	// Absent: the watch reported its end, and dependents still refer to it.
	Absent
)

var stateNames = [...]string{"unset", "phantom", "observed", "absent"}

// String returns the state in lower case.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// Node is a handle on one object of a graph: a small value that reads through.
// It stays valid until the next Apply, and is as safe for concurrent use as
// its graph: not at all.
type Node struct {
	g  *Graph
	id NodeID
}

// node is what the graph holds for one object.
//
// Its object is never changed in place: Apply replaces it as a whole, so that
// clones of the graph may share it.
type node struct {
	obj   Object // only the key, unless observed
	state State
	kind  kindID
	role  role
	flaw  bool
	epoch uint32 // of the listing that last brought it

	firstOwner edgeID // its references, in order
	firstDep   edgeID // who refers to it, newest first
	fan        edgeID // the fan-out's cursor
	refs       int32  // references from others
	blocks     int32  // those that block

	nextKind, prevKind NodeID // all nodes of the kind
}

// edge is one owner reference of one node. It is pointer-free, and its place
// in the owner's list of dependents can be left in one step.
type edge struct {
	dep, owner NodeID
	slot       int32 // index in the dependent's Owners
	block      bool
	nextOwner  edgeID // of the same dependent
	next, prev edgeID // of the same owner
}

type (
	edgeID uint32
	kindID uint32
)

// role is what an observed node is to its dependents.
type role uint8

const (
	plain role = iota
	waiting
	orphaning
)

func roleOf(o Object) role {
	switch {
	case o.Waiting():
		return waiting
	case o.Orphaning():
		return orphaning
	}
	return plain
}

func (n Node) at() *node { return &n.g.nodes[n.id] }

// ID returns the node's id.
func (n Node) ID() NodeID { return n.id }

// Key returns the node's full coordinates. Scope and name of an unresolved
// claim are empty.
func (n Node) Key() Key { return n.at().obj.Key }

// State returns how much of the node has been observed.
func (n Node) State() State { return n.at().state }

// Version returns the observed version, "" for a phantom and an absent node.
func (n Node) Version() Version { return n.at().obj.Version }

// Object returns what was observed. The caller owns the copy. Of a phantom and
// of an absent node it holds the key alone.
func (n Node) Object() Object { return n.at().obj.Clone() }

// View returns what was observed without a copy: the caller must not change
// its slices.
func (n Node) View() Object { return n.at().obj }

// Waiting reports whether the node is observed and waits for its dependents.
func (n Node) Waiting() bool { return n.at().role == waiting }

// Orphaning reports whether the node is observed and leaves its dependents.
func (n Node) Orphaning() bool { return n.at().role == orphaning }

// Owners returns the number of the node's owner references.
func (n Node) Owners() int { return len(n.at().obj.Owners) }

// OwnerAt returns the i-th owner reference as the store wrote it.
func (n Node) OwnerAt(i int) Owner { return n.at().obj.Owners[i] }

// SelfOwner reports whether the i-th reference leads back to the node. Such a
// reference never counts: not as owner, not as blocker, not as proof. An
// unresolved one on the node's own UID is one, too.
func (n Node) SelfOwner(i int) bool {
	return leadsBack(n.Key(), n.g.resolve(n.Key(), n.OwnerAt(i)))
}

// OwnerNode returns the node that the i-th reference leads to. For an
// unresolved reference it is the claim on the UID alone; for one without a UID
// it is nothing.
func (n Node) OwnerNode(i int) (Node, bool) {
	id := n.owner(i)
	return Node{n.g, id}, id != 0
}

// owner returns the node of the i-th reference, or 0 for one without a UID. The
// first one's edge is at hand, and most objects have one; the list is not
// walked for the others, since there may be thousands.
func (n Node) owner(i int) NodeID {
	x := n.at()
	if e := n.g.edges[x.firstOwner]; x.firstOwner != 0 && int(e.slot) == i {
		return e.owner
	}
	r := x.obj.Owners[i]
	if r.UID == "" {
		return 0
	}
	return n.g.byKey[n.g.resolve(x.obj.Key, r)]
}

// OwnerNodes yields the index of each reference and the node it leads to, in
// order. References without a UID are left out.
func (n Node) OwnerNodes() iter.Seq2[int, Node] {
	return func(yield func(int, Node) bool) {
		for e := n.at().firstOwner; e != 0; e = n.g.edges[e].nextOwner {
			if !yield(int(n.g.edges[e].slot), Node{n.g, n.g.edges[e].owner}) {
				return
			}
		}
	}
}

// Dependents yields every other node that refers to this one, newest reference
// first, and then those whose unresolved reference names its UID. A node that
// refers to it twice comes twice.
func (n Node) Dependents() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for _, id := range [2]NodeID{n.id, n.g.claim(n.id)} {
			for e := n.g.nodes[id].firstDep; e != 0; e = n.g.edges[e].next {
				if d := n.g.edges[e].dep; d != n.id && !yield(Node{n.g, d}) {
					return
				}
			}
		}
	}
}

// Referring returns how many references of others lead to the node, those with
// an unresolved scope that name its UID included.
func (n Node) Referring() int {
	return int(n.at().refs + n.g.nodes[n.g.claim(n.id)].refs)
}

// Blocking returns how many of them hold the node's foreground deletion.
func (n Node) Blocking() int {
	return int(n.at().blocks + n.g.nodes[n.g.claim(n.id)].blocks)
}

// Flawed reports whether the object breaks a rule of the model, so that no
// decision to delete or trim it may rest on it. Flaw says which.
func (n Node) Flawed() bool { return n.at().flaw }

// Flaw returns what is wrong with a flawed object: an error that wraps
// ErrInvalid and names object and field.
func (n Node) Flaw() error {
	if !n.at().flaw {
		return nil
	}
	return flaw(n.at().obj, n.g.cfg.Limits)
}
