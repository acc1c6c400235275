package policy

import "fmt"

// Reason is the reason of a decision, of a report, and of a held object. All of them
// share one vocabulary.
type Reason uint8

const (
	// ReasonUnset is no reason.
	ReasonUnset Reason = iota

	// NoOwners: the object has no owner reference.
	NoOwners
	// OnlySelf: all references of the object lead back to it. The object is kept.
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
	// OwnerOrphans: an owner is in an orphan deletion, which keeps its dependents.
	OwnerOrphans
	// OwnerOrphaned: this engine completed the orphan deletion of an owner, which keeps the object.
	OwnerOrphaned
	// RingConfirmed: the object waits for itself in a ring.
	RingConfirmed
	// DependentsGone: dependents no longer block the object's foreground deletion.
	DependentsGone
	// DependentsFree: references no longer lead to the orphaning object.
	DependentsFree
	// AcknowledgementOverdue: an orphaning goes on, because its controller has not
	// acknowledged the deletion in time.
	AcknowledgementOverdue

	// NeedOwner: an owner must be read.
	NeedOwner
	// NeedFence: a fence must pass.
	NeedFence
	// NeedListing: an owner's kind must be listed.
	NeedListing
	// NeedWatch: a read contradicts the watch, and the watch must report a new state.
	NeedWatch
	// NeedDependents: dependents hold the object.
	NeedDependents
	// NeedFinalizers: foreign finalizers hold the object.
	NeedFinalizers
	// NeedGrace: the object's grace period must end.
	NeedGrace
	// NeedAcknowledgement: a controller must acknowledge the deletion.
	NeedAcknowledgement

	// FenceHeld: a sick kind blocks the fence.
	FenceHeld
	// OwnerUnknown: there is no proof that an owner exists, and no proof that it is absent.
	OwnerUnknown
	// ObjectFlawed: the object breaks a rule of the model.
	ObjectFlawed

	// OwnedInRing: the object and its owners own each other, and no other object owns
	// them. The object is kept.
	OwnedInRing
	// KindUnserved: the store does not serve the object's own kind.
	KindUnserved
	// KindSick: the object's own kind is sick, and a write to it failed.
	KindSick
	// StoreRefused: the store refused the write.
	StoreRefused
	// HandlerFailed: a finalizer's handler failed, and the engine tries it again.
	HandlerFailed
	// HandlerDone: a finalizer's handler has succeeded.
	HandlerDone
	// HandlerRuns: a finalizer's handler is running.
	HandlerRuns
	// Disturbed: writers on the object are faster than the engine.
	Disturbed
	// WriteUndone: the engine's write succeeded, and the next version asks for the same
	// write again.
	WriteUndone
	// ObserveOnly: the engine observes and does not write.
	ObserveOnly
	// LevelTooLow: the store's level is too low for writes.
	LevelTooLow
	// UIDShared: another live object has its UID.
	UIDShared
	// NeedAnswer: a write got no answer, or a watch broke. The store must answer a call
	// before the next write.
	NeedAnswer

	// HolderSeen: the engine has found a holder, and adds the finalizer of its sweep.
	HolderSeen
	// HolderDeleted: the object's holder is being deleted.
	HolderDeleted
	// MembersGone: the holder's members are gone.
	MembersGone
	// NeedMembers: the holder's members are not gone.
	NeedMembers
	// NeedSweep: the sweep of the holder has not reached the object yet.
	NeedSweep
	// HolderUnguarded: the holder was deleted before it carried the finalizer of
	// its sweep.
	HolderUnguarded
	// HolderUnfit: the engine cannot distinguish the holder's members from those of other holders.
	HolderUnfit
	// SweepUnserved: the sweep names a kind that the store does not serve.
	SweepUnserved
	// Contested: another, live holder has a claim on the object, too.
	Contested
	// NeedSelect: the holder's members by label must be selected.
	NeedSelect

	// FenceLost: the fence has not come for a healthy kind in time.
	FenceLost
	// WriteFails: writes to the object have failed several times, and the store does not
	// say that it refuses them.
	WriteFails

	// Protected: a rule or a finalizer protects the object.
	Protected
	// ProtectionUnknown: a selection by label must tell whether the object is protected.
	ProtectionUnknown
	// RootSeen: the root gets the finalizers of its guard.
	RootSeen
	// NeedVerdict: the guard must judge the root's deletion.
	NeedVerdict
	// VerdictPassed: the guard lets the root's deletion pass.
	VerdictPassed
	// VerdictRefused: the guard refuses the root's deletion.
	VerdictRefused
	// DeletionRefused: the root's deletion was refused, or came before the root carried both
	// finalizers of its guard. It needs an approval.
	DeletionRefused
	// DeletionApproved: a user approved the root's deletion.
	DeletionApproved
	// HoldRemoved: another writer has removed the finalizer hold of a guard from a marked root.
	HoldRemoved
	// HoldGone: a marked root has lost the finalizer hold of its guard, so its other finalizer goes too.
	HoldGone
	// RootUnguarded: the root was deleted before it carried the finalizers of its guard.
	RootUnguarded
	// GuardMissing: the root carries the finalizers of a guard, and no guard of this engine
	// judges it.
	GuardMissing
	// GuardUnfit: the guard selects an object that may not own others.
	GuardUnfit
	// OrderNeedsForeground: the deletion is repeated in the foreground, because its objects go
	// in phases.
	OrderNeedsForeground
	// NeedPhase: objects of an earlier phase must go first.
	NeedPhase
	// Braked: the cascade would delete more objects than the brake allows.
	Braked
	// BrakeWindow: the deletes of all cascades are as many as the brake allows for now.
	BrakeWindow
	// CascadeRefused: a user refused the cascade that the brake holds.
	CascadeRefused
	// BrakeListing: kinds must be listed before the brake counts the cascade.
	BrakeListing
	// StoreDelays: the store has put a call for the object off.
	StoreDelays
	// FenceFails: the store's call for a fence fails, or the store has put it off.
	FenceFails
	// JudgementFails: the judgement of the root's deletion fails.
	JudgementFails
	// Paused: the engine is paused.
	Paused
	// OtherShare: the object is in the share of another collector.
	OtherShare

	// CascadeOwnerGone: the owner of a cascade reference is absent, so the object goes.
	CascadeOwnerGone
	// CascadeOwnerWaits: the owner of a cascade reference waits, so the object goes.
	CascadeOwnerWaits
	// OwnerReleases: owners of release references go, so these references go.
	OwnerReleases
	// NoOwnerDeletes: no reference of the object deletes it.
	NoOwnerDeletes
	// Restricted: an unmarked object refers to it with restrict, so it is not deleted.
	Restricted
	// GraceNeedsForeground: the deletion is repeated in the foreground, because it passes its grace
	// period on.
	GraceNeedsForeground
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
	FenceHeld:           "a sick kind holds the fence", OwnerUnknown: "it is not known whether an owner exists",
	ObjectFlawed: "the object is flawed", KindUnserved: "its kind is not served", KindSick: "its kind is sick", StoreRefused: "the store refused the write",
	HandlerFailed: "a finalizer's handler failed", HandlerRuns: "a finalizer's handler is at work",
	HandlerDone: "a finalizer's handler has succeeded",
	Disturbed:   "other writers are faster", WriteUndone: "its write is undone again and again", ObserveOnly: "observing only",
	LevelTooLow: "the store promises too little", UIDShared: "another live object has its UID",
	HolderSeen:      "its members have to go before it",
	HolderDeleted:   "its holder is being deleted",
	MembersGone:     "its members are gone",
	NeedMembers:     "its members are not gone",
	NeedSweep:       "the sweep of its holder has still to come to it",
	HolderUnguarded: "it was deleted before its sweep could guard it",
	HolderUnfit:     "its members cannot be told from the members of others",
	SweepUnserved:   "its sweep names a kind that is not served",
	Contested:       "another object has a claim on it",
	NeedSelect:      "its members by label have to be selected",
	FenceLost:       "a kind has not passed the fence in time",
	WriteFails:      "writes to it fail",
	Protected:       "it is protected", ProtectionUnknown: "its protection is not known",
	RootSeen:             "a guard has to judge its deletion before the cascade",
	NeedVerdict:          "a guard has to judge its deletion",
	VerdictPassed:        "a guard lets its deletion pass",
	VerdictRefused:       "a guard refuses its deletion",
	DeletionRefused:      "its deletion needs an approval",
	DeletionApproved:     "its deletion is approved",
	HoldRemoved:          "another writer has taken its hold off",
	HoldGone:             "its guard no longer holds it",
	RootUnguarded:        "it was deleted before its guard could hold it",
	GuardMissing:         "it carries the finalizers of a guard that is not in the settings",
	GuardUnfit:           "it may not own others, so no guard can judge it",
	OrderNeedsForeground: "its dependents go in phases before it",
	NeedPhase:            "objects of an earlier phase go first",
	Braked:               "its cascade has more objects than the brake allows",
	BrakeWindow:          "the brake allows no more deletes for now",
	CascadeRefused:       "a user refused the cascade",
	BrakeListing:         "kinds have to be listed before the brake counts its cascade",
	Paused:               "the engine is paused",
	JudgementFails:       "the judgement of its deletion fails",
	StoreDelays:          "the store has put the call off",
	FenceFails:           "the store does not begin a fence",
	OtherShare:           "it is in the share of another collector",
	CascadeOwnerGone:     "the owner of a cascade reference is gone",
	CascadeOwnerWaits:    "the owner of a cascade reference waits for it",
	OwnerReleases:        "an owner goes, and its reference releases",
	NoOwnerDeletes:       "no reference of it deletes it",
	Restricted:           "another object restricts it",
	GraceNeedsForeground: "its dependents get its grace period",
}

