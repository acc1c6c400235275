package explain

import "github.com/ownergraph/ownergraph/graph"

// Deletion is the end of an object that is gone, as the engine's history keeps it (law X4).
// It is a value. Its receiver owns the slices. It is not safe for concurrent modification.
type Deletion struct {
	// Object is the object as the watch showed it last: its coordinates, version, mark,
	// owners and finalizers. Cut counts the owners and finalizers beyond the bounds, which
	// are left out.
	Object graph.Object
	Cut    int
	// Unseen says that a listing without the object showed the end. The object may have
	// gone earlier, and may have had later versions.
	Unseen bool
	// Garbage says whether the object was garbage when the watch showed its end.
	Garbage Garbage
	Root    Root
	// Proof is the proof of this engine's delete. It is nil for an object that another
	// writer deleted.
	Proof *Proof
}

// Root has the roots of a deletion: the objects whose deletion began it. It is a value. Its
// receiver owns the slice.
type Root struct {
	// Keys has the roots in order, at most 8. More counts the others. A root that two
	// owners leave out counts twice.
	Keys []graph.Key
	More int
	// Nearest says that a root is unknown, for example since a restart. Keys then has the
	// nearest absent owners in its place, none if the engine knows of no absent owner.
	Nearest bool
}

// Proof is the reason for which the engine deleted an object, with the evidence at the time
// of the decision (law X4). It is a value. Its receiver owns the slice.
type Proof struct {
	// Certain says that the store has answered the call with success. Otherwise its outcome
	// is unknown, and another writer may have been first.
	Certain bool
	// Version is the judged version. The call carried it with the UID.
	Version graph.Version
	// Decision has the action, the reason and the propagation.
	Decision Decision
	// Owners has the references of that version, in their order. Evidence is the evidence
	// at the decision, and At is the time since which the engine knew the owner to be absent
	// or marked. OwnersCut counts the references beyond the bound.
	Owners    []Owner
	OwnersCut int
	// Holder is the holder whose sweep deleted the object, or the zero Key.
	Holder graph.Key
}

// Garbage says whether an object was garbage: it had owners, and each was absent or waiting.
type Garbage uint8

const (
	// GarbageUnset is no finding.
	GarbageUnset Garbage = iota
	// NoGarbage: the object had no owner, or a solid one.
	NoGarbage
	// WasGarbage: the object had owners, and each was absent or waiting.
	WasGarbage
	// GarbageUnknown: no owner was solid, and one was unknown.
	GarbageUnknown
)

var garbageNames = [...]string{"unset", "no-garbage", "garbage", "unknown"}

var garbageTextNames = [...]string{"", "it was no garbage", "it was garbage", "an owner was not known, so it may have been garbage"}

// String returns the finding as a word.
func (g Garbage) String() string { return word("garbage", garbageNames[:], uint8(g)) }

// MarshalText returns the word. An error wraps graph.ErrInvalid.
func (g Garbage) MarshalText() ([]byte, error) { return text("garbage", garbageNames[:], uint8(g)) }

// UnmarshalText reads the word. An error wraps graph.ErrInvalid.
func (g *Garbage) UnmarshalText(t []byte) error {
	return parse("garbage", garbageNames[:], t, (*uint8)(g))
}
