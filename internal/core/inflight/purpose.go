package inflight

import "fmt"

// Purpose says what a call is for.
type Purpose uint8

const (
	// PurposeUnset is no call.
	PurposeUnset Purpose = iota
	// Read reads an owner: evidence for its dependents.
	Read
	// Reread reads the object of a node itself, before the next decision about it.
	Reread
	// ReadHolder reads the holder of a sweep.
	ReadHolder
	// Patch changes an object.
	Patch
	// Delete deletes an object.
	Delete
	// Fence begins a fence.
	Fence
	// List asks for a listing.
	List
	// Handle runs a handler.
	Handle
	// Select asks for a page of a selection.
	Select
	// Judge asks for the verdict about a guarded root.
	Judge

	numPurposes
)

var purposeNames = [numPurposes]string{
	"unset", "read", "reread", "read holder", "patch", "delete", "fence", "list", "handle", "select", "judge",
}

// String returns the purpose in lower case.
func (p Purpose) String() string {
	if p < numPurposes {
		return purposeNames[p]
	}
	return fmt.Sprintf("purpose(%d)", uint8(p))
}

// IsRead reports whether the call is a read of any kind.
func (p Purpose) IsRead() bool { return p == Read || p == Reread || p == ReadHolder }

// HasKey reports whether the call is about one object.
func (p Purpose) HasKey() bool { return p >= Read && p <= Delete || p == Handle || p == Judge }

// isWrite reports whether the call is a write.
func (p Purpose) isWrite() bool { return p == Patch || p == Delete }

// Acts reports whether the call is a write or a run of a handler. A pause is about these.
func (p Purpose) Acts() bool { return p.isWrite() || p == Handle }

// isOwn reports whether the call is a write or a reread. A node has at most one of these.
func (p Purpose) isOwn() bool { return p == Reread || p.isWrite() }

// IsWork reports whether the call is the engine's work for its own object: see package
// unfinished.
func (p Purpose) IsWork() bool { return p.isOwn() || p == Handle }

// OrphanStep is the step of an orphaning that a write takes.
type OrphanStep uint8

const (
	// OrphanStepUnset is no step.
	OrphanStepUnset OrphanStep = iota
	// Frees drops the references of a dependent.
	Frees
	// Ends takes the orphan finalizer from the owner. A fence has shown every dependent from
	// before the mark.
	Ends
	// EndsUnfenced is Ends without that evidence.
	EndsUnfenced
)

// String returns the step in lower case.
func (s OrphanStep) String() string {
	return [...]string{"unset", "frees", "ends", "ends unfenced"}[s&3]
}