// String returns the reason in words.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return fmt.Sprintf("reason(%d)", uint8(r))
}

// Held reports whether the engine reports an object with this reason as held. Such an
// object stays, against its owners or its deletion mark, until its dependents or
// something outside of the engine change. A running handler is no such reason.
func (r Reason) Held() bool {
	switch r {
	case OnlySelf, OwnedInRing, NeedFinalizers, NeedGrace, NeedDependents, NeedAcknowledgement, NeedWatch, FenceHeld, NeedListing,
		OwnerUnknown, ObjectFlawed, KindUnserved, KindSick, StoreRefused, HandlerFailed, Disturbed, WriteUndone, ObserveOnly, LevelTooLow, UIDShared,
		NeedMembers, HolderUnguarded, HolderUnfit, SweepUnserved, Contested, NeedSelect, FenceLost, WriteFails, StoreDelays, FenceFails,
		Protected, ProtectionUnknown, NeedVerdict, DeletionRefused, GuardMissing, GuardUnfit, NeedPhase, Braked, CascadeRefused, Paused, BrakeListing,
		JudgementFails, OtherShare, Restricted:
		return true
	}
	return false
}

// NamesFinalizers reports whether the causes of a decision with this reason are finalizers. A
// finalizer may look like a key in the notation of package graph, and is none.
func (r Reason) NamesFinalizers() bool {
	return r == NeedFinalizers || r == HandlerRuns || r == HandlerFailed
}
