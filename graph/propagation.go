package graph

import "fmt"

// The finalizers by which a store remembers how a deletion propagates. They
// are Kubernetes' own names, so that both worlds read each other's objects.
const (
	FinalizerOrphan     = "orphan"
	FinalizerForeground = "foregroundDeletion"
)

// Propagation says what the deletion of an owner does to its dependents.
type Propagation uint8

const (
	// Unset leaves the choice to the object's own finalizer, then to the
	// kind's default.
	Unset Propagation = iota
	// Background removes the owner at once and its dependents afterwards.
	Background
	// Foreground removes the dependents first; the owner waits for those whose
	// reference blocks.
	Foreground
	// Orphan removes the owner and keeps the dependents, without their
	// reference to it.
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

// ParsePropagation reads what String writes. Anything else is an error.
func ParsePropagation(s string) (Propagation, error) {
	for p, name := range propagationNames {
		if s == name {
			return Propagation(p), nil
		}
	}
	return Unset, fmt.Errorf("parse propagation %q: want background, foreground or orphan", s)
}

// Finalizer returns the finalizer that stands for p, or "" for Background and
// Unset, which need none.
func (p Propagation) Finalizer() string {
	switch p {
	case Orphan:
		return FinalizerOrphan
	case Foreground:
		return FinalizerForeground
	}
	return ""
}
