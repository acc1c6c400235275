package policy

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

var codeNames = [...]string{
	ReasonUnset: "Unset",
	NoOwners:    "NoOwners", OnlySelf: "OnlySelf", OwnerSolid: "OwnerSolid",
	OwnersGone: "OwnersGone", OwnersWaiting: "OwnersWaiting",
	DanglingBesideSolid: "DanglingBesideSolid", WaitingBesideSolid: "WaitingBesideSolid",
	OwnerOrphans: "OwnerOrphans", OwnerOrphaned: "OwnerOrphaned", RingConfirmed: "RingConfirmed",
	DependentsGone: "DependentsGone", DependentsFree: "DependentsFree", AcknowledgementOverdue: "AcknowledgementOverdue",
	NeedOwner: "NeedOwner", NeedFence: "NeedFence", NeedListing: "NeedListing", NeedWatch: "NeedWatch",
	NeedDependents: "NeedDependents", NeedFinalizers: "NeedFinalizers", NeedGrace: "NeedGrace",
	NeedAcknowledgement: "NeedAcknowledgement",
	FenceHeld:           "FenceHeld", OwnerUnknown: "OwnerUnknown", ObjectFlawed: "ObjectFlawed",
	OwnedInRing: "OwnedInRing", KindUnserved: "KindUnserved", KindSick: "KindSick", StoreRefused: "StoreRefused",
	HandlerFailed: "HandlerFailed", HandlerDone: "HandlerDone", HandlerRuns: "HandlerRuns",
	Disturbed: "Disturbed", WriteUndone: "WriteUndone", ObserveOnly: "ObserveOnly", LevelTooLow: "LevelTooLow",
	UIDShared: "UIDShared", NeedAnswer: "NeedAnswer",
	HolderSeen: "HolderSeen", HolderDeleted: "HolderDeleted", MembersGone: "MembersGone", NeedMembers: "NeedMembers",
	NeedSweep:       "NeedSweep",
	HolderUnguarded: "HolderUnguarded", HolderUnfit: "HolderUnfit", SweepUnserved: "SweepUnserved",
	Contested: "Contested", NeedSelect: "NeedSelect",
	FenceLost: "FenceLost", WriteFails: "WriteFails",
	Protected: "Protected", ProtectionUnknown: "ProtectionUnknown", RootSeen: "RootSeen", NeedVerdict: "NeedVerdict",
	VerdictPassed: "VerdictPassed", VerdictRefused: "VerdictRefused", DeletionRefused: "DeletionRefused", DeletionApproved: "DeletionApproved",
	HoldRemoved: "HoldRemoved", HoldGone: "HoldGone", RootUnguarded: "RootUnguarded", GuardMissing: "GuardMissing", GuardUnfit: "GuardUnfit",
	OrderNeedsForeground: "OrderNeedsForeground", NeedPhase: "NeedPhase",
	Braked: "Braked", BrakeWindow: "BrakeWindow", CascadeRefused: "CascadeRefused", BrakeListing: "BrakeListing", Paused: "Paused",
	StoreDelays: "StoreDelays", FenceFails: "FenceFails", JudgementFails: "JudgementFails", OtherShare: "OtherShare",
	CascadeOwnerGone: "CascadeOwnerGone", CascadeOwnerWaits: "CascadeOwnerWaits", OwnerReleases: "OwnerReleases",
	NoOwnerDeletes: "NoOwnerDeletes", Restricted: "Restricted", GraceNeedsForeground: "GraceNeedsForeground",
}

// Code returns the reason as one word, which is the name of its constant. The codes are
// stable: logs, JSON and the page of reasons use them. ReasonUnset is "Unset".
//
//test:by TestCodes
func (r Reason) Code() string {
	if int(r) < len(codeNames) {
		return codeNames[r]
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// ParseReason returns the reason with the code. An error wraps graph.ErrInvalid.
//
//test:by TestCodes
func ParseReason(code string) (Reason, error) {
	if i := slices.Index(codeNames[:], code); i >= 0 {
		return Reason(i), nil
	}
	return ReasonUnset, fmt.Errorf("read reason: unknown code %.100q: %w", code, graph.ErrInvalid)
}

// MarshalText returns the code. The error for a reason without one wraps graph.ErrInvalid.
func (r Reason) MarshalText() ([]byte, error) {
	if int(r) >= len(codeNames) {
		return nil, fmt.Errorf("write reason: %d has no code: %w", uint8(r), graph.ErrInvalid)
	}
	return []byte(codeNames[r]), nil
}

// UnmarshalText is ParseReason. After an error the reason is unchanged.
func (r *Reason) UnmarshalText(code []byte) error {
	x, err := ParseReason(string(code))
	if err == nil {
		*r = x
	}
	return err
}

// Words returns the reason in words. With OwnerUnknown these are the words of the doubt.
func Words(r Reason, d graph.Doubt) string {
	if r == OwnerUnknown && d != graph.DoubtUnset {
		return d.String()
	}
	return r.String()
}
