package graph

import (
	"fmt"
	"iter"
)

// NodeID names a node within one graph. Ids are dense and start at 1. The graph uses the
// id of a freed node again, so a caller that keeps ids must follow Delta.Freed.
type NodeID uint32

// State is the part of a node's life that the watch has shown.
type State uint8

const (
	// StateUnset is no state: the node is not in use.
	StateUnset State = iota
	// Phantom: a reference names the node, and the watch has not shown it.
	Phantom
	// Observed: the watch has shown the node and not its end.
	Observed
	// Absent: the watch has shown the node's end, and dependents still refer to it.
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

// Node is a handle on one object of a graph: a small value that reads the graph. It stays
// valid until the next Apply. It is not safe for concurrent use.
type Node struct {
	g  *Graph
	id NodeID
}

type kindID uint32

// role is the state of an observed node as an owner.
type role uint8

const (
	plain role = iota
	waiting
	orphaning
	withheld // marked, and its mark counts for no dependent
)

// WithholdsMark reports whether the object is marked, and its mark counts for no dependent by itself.
// The restrictions of a node are apart: see Node.Restricted.
func (g inner) WithholdsMark(o *Object) bool { return g.ownRole(o) == withheld }

// ownRole returns the role of an object by itself. A mark that counts for no dependent leaves it
// plain: see roleAt.
func (g *Graph) ownRole(o *Object) role {
	switch {
	case !o.Deleting:
		return plain
	case g.cfg.WithholdsMark != nil && g.cfg.WithholdsMark(*o):
		return withheld
	case len(o.Finalizers) == 0:
		return plain
	case o.MarkWithheld():
		return withheld
	}
	switch o.Propagation() {
	case Foreground:
		return waiting
	case Orphan:
		return orphaning
	}
	return plain
}

func (n Node) at() *node { return n.g.at(n.id) }

// ID returns the node's id.
func (n Node) ID() NodeID { return n.id }

// Graph returns the graph of the node. A user of a node does not need it, and could change it.
func (n innerNode) Graph() *Graph { return n.g }

// Key returns the node's full coordinates, in one allocation. Scope and name of an
// unresolved claim are empty.
func (n Node) Key() Key { return n.g.key(n.id) }

// Kind returns the kind of the node's key without an allocation.
func (n Node) Kind() Kind { return n.g.kinds[n.g.places[n.at().place].kind].info.Kind }

// KindState returns the state of the node's kind.
func (n innerNode) KindState() KindState { return n.g.kinds[n.g.places[n.at().place].kind].report() }

// Scope returns the scope of the node's key without an allocation.
func (n Node) Scope() string { return n.g.places[n.at().place].scope }

// Named returns the node's full coordinates and its version, in one allocation.
func (n innerNode) Named() (Key, Version) { return n.g.named(n.id) }

// State returns the state of the node.
func (n Node) State() State { return n.at().state() }

// Version returns the observed version, "" for a phantom and an absent node.
func (n Node) Version() Version { return n.g.version(n.id) }

// HasVersion reports whether the node is observed at this version, without an allocation.
func (n innerNode) HasVersion(v Version) bool {
	x := n.at()
	if x.state() != Observed {
		return v == ""
	}
	var scratch [64]byte
	return string(n.g.appendVersion(scratch[:0], n.id)) == string(v)
}

// Object returns a copy of the observed object, which the caller owns. For a phantom and
// an absent node it has the key alone.
func (n Node) Object() Object { return n.g.object(n.id) }

// ByUID reports whether the node is no object and stands for the references to a UID
// alone. These are the unresolved references, and those to a kind of [Config].Ignore.
func (n innerNode) ByUID() bool { return n.g.isClaim(n.id) }

// Deleting reports whether the node is observed and marked for deletion.
func (n Node) Deleting() bool { return n.at().is(deletingMark) }

// HasFinalizers reports whether the observed object has a finalizer.
func (n innerNode) HasFinalizers() bool { return n.at().is(moreText) && n.g.facts(n.id).finalizers > 0 }

// HasFinalizer reports whether the observed object has this finalizer. It copies an object with
// finalizers.
func (n innerNode) HasFinalizer(name string) bool {
	if !n.HasFinalizers() {
		return false
	}
	o := n.Object()
	return o.HasFinalizer(name)
}

// Propagation returns the propagation of the observed object's finalizer.
func (n innerNode) Propagation() Propagation {
	if !n.at().is(moreText) {
		return Unset
	}
	return n.g.facts(n.id).propagation()
}

// Generations returns the generation of the observed object, and the one that its
// controller has observed.
func (n innerNode) Generations() (generation, seen int64) {
	f := n.g.facts(n.id)
	return f.generation, f.seen
}

// MarkWithheld reports whether the node is marked, and its mark counts for no dependent: see
// [Config.WithholdsMark] and Restricted.
func (n innerNode) MarkWithheld() bool { return n.at().role() == withheld }

// Restricts reports whether the node's references with OnDeleteRestrict restrict their owners, if it has
// any: it is unmarked, or its mark counts for no dependent, whatever restricts the node itself.
func (n innerNode) Restricts() bool {
	o := n.Object()
	return n.g.restricts(&o)
}

// Waiting reports whether the node is observed and waits for its dependents.
func (n Node) Waiting() bool { return n.at().role() == waiting }

// Orphaning reports whether the node is observed and leaves its dependents.
func (n Node) Orphaning() bool { return n.at().role() == orphaning }

// Owners returns the number of the node's owner references.
func (n Node) Owners() int {
	switch x := n.at(); {
	case x.is(ownersMark):
		return len(n.g.page(n.id).owners[slotOf(n.id)])
	case x.owner != 0:
		return 1
	}
	return 0
}

// OwnerAt returns the i-th owner reference in the form of the store.
func (n Node) OwnerAt(i int) Owner {
	if n.at().is(ownersMark) {
		return n.g.page(n.id).owners[slotOf(n.id)][i]
	}
	return [1]Owner{n.g.plainOwner(n.id)}[i]
}

// Blocks reports whether the i-th reference delays the foreground deletion of its owner.
func (n innerNode) Blocks(i int) bool {
	if x := n.at(); !x.is(ownersMark) {
		return x.is(blockMark)
	}
	return n.g.page(n.id).owners[slotOf(n.id)][i].Block
}

// SelfOwner reports whether the i-th reference leads back to the node. Such a reference
// never counts: not as owner, not as blocker, not as proof. An unresolved reference to
// the node's own UID is one, too. So is one that would count as absent, since the object lives.
//
//test:by TestSelfByUID
func (n innerNode) SelfOwner(i int) bool {
	o := n.owner(i)
	c, doubt := n.ownerClass(i, o)
	return n.isSelf(o, c, doubt)
}

func (n Node) isSelf(owner NodeID, c Class, doubt Doubt) bool {
	return owner != 0 && (n.g.leadsBack(n.id, owner) || (c == Dangling || doubt == Unobserved) && n.g.hasUIDOf(n.id, owner))
}

// OwnerNode returns the node of the i-th reference. For an unresolved reference that is
// the claim on the UID alone. A reference without a UID has no node.
func (n Node) OwnerNode(i int) (Node, bool) {
	id := n.owner(i)
	return Node{n.g, id}, id != 0
}

// owner returns the node of the i-th reference, or 0 for a reference without a UID. The
// record has the first one, and most objects have no other. The others take a lookup
// each, because a walk of the list may be thousands of steps.
func (n Node) owner(i int) NodeID {
	x := n.at()
	if i == 0 && !x.is(ownersMark) {
		return x.owner
	}
	r := n.g.page(n.id).owners[slotOf(n.id)][i]
	if r.UID == "" {
		return 0
	}
	k := n.g.resolve(n.Scope(), r)
	return n.g.lookup(&k)
}

// Reference is one owner reference of a node, as the graph alone shows it. It is a value.
type Reference struct {
	Owner       NodeID // 0 for a reference without a UID
	Self, Block bool
	Class       Class
	Doubt       Doubt
	OnDelete    OnDelete
}

// Reference returns the i-th owner reference, with one lookup: see SelfOwner, OwnerClass,
// Blocks and OwnerNode.
func (n Node) Reference(i int) Reference { return n.reference(i, n.owner(i)) }

func (n Node) reference(i int, owner NodeID) (r Reference) {
	r.Owner = owner
	if x := n.g.at(n.id); x.is(ownersMark) {
		o := &n.g.page(n.id).owners[slotOf(n.id)][i]
		r.Block, r.OnDelete = o.Block, o.OnDelete
	} else {
		r.Block = x.is(blockMark)
	}
	r.Class, r.Doubt = n.ownerClass(i, r.Owner)
	r.Self = n.isSelf(owner, r.Class, r.Doubt)
	return r
}

// References yields all owner references in order. It follows their list and makes no lookup, so
// it is for an object with many.
//
//test:by TestReferencesInOrder
func (n Node) References() iter.Seq2[int, Reference] {
	return func(yield func(int, Reference) bool) {
		next := n.g.firstEdge(n.id)
		for i := range n.Owners() {
			owner := NodeID(0) // of a reference without a UID
			if next != 0 {
				if e := n.g.edge(next); int(e.slot) == i {
					owner, next = e.owner, e.nextOwner
				}
			}
			if !yield(i, n.reference(i, owner)) {
				return
			}
		}
	}
}

// OwnerNodes yields the index and the node of each reference, in order. It leaves out
// references without a UID.
func (n Node) OwnerNodes() iter.Seq2[int, Node] {
	return func(yield func(int, Node) bool) {
		for id := n.g.firstEdge(n.id); id != 0; {
			e := n.g.edge(id)
			if id = e.nextOwner; !yield(int(e.slot), Node{n.g, e.owner}) {
				return
			}
		}
	}
}

// Dependents yields every other node that refers to this one, newest reference first.
// Then it yields the nodes whose unresolved reference names its UID. A node that refers
// to it twice comes twice.
func (n Node) Dependents() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for _, id := range [2]NodeID{n.id, n.g.claim(n.id)} {
			for e := n.g.ownerRecordOf(id).firstDep; e != 0; {
				next, dep := n.g.following(e)
				if e = next; dep != n.id && !yield(Node{n.g, dep}) {
					return
				}
			}
		}
	}
}

