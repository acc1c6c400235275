package archive

import "github.com/ownergraph/ownergraph/graph"

// World has the entries that a restore may need, and tells which of their owners live.
type World struct {
	// Entries are the roots, each entry that their ends may have caused, and the entries of all owners of these.
	Entries []Entry
	// Lives reports whether the object with the UID lives unmarked. It is asked for owners of the entries, for restored
	// objects, and for roots without an entry.
	Lives func(graph.UID) bool
	// Ends reports whether the object with the UID is marked, and has not ended. It is asked for restored objects, and for
	// roots without an entry. Nil stands for none.
	Ends func(graph.UID) bool
}

// Request selects the roots of a restore, and how they come back.
type Request struct {
	// Roots are the objects that ended, by their UIDs. A restore needs at least one.
	Roots []graph.UID
	// Detach restores roots also without some of their owners (RULES, A3). Their references to these are left out.
	Detach bool
	// Rename returns the scope and the name of a restored object, which are those of its entry without it. A plan calls it once
	// for each member, and a restore in each of its turns. So it returns the same for the same key, and changes nothing. A place
	// that no object of the kind can have, or above the default graph.Limits, is an error before the first write.
	Rename func(graph.Key) (scope, name string)
}

// Set is the restore set of a request (RULES, A2): the largest one. Its lists are sorted by key, except as said.
type Set struct {
	// Members come back. An owner is before its dependents, and the members of a ring are beside each other.
	Members []Member
	// Back are the objects of the set that a restore has brought back: from each former key of theirs to the present one,
	// sorted.
	Back []graph.Relink
	// Ending are restored roots, and restored objects of the set, that are marked again, by key. Each may become a member
	// once it has ended, with the objects below it.
	Ending []graph.Key
	// Left are the entries below the roots that stay, with the cause.
	Left []Left
	// Refused are the roots that cannot come back now. If there is one, nothing is restored.
	Refused []Left
}

// Member is an object that comes back.
type Member struct {
	Entry *Entry
	// Former are the UIDs of earlier objects that a restore has made it from, sorted.
	Former []graph.UID
	// Root: the request has it.
	Root bool
	// Ring is the number of the ring of members that own each other, 0 for a member outside of rings. A ring is
	// created in one transaction (RULES, A4).
	Ring int
	// Scope and Name are those of the new object.
	Scope, Name string
	// Owners are the references that the new object gets. One to an owner that is back names the present object. One
	// to another member has the key of its entry.
	Owners []graph.Owner
}

// Place returns the place of the new object.
func (m *Member) Place() graph.Key {
	return graph.Key{Kind: m.Entry.Object.Kind, Scope: m.Scope, Name: m.Name}
}

// Left is an entry that a restore does not bring back.
type Left struct {
	// Entry is that of the object. With Purged and NotEnded there is none, and Entry.Object has the UID alone. A restore
	// fills in the present object of NotEnded, with its finalizers.
	Entry *Entry
	Why   Why
	// Owner is the missing owner, of CascadeMissing, RestrictMissing and OwnersMissing.
	Owner graph.Owner
}

// Why is the reason for which an entry stays away.
type Why uint8

// The reasons. The first three are the properties of RULES, A2.
const (
	_ Why = iota // unset
	// CascadeMissing: a Cascade owner is neither there nor restored with it.
	CascadeMissing
	// RestrictMissing: a Restrict owner is neither there nor restored with it.
	RestrictMissing
	// OwnersMissing: none of its unset owners is there or restored with it.
	OwnersMissing
	// Unreached: no member that comes back has taken it along.
	Unreached
	// UserDeleted: a user deleted it.
	UserDeleted
	// Purged: a root has no entry, and is no object.
	Purged
	// PayloadUnreadable: the store cannot read the payload: see Entry.Unreadable.
	PayloadUnreadable
	// EndedAgain: the root came back, and a user deleted it once more. That object has an entry of its own.
	EndedAgain
	// RingTooLarge: it is in a ring of more than MaxRing entries.
	RingTooLarge
	// NotEnded: a root lives, or is marked and has not ended. It has no entry yet.
	NotEnded
	numWhys
)

var whyNames = [numWhys]string{"unset", "a cascade owner is missing", "a restrict owner is missing",
	"no unset owner is there", "nothing that comes back took it along", "a user deleted it", "its entry is purged", "its payload cannot be read", "it came back, and a user deleted it once more", "its ring is too large", "it has not ended"}

// String returns the reason in lower case.
func (w Why) String() string {
	if w < numWhys {
		return whyNames[w]
	}
	return "unknown"
}

// MaxRing bounds the members of a ring, because one transaction creates a ring.
const MaxRing = 4096

// SetOf returns the restore set of a request. It needs no batch, no time and no order of the entries, so a restore
// that was cut short finds the rest of its set. The entries of the result are those of the world, which the caller
// does not change meanwhile.
//
//test:by TestSetAsSpecified
func SetOf(w World, r Request) Set {
	b := newBuilder(&w, &r)
	b.collect()
	b.decide()
	return b.result()
}
