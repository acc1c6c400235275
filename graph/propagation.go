package graph

import "fmt"

// The finalizers by which a store remembers the propagation of a deletion. They are
// Kubernetes' own names, so that Kubernetes and this module read each other's objects.
const (
	FinalizerOrphan     = "orphan"
	FinalizerForeground = "foregroundDeletion"
)

// Propagation is the effect of an owner's deletion on its dependents.
type Propagation uint8

const (
	// Unset leaves the choice to the object's own finalizer, then to the default of its
	// kind.
	Unset Propagation = iota
	// Background removes the owner at once and its dependents afterwards.
	Background
	// Foreground marks the owner, which stays until the dependents whose reference blocks are
	// gone (Owner.Block). It waits for no other dependent, so the owner may go before those.
	Foreground
	// Orphan removes the owner and keeps the dependents, without their reference to it.
	Orphan
)

var propagationNames = [...]string{"unset", "background", "foreground", "orphan"}

// String returns the lower-case name of the propagation.
func (p Propagation) String() string {
	if int(p) < len(propagationNames) {
		return propagationNames[p]
	}
	return fmt.Sprintf("propagation(%d)", uint8(p))
}

// ParsePropagation reads the text that String writes. Other text is an error.
func ParsePropagation(s string) (Propagation, error) {
	for p, name := range propagationNames {
		if s == name {
			return Propagation(p), nil
		}
	}
	return Unset, fmt.Errorf("parse propagation %q: want background, foreground or orphan", s)
}

// Finalizer returns the finalizer of p, or "" for Background and Unset, which need none.
func (p Propagation) Finalizer() string {
	switch p {
	case Orphan:
		return FinalizerOrphan
	case Foreground:
		return FinalizerForeground
	}
	return ""
}
