package history

import (
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/inflight"
	"github.com/ownergraph/ownergraph/policy"
)

// Entry is one deletion. It is a value that shares nothing with the history.
type Entry struct {
	// Object is the object as the watch showed it last: coordinates, version, mark, owners
	// and finalizers. Cut counts the owners and finalizers beyond the bounds, which are
	// left out.
	Object graph.Object
	Cut    int
	// Ended is the time at which the watch showed the end. Unseen: a listing showed it,
	// so the object may have had later states, and may have gone earlier.
	Ended   time.Time
	Unseen  bool
	Garbage Garbage
	Root    Root
	// Own: this engine deleted the object, or may have done so. Proof is the proof of that
	// deletion, as far as it was kept.
	Own   bool
	Proof Proof
}

// Garbage says whether an object was garbage when the watch showed its end.
type Garbage uint8

const (
	// GarbageUnset is none.
	GarbageUnset Garbage = iota
	// NoGarbage: the object had no owner, or a solid one.
	NoGarbage
	// WasGarbage: the object had owners, and each was gone or waiting.
	WasGarbage
	// GarbageUnknown: no owner was solid, and one was unknown.
	GarbageUnknown
)

var garbageNames = [...]string{"unset", "no garbage", "garbage", "unknown"}

// String returns the finding in lower case.
func (g Garbage) String() string { return garbageNames[g&3] }

// Root has the roots of a deletion: the objects whose deletions began it (RULES, Root). It
// is a value.
type Root struct {
	// Keys has the roots in order, at most MaxRoots. More counts the others. A root that
	// two owners leave out counts twice.
	Keys []graph.Key
	More int
	// Nearest: a root is unknown. Keys then has the nearest absent owners in its place.
	// Without Keys no owner is known to be absent.
	Nearest bool
}

// Proof is the reason for which this engine deleted an object (RULES, X4). It is a value.
type Proof struct {
	// Call is the number of the call. Outcome is OutcomeUnset while the call is under way.
	Call    uint64
	Outcome inflight.Outcome
	// Version is the judged version, which the call carried.
	Version     graph.Version
	Action      policy.Action
	Reason      policy.Reason
	Propagation graph.Propagation
	// Owners has each reference of that version, with the evidence. OwnersCut counts those
	// beyond the bound.
	Owners    []OwnerProof
	OwnersCut int
	// Holder is the holder whose sweep deleted the object, or zero.
	Holder graph.Key
}

// OwnerProof is the evidence about one owner at a decision. It is a value.
type OwnerProof struct {
	Owner graph.Owner
	Class graph.Class
	Self  bool // the reference leads back to the object, and does not count
	// Source is the source of the evidence for a dangling or waiting owner.
	Source Source
	// Since is the time since which the engine knew the owner to be absent or marked, zero
	// if that is not known.
	Since time.Time
}

// Source is the source of the evidence about an owner.
type Source uint8

const (
	// SourceUnset: nothing proves the owner absent or waiting.
	SourceUnset Source = iota
	// WatchGone: the watch showed the end of the owner.
	WatchGone
	// ReadAbsent: a call did not find the owner.
	ReadAbsent
	// ReadWaiting: a read showed the owner waiting.
	ReadWaiting
	// FencePassed: a fence passed since which the watch shows the owner waiting.
	FencePassed

	numSources
)

var sourceNames = [numSources]string{"unset", "the watch saw it go", "a read found nothing", "a read found it waiting", "a fence passed"}

// String returns the source in lower case.
func (s Source) String() string {
	if s < numSources {
		return sourceNames[s]
	}
	return fmt.Sprintf("source(%d)", uint8(s))
}
