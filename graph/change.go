package graph

import "slices"

// Precondition is the state of the live object that a write demands. A zero field demands
// nothing. The engine always sets both fields (RULES, R1). If the
// precondition is not met, the write changes nothing and returns ErrConflict.
type Precondition struct {
	UID     UID
	Version Version
}

// Holds reports whether the live object o satisfies p.
func (p Precondition) Holds(o Object) bool {
	return (p.UID == "" || p.UID == o.UID) && (p.Version == "" || p.Version == o.Version)
}

// Change is one atomic write of metadata. A store applies all of it or nothing. The zero
// Change changes nothing.
type Change struct {
	// DropOwners removes the references that are the Same as one of these.
	DropOwners []Owner
	// AddOwner adds a reference. Nil adds none.
	AddOwner *Owner
	// Relink moves references to other owners: see Relink. It comes after DropOwners.
	Relink []Relink
	// Unblock clears Block of the references that are the Same as one of these.
	Unblock []Owner
	// DropFinalizer and AddFinalizer name one finalizer each. An empty name does nothing.
	DropFinalizer, AddFinalizer string
}

// IsZero reports whether the change changes nothing.
func (c Change) IsZero() bool {
	return len(c.DropOwners) == 0 && c.AddOwner == nil && len(c.Relink) == 0 && len(c.Unblock) == 0 &&
		c.DropFinalizer == "" && c.AddFinalizer == ""
}

// Apply returns o after the change. The result shares nothing with o. The store sets the
// version and the generation, and removes the object: see package finalizer.
func (c Change) Apply(o Object) Object {
	o = o.Clone()
	same := func(list []Owner, r Owner) bool { return slices.ContainsFunc(list, r.Same) }
	o.Owners = slices.DeleteFunc(o.Owners, func(r Owner) bool { return same(c.DropOwners, r) })
	o.relink(c.Relink)
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

// Relink moves each reference to From to the owner To. The reference keeps its policy, Block and Controller. With other
// coordinates than those of From it gets the new UID alone, because it named no object before. It is dropped if
// To is the object itself or has another reference of it, because no object names an owner twice. It is for an owner that came
// back with another UID, after a restore or an import. A store of level 3 judges the reference as a new one.
type Relink struct {
	// From and To have full coordinates and UIDs.
	From, To Key
}

// relink moves references of the object, which owns its slices.
func (o *Object) relink(list []Relink) {
	if len(list) == 0 {
		return
	}
	moved := make([]bool, len(o.Owners))
	for i := range o.Owners {
		for _, l := range list {
			switch r := &o.Owners[i]; {
			case r.UID != l.From.UID:
				continue
			case r.Key == l.From:
				r.Key, r.Unresolved, moved[i] = l.To, false, true
			default:
				r.UID, moved[i] = l.To.UID, true
			}
			break
		}
	}
	named := map[UID]bool{o.UID: true}
	for i, r := range o.Owners {
		if !moved[i] {
			named[r.UID] = true
		}
	}
	kept := o.Owners[:0]
	for i, r := range o.Owners {
		if moved[i] && named[r.UID] {
			continue
		}
		named[r.UID] = true
		kept = append(kept, r)
	}
	o.Owners = kept
}

// DeleteOptions are the options of one deletion.
type DeleteOptions struct {
	Precondition Precondition
	// Propagation Unset keeps the propagation of the object's own finalizer. Without such
	// a finalizer the default of the kind applies.
	Propagation Propagation
	// GraceAtMost lets the object's own grace period count instead of GraceSeconds, if that is shorter
	// (RULES, E6). A store whose objects have no grace period of their own ignores it.
	GraceAtMost bool
	// GraceSeconds is the grace period in seconds, nil for the store's default.
	GraceSeconds *int64
	// Cause is the word of an engine: the object goes because of others (RULES, A1). Nil is a deletion by a user. A
	// store without an archive ignores it.
	Cause *Cause
}

// Cause says why an engine deletes an object.
type Cause struct {
	// Root is the object at the top of the cascade, as far as the engine knows.
	Root Key
	// Holder is the holder whose sweep deletes the object. It is zero for a deletion because of owners.
	Holder Key
}