// DependentsByUID yields the nodes with a reference that names the UID, at whatever coordinates. A
// change of an object's state may change the class of each of these references, also of those with
// another kind, scope or name. A caller that decides anew after such a change needs them all. So it
// does after a Gone that has freed the node. A node that names the UID twice comes twice. The work
// is in proportion to the references. The graph must not change meanwhile.
//
//test:by TestDependentsByUID
func (g *Graph) DependentsByUID(u UID) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		head := g.withUID(g.packUID(u), u)
		for id := head; id != 0; {
			for e := g.ownerRecordOf(id).firstDep; e != 0; {
				next, dep := g.following(e)
				if e = next; !g.leadsBack(dep, id) && !yield(Node{g, dep}) {
					return
				}
			}
			switch {
			case !g.at(id).is(groupHeadMark | groupMemberMark):
				return
			case id == head:
				id = g.groupOf(id).first
			default:
				id = g.groupLinks[id].next
			}
		}
	}
}

// Referring returns the number of references of other nodes to the node. Unresolved
// references to its UID count.
func (n Node) Referring() int {
	return int(n.g.ownerRecordOf(n.id).refs + n.g.ownerRecordOf(n.g.claim(n.id)).refs)
}

// Blocking returns the number of those references that delay the node's foreground
// deletion.
func (n Node) Blocking() int {
	return int(n.g.ownerRecordOf(n.id).blocks + n.g.ownerRecordOf(n.g.claim(n.id)).blocks)
}

// Flawed reports whether the object breaks a rule of the model. No decision to delete or
// trim it may rest on such an object. Flaw returns the fault.
func (n innerNode) Flawed() bool { return n.at().is(flawedMark) }

// Unreadable reports whether the store could not read the observed object: see
// [Object.Unreadable].
func (n innerNode) Unreadable() bool {
	if !n.Flawed() || !n.HasFinalizers() {
		return false
	}
	o := n.Object()
	return o.Unreadable()
}

// Flaw returns the fault of a flawed object. The error wraps ErrInvalid and names object
// and field.
func (n Node) Flaw() error {
	if !n.inner().Flawed() {
		return nil
	}
	return n.g.flaw(n.Object())
}
