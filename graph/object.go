package graph

import "slices"

// Owner is an owner reference. It is a dependent's claim that the object at these
// coordinates owns it. It is a value and safe for concurrent use.
type Owner struct {
	// Key has the owner's coordinates, its scope as the store resolved it.
	Key
	// Unresolved says that the store could not tell the owner's scope or kind. Such an
	// owner is unknown. The reference deletes nothing, and it blocks each owner with its
	// UID.
	Unresolved bool
	// Block says that a foreground deletion of the owner waits for this object. Without it
	// the owner may go before this object.
	Block bool
	// Controller marks the one owner that manages this object. No other owner may adopt
	// the object. Decisions treat all owners alike, but an object with two controllers is
	// flawed.
	Controller bool
	// OnDelete is the policy of this reference. Config.Policies lets it act.
	OnDelete OnDelete
}

// Same reports whether o and p are the same claim. It ignores Block, Controller and
// OnDelete. A Change names references by it.
func (o Owner) Same(p Owner) bool { return o.Key == p.Key && o.Unresolved == p.Unresolved }

// Resolve returns the reference with the scope that a store gives it when it writes the reference.
// Scoped says that the owner's kind has scopes, and served that the store serves this kind. The stores
// of this module have these rules, and a store of a user may call Resolve:
//
//   - A reference to a kind that is not served is Unresolved.
//   - If the owner's kind has scopes and the reference names none, the owner is in the dependent's scope.
//   - If the dependent is global then, the reference is Unresolved.
//
//test:by TestOwnerResolve
func (o Owner) Resolve(dependent Key, scoped, served bool) Owner {
	switch {
	case !served:
		o.Unresolved = true
	case !scoped || o.Scope != "":
	case dependent.Scope == "":
		o.Unresolved = true
	case !o.Unresolved:
		o.Scope = dependent.Scope
	}
	return o
}

// OwnerElsewhere is an owner reference whose UID belongs to a live object at other coordinates.
type OwnerElsewhere struct {
	Owner Owner
	// Lives is the live object with the owner's UID.
	Lives Key
}

// Object is the metadata of one stored thing. An ownership decision depends on nothing
// else. It has no labels and no payload.
//
// An Object is a plain value that owns its slices. Its receiver may keep and change it.
// Use Clone before sharing. It is not safe for concurrent modification.
type Object struct {
	Key
	// Version is the state that the store conditions writes on.
	Version Version
	// Owners lists the owner references, in the store's order.
	Owners []Owner
	// Finalizers names the work to do before the store removes the object.
	Finalizers []string
	// Deleting is the deletion mark. Once set it is never cleared.
	Deleting bool
	// GraceSeconds is the grace period of the deletion mark, in seconds. An agent ends it
	// by a second deletion with a grace of 0 (collector proposal, "deletion handler").
	GraceSeconds int64
	// Generation counts the changes of the object's specification. The deletion mark
	// raises it. ObservedGeneration is the last generation that the object's controller
	// has acknowledged. Both are 0 in a store without generations.
	Generation, ObservedGeneration int64
}

// ControllerRef returns the usual reference to o, for the owners of an object that o manages: o is the
// controller, and a foreground deletion of o waits for that object. The result shares nothing with o.
//
// Take an object that the store has made. Without a UID the reference has none, so Validate refuses
// each object with it, and the stores of this module refuse the write. An object has at most one
// controller: further owners are an Owner without Controller.
//
//test:by TestControllerRef
func (o Object) ControllerRef() Owner { return Owner{Key: o.Key, Block: true, Controller: true} }

// Clone returns a copy that shares nothing with o.
func (o Object) Clone() Object {
	o.Owners = slices.Clone(o.Owners)
	o.Finalizers = slices.Clone(o.Finalizers)
	return o
}

// Equal reports whether o and p agree in every field. An empty slice equals a nil slice.
func (o Object) Equal(p Object) bool {
	return o.Version == p.Version && o.EqualContent(p)
}

// EqualContent is Equal without the version. A decision about one object is then right
// for the other.
func (o Object) EqualContent(p Object) bool {
	return o.Key == p.Key && o.Deleting == p.Deleting && o.GraceSeconds == p.GraceSeconds &&
		o.Generation == p.Generation && o.ObservedGeneration == p.ObservedGeneration &&
		slices.Equal(o.Owners, p.Owners) && slices.Equal(o.Finalizers, p.Finalizers)
}

// HasFinalizer reports whether the object carries the finalizer.
func (o Object) HasFinalizer(name string) bool { return slices.Contains(o.Finalizers, name) }

// Propagation returns the propagation of the object's own finalizer: Orphan, Foreground,
// or Unset without one. No store should allow both finalizers. If an object carries both,
// Orphan wins, because it keeps objects.
func (o Object) Propagation() Propagation {
	switch {
	case o.HasFinalizer(FinalizerOrphan):
		return Orphan
	case o.HasFinalizer(FinalizerForeground):
		return Foreground
	}
	return Unset
}

// Waiting reports whether the object is being deleted in the foreground. Such an object
// waits for its dependents.
func (o Object) Waiting() bool { return o.Deleting && o.Propagation() == Foreground }

// Orphaning reports whether the object is being deleted and leaves its dependents behind.
func (o Object) Orphaning() bool { return o.Deleting && o.Propagation() == Orphan }
