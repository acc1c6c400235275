package finalizer

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Sweep says how everything that belongs to a holder is removed before the
// holder may go: a tenant and what was made for it, a scope and what is in it.
// Each holder carries Finalizer; when it is marked for deletion, its members are
// deleted, and the finalizer goes when none is left.
//
// Holders that hold each other, each a member of the other, wait for each other:
// that is held and reported, like any member that does not go.
//
// A Sweep is data but for its functions, which have to be pure: the same answer
// for the same objects, always. NewPlan checks it. It is not to be changed
// afterwards.
type Sweep struct {
	// Finalizer holds the holders. No handler and no other sweep may have it.
	Finalizer string
	// Holder is the kind of the holders; Holders, if set, says which of its
	// objects are some.
	Holder  graph.Kind
	Holders func(holder graph.Object) bool
	// Members says what belongs to a holder: whatever one of them names.
	Members []Members
	// Except, if set, names objects that are nobody's members, whatever Members
	// says of them.
	Except func(o graph.Object) bool
	// Phases are run in order. A member is in the first that takes it; what
	// none takes is in a last one, which waits for nothing.
	Phases []Phase
	// Confirm, if set, is a second finalizer, which guards a holder against a
	// deletion by mistake: of one with more than ConfirmAbove members nothing is
	// deleted before somebody has taken Confirm off. Until then members can be
	// released, or given to another holder.
	Confirm      string
	ConfirmAbove int
	// Unguarded lets a holder's members be swept that was deleted before it
	// carried the finalizer. By default that is reported and nothing is deleted.
	// Nor is anything where the watch has not told of each version: where a
	// listing alone says that the holder is gone, somebody may have taken the
	// finalizer off.
	Unguarded bool
}

// Members says which objects belong to a holder. Each of them names its holder
// in one way, so that an object can be asked whose it is: a name that begins
// like a holder's is not enough. All that is set has to hold.
//
// A holder that has a scope holds members of its own scope only. A holder is a
// member of another one only where Kinds names its kind, and never of itself.
type Members struct {
	// By says where an object names its holder.
	By By
	// Delimiter parts the holder's name from the rest. It is needed for ByName
	// and ByKind; without it a ByScope is the holder's name as a whole. The
	// holder's name stands before the first Delimiter, or after the last one
	// with Suffix.
	Delimiter string
	Suffix    bool
	// AfterText is the text with which the part begins that is looked at: "." for
	// the group in "widgets.acme-shop.example.org". An object without it is no
	// member. It cannot go with Suffix.
	AfterText string
	// TrimSuffix is what the text has to end with, and is cut off first:
	// ".example.org" with Suffix for "widgets.acme.example.org". It cannot go
	// without Suffix.
	TrimSuffix string
	// Named returns the name of an object's holder, "" for none, with ByFunc.
	Named func(o graph.Object) string
	// Label is the label that holds the holder's name, with ByLabel.
	Label string
	// Selector, if set, says which labels members have besides: "app=web,!keep".
	// See ParseSelector. Labels are no part of an object: a store that can select
	// by them is asked. Holders' own labels are never looked at, so neither this
	// nor Label can go with Kinds that name the holders'.
	Selector string
	// Global says that only objects without a scope are members.
	Global bool
	// Kinds, and KindIs, if set, say of which kinds members are.
	Kinds  []graph.Kind
	KindIs func(k graph.Kind) bool
	// Where, if set, says more of the two.
	Where func(holder, o graph.Object) bool
}

// By says where an object names its holder.
type By uint8

const (
	// ByUnset is no way.
	ByUnset By = iota
	// ByName: in its name.
	ByName
	// ByScope: in its scope.
	ByScope
	// ByKind: in its kind, such as the group of a custom resource.
	ByKind
	// ByOwner: by an owner reference to exactly this incarnation.
	ByOwner
	// ByFunc: as Named says.
	ByFunc
	// ByLabel: in its label Label.
	ByLabel
)

var byNames = [...]string{"unset", "name", "scope", "kind", "owner", "func", "label"}

// String returns the way in lower case.
func (b By) String() string {
	if int(b) < len(byNames) {
		return byNames[b]
	}
	return fmt.Sprintf("by(%d)", uint8(b))
}

// Phase is a part of a sweep.
type Phase struct {
	// Name says what the phase is about, in reports.
	Name string
	// Kinds, KindIs and Where, if set, say which members are in it. All that is
	// set has to hold.
	Kinds  []graph.Kind
	KindIs func(k graph.Kind) bool
	Where  func(o graph.Object) bool
	// After lets the phase begin only when all members of the phases before are
	// gone. When another one of theirs appears, it waits again.
	After bool
	// Propagation and GraceSeconds go with the deletions of the phase. Unset
	// leaves the propagation to the object and its kind, nil the grace period to
	// the store.
	Propagation  graph.Propagation
	GraceSeconds *int64
}
