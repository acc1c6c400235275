package policy

import "fmt"

// Reason is the one vocabulary of why: of decisions, of reports and of what is
// held.
type Reason uint8

const (
	// ReasonUnset is no reason.
	ReasonUnset Reason = iota

	// NoOwners: the object has no owner reference.
	NoOwners
	// OnlySelf: all of its references lead back to itself. It is kept.
	OnlySelf
	// OwnerSolid: an owner exists.
	OwnerSolid

	// OwnersGone: every owner is proven absent.
	OwnersGone
	// OwnersWaiting: every owner is absent or waits for its dependents.
	OwnersWaiting
	// DanglingBesideSolid: some owners are absent, another is solid.
	DanglingBesideSolid
	// WaitingBesideSolid: some owners wait, another is solid.
	WaitingBesideSolid
	// OwnerOrphans: an owner is being deleted and leaves its dependents.
	OwnerOrphans
	// OwnerOrphaned: an owner has been deleted and left its dependents, by this
	// engine's own hand.
	OwnerOrphaned
	// RingConfirmed: the object waits for itself in a ring.
	RingConfirmed
	// DependentsGone: nothing blocks the object's foreground deletion any more.
	DependentsGone
	// DependentsFree: nothing refers to the object that orphans any more.
	DependentsFree
	// AcknowledgementOverdue: an orphaning goes on although its controller has
	// not acknowledged the deletion in the time that it was given.
	AcknowledgementOverdue

	// NeedOwner: an owner has to be read.
	NeedOwner
	// NeedFence: a fence has to pass.
	NeedFence
	// NeedListing: an owner's kind has to be listed.
	NeedListing
	// NeedWatch: a read contradicts the watch; the watch has to speak.
	NeedWatch
	// NeedDependents: dependents hold the object.
	NeedDependents
	// NeedFinalizers: finalizers that are not the engine's hold the object.
	NeedFinalizers
	// NeedGrace: the object's grace period has to end.
	NeedGrace
	// NeedAcknowledgement: a controller has to acknowledge the deletion.
	NeedAcknowledgement

	// FenceHeld: the fence waits for a kind that is sick.
	FenceHeld
	// OwnerUnknown: it cannot be told whether an owner exists.
	OwnerUnknown
	// ObjectFlawed: the object breaks a rule of the model.
	ObjectFlawed

	// OwnedInRing: it and its owners own each other, and nobody else owns them.
	// It is kept.
	OwnedInRing
	// KindUnserved: the object's own kind is not served.
	KindUnserved
	// KindSick: the object's own kind is sick, and a write to it failed.
	KindSick
	// StoreRefused: the store refused the write.
	StoreRefused
	// HandlerFailed: a finalizer's handler failed, and is tried again.
	HandlerFailed
	// HandlerDone: a finalizer's handler has succeeded.
	HandlerDone
	// HandlerRuns: a finalizer's handler is at work.
	HandlerRuns
	// Disturbed: writers on the object are faster than the engine.
	Disturbed
	// WriteUndone: the engine's write succeeded, and the next version asks for the
	// same one again.
	WriteUndone
	// ObserveOnly: the engine observes and does not write.
	ObserveOnly
	// LevelTooLow: the store promises too little to write to.
	LevelTooLow
	// UIDShared: another live object has its UID.
	UIDShared
	// NeedAnswer: after a write without an answer, or a watch that broke, the store
	// has to answer something before the next write.
	NeedAnswer

	// HolderSeen: a holder gets the finalizer of its sweep.
	HolderSeen
	// HolderDeleted: the holder to which the object belongs is being deleted.
	HolderDeleted
	// MembersGone: nothing is left of what belongs to the holder.
	MembersGone
	// NeedMembers: what belongs to the holder is not gone.
	NeedMembers
	// NeedSweep: the sweep of its holder has still to come to the object.
	NeedSweep
	// MembersFew: so little belongs to the holder that nobody has to confirm its
	// deletion.
	MembersFew
	// NeedConfirmation: so much belongs to the holder that somebody has to confirm
	// its deletion.
	NeedConfirmation
	// HolderUnguarded: the holder was deleted before it carried the finalizer of
	// its sweep.
	HolderUnguarded
	// HolderUnfit: what belongs to the holder cannot be told from what belongs to
	// others.
	HolderUnfit
	// SweepUnserved: the sweep names a kind that is not served.
	SweepUnserved
	// Contested: another holder, which lives, has a claim on the object too.
	Contested
	// NeedSelect: what belongs to the holder by its labels has to be selected.
	NeedSelect

	// FenceLost: a kind that is well has not passed the fence in time.
	FenceLost
	// WriteFails: writes to the object have failed several times, and the store does not
	// say that it refuses them.
	WriteFails
)

