// Package invariant judges engines in two ways. A Ledger judges each write by
// what really happened in the store, which no engine can see. It keeps, for every
// object, what its owners were at any instant since the object's version was
// committed, and what a deletion mark protects:
//
//	S1   an object is deleted only if each owner of it is absent, or was waiting
//	     at some instant since the deleted version was committed
//	S1b  an object without owners, itself aside, is never deleted
//	S1c  at one instant since then, none of its owners was solid
//	S2   an owner that orphans disappears only after every reference that was
//	     committed before its mark is gone, and no such dependent is deleted
//	     because of it
//	S3   an owner that waits ends only after every blocking reference that was
//	     committed before its mark is gone or blocks no more
//	S3b  what is deleted because its owner waits, and is itself blocked by what
//	     was committed before that owner's mark, is deleted in the foreground
//	S3t  such a reference is trimmed only if the owner waited while another owner
//	     was solid, or dropped if the owner was orphaning since
//	S3r  it is unblocked only inside a ring of waiting objects
//	S4   a reference is dropped only if its owner is absent, or was waiting or
//	     orphaning at some instant since the version was committed
//	S5   every write carries UID and version, and lands on that version
//	S6   and on that incarnation
//	S14  an object that carries a propagation finalizer is deleted as it says
//
// A Witness judges each call by what its engine was told, so that a guess which
// turns out well is a breach all the same:
//
//	S1a  an object is deleted only if the engine was told of each of its owners
//	     that it is gone, was not found, or waits: of exactly these coordinates,
//	     in this history (what S13 asks of the memory of absence)
//	S4   a reference is dropped only if it was told so, or that the owner orphans
//	S5   every write that is asked for carries UID and version, whatever comes of it
//	S8   nothing is done because of a UID that two observed objects have
//	S9   at rest there are no more unobserved owners than references
//	S10  nothing is written before every kind has been listed since a rewind
//	S21  a finalizer goes after its handler has succeeded, and a handler runs for
//	     a marked object that asks for it
//	R3   a propagation ends after a fence that began when its mark was known
//
// Sweeps judges what engines do for Config.Sweeps, by what really was in the store;
// the witness judges it too, by what was told (marked w):
//
//	S23  what is deleted for a holder was, at some instant at which the holder was
//	     marked and confirmed, a member of it, and nobody else who lived had a claim
//	S23w the engine was told so, by the watch or by a conflict's read of the object,
//	     and a fence has passed that began later, and later than anybody who lives
//	     was last told to have a claim on it, too; of labels it was told at exactly
//	     this version, or by a selection without the object that began when this
//	     version was known
//	S24  a holder loses the finalizer of its sweep, or of its confirmation, only if
//	     at some instant since its mark nothing, or so little, was left of it; of
//	     members by labels, for each kind at an instant of its own
//	S24w where labels say who belongs to it, a selection of each kind that began
//	     when the mark was known was complete
//	S25w a phase that waits deletes nothing while the engine knows of members of the
//	     phases before
//	R3w  the finalizer of a sweep goes after a fence that began when the mark was known
//	L12  at rest, holders that live are guarded, and what is left of one that is
//	     marked is held by something
//
// They follow from the rules in the comment of package policy; their numbers are those
// of the list of invariants in internal/sim, which is a test.
package invariant
