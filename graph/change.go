package graph

import "slices"

// Precondition is what a write demands of the live object. A zero field
// demands nothing; the engine always sets both (rule R1 of package policy). Where it
// does not hold, the write changes nothing and answers ErrConflict.
type Precondition struct {
	UID     UID
	Version Version
}

// Holds reports whether the live object o satisfies p.
func (p Precondition) Holds(o Object) bool {
	return (p.UID == "" || p.UID == o.UID) && (p.Version == "" || p.Version == o.Version)
}

// Change is one atomic, metadata-only write: all of it happens or none. The
// zero Change changes nothing.
type Change struct {
	// DropOwners removes the references that are the Same as one of these.
	DropOwners []Owner
	// AddOwner adds a reference, if not nil.
	AddOwner *Owner
	// Unblock clears Block of the references that are the Same as one of these.
	Unblock []Owner
	// DropFinalizer and AddFinalizer name one finalizer each, or are empty.
	DropFinalizer, AddFinalizer string
}

// IsZero reports whether the change asks for nothing.
func (c Change) IsZero() bool {
	return len(c.DropOwners) == 0 && c.AddOwner == nil && len(c.Unblock) == 0 &&
		c.DropFinalizer == "" && c.AddFinalizer == ""
}

// Apply returns o as the change leaves it. The result shares nothing with o.
// Version, generation and removal are the store's: see package finalizer.
func (c Change) Apply(o Object) Object {
	o = o.Clone()
	same := func(list []Owner, r Owner) bool { return slices.ContainsFunc(list, r.Same) }
	o.Owners = slices.DeleteFunc(o.Owners, func(r Owner) bool { return same(c.DropOwners, r) })
	for i, r := range o.Owners {
		if r.Block && same(c.Unblock, r) {
			o.Owners[i].Block = false
		}
	}
	if c.AddOwner != nil {
		o.Owners = append(o.Owners, *c.AddOwner)
	}
	if c.DropFinalizer != "" {
		o.Finalizers = slices.DeleteFunc(o.Finalizers, func(f string) bool { return f == c.DropFinalizer })
	}
	if c.AddFinalizer != "" && !o.HasFinalizer(c.AddFinalizer) {
		o.Finalizers = append(o.Finalizers, c.AddFinalizer)
	}
	return o
}

// DeleteOptions says how to delete one object.
type DeleteOptions struct {
	Precondition Precondition
	// Propagation Unset keeps what the object's own finalizer says, then takes
	// the kind's default.
	Propagation Propagation
	// GraceSeconds is the grace period in seconds, nil for the store's default.
	GraceSeconds *int64
}