var reasonNames = [...]string{
	ReasonUnset: "unset", NoOwners: "no owners", OnlySelf: "owned by itself alone",
	OwnedInRing: "it and its owners own each other",
	OwnerSolid:  "an owner exists", OwnersGone: "all owners are gone",
	OwnersWaiting:       "all owners are gone or wait for it",
	DanglingBesideSolid: "some owners are gone, another exists",
	WaitingBesideSolid:  "some owners wait for it, another exists",
	OwnerOrphans:        "an owner leaves it", OwnerOrphaned: "an owner has left it",
	RingConfirmed:  "it waits for itself in a ring",
	DependentsGone: "nothing blocks it any more", DependentsFree: "nothing refers to it any more",
	AcknowledgementOverdue: "its controller has not acknowledged the deletion in time",
	NeedOwner:              "an owner has to be read", NeedFence: "a fence has to pass",
	NeedListing: "the owner's kind has to be listed", NeedWatch: "a read contradicts the watch",
	NeedAnswer:     "the store has to answer after a loss",
	NeedDependents: "dependents hold it", NeedFinalizers: "finalizers hold it",
	NeedGrace:           "its grace period has to end",
	NeedAcknowledgement: "its controller has to acknowledge the deletion",
	FenceHeld:           "a sick kind holds the fence", OwnerUnknown: "unknown",
	ObjectFlawed: "the object is flawed", KindUnserved: "its kind is not served", KindSick: "its kind is sick", StoreRefused: "the store refused the write",
	HandlerFailed: "a finalizer's handler failed", HandlerRuns: "a finalizer's handler is at work",
	HandlerDone: "a finalizer's handler has succeeded",
	Disturbed:   "other writers are faster", WriteUndone: "its write is undone again and again", ObserveOnly: "observing only",
	LevelTooLow: "the store promises too little", UIDShared: "another live object has its UID",
	HolderSeen:       "what belongs to it has to go before it",
	HolderDeleted:    "its holder is being deleted",
	MembersGone:      "nothing that belongs to it is left",
	NeedMembers:      "what belongs to it is not gone",
	NeedSweep:        "the sweep of its holder has still to come to it",
	MembersFew:       "so little belongs to it that nobody has to confirm",
	NeedConfirmation: "so much belongs to it that somebody has to confirm",
	HolderUnguarded:  "it was deleted before its sweep could guard it",
	HolderUnfit:      "what belongs to it cannot be told from what belongs to others",
	SweepUnserved:    "its sweep names a kind that is not served",
	Contested:        "somebody else has a claim on it",
	NeedSelect:       "what belongs to it by labels has to be selected",
	FenceLost:        "a kind has not passed the fence in time",
	WriteFails:       "writes to it fail",
}

// String returns the reason in words.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}

// Held reports whether an object with this reason is worth a report: it stays as it
// is, against what its owners or its deletion mark ask for, until something outside or
// its dependents change. A handler at work is no such reason.
func (r Reason) Held() bool {
	switch r {
	case OnlySelf, OwnedInRing, NeedFinalizers, NeedGrace, NeedDependents, NeedAcknowledgement, NeedWatch, FenceHeld, NeedListing,
		OwnerUnknown, ObjectFlawed, KindUnserved, KindSick, StoreRefused, HandlerFailed, Disturbed, WriteUndone, ObserveOnly, LevelTooLow, UIDShared,
		NeedMembers, NeedConfirmation, HolderUnguarded, HolderUnfit, SweepUnserved, Contested, NeedSelect, FenceLost, WriteFails:
		return true
	}
	return false
}
