package held

import (
	"fmt"

	"github.com/ownergraph/ownergraph/policy"
)

// Status tells a stuck object from a slow one. Package explain defines the words.
//
//test:by engine.TestOneVocabulary
type Status uint8

const (
	// Unset is no status: nothing keeps the object.
	Unset Status = iota
	// Moving: a call or a run of a handler is under way for it.
	Moving
	// Queued: it waits for its turn.
	Queued
	// Blocked: it waits for its dependents or members.
	Blocked
	// Pending: it waits for an actor outside, as is common in a deletion.
	Pending
	// Stuck: a part outside has to be mended or changed.
	Stuck

	numStatuses
)

var statusNames = [numStatuses]string{"unset", "moving", "queued", "blocked", "pending", "stuck"}

// String returns the status in lower case.
func (s Status) String() string {
	if s < numStatuses {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// StatusOf returns the status that goes with a reason to report an object.
//
//test:by TestStatusOfReasons
func StatusOf(r policy.Reason) Status {
	switch r {
	case policy.NeedDependents, policy.NeedMembers, policy.NeedPhase, policy.Restricted:
		return Blocked
	case policy.NeedFinalizers, policy.NeedGrace, policy.NeedAcknowledgement, policy.NeedWatch, policy.NeedListing, policy.BrakeListing,
		policy.NeedSelect, policy.StoreDelays, policy.ObserveOnly, policy.LevelTooLow,
		policy.Protected, policy.ProtectionUnknown, policy.NeedVerdict, policy.DeletionRefused, policy.CascadeRefused, policy.Paused, policy.OtherShare:
		return Pending
	}
	if r.Held() {
		return Stuck
	}
	return Unset
}

// Count returns the number of held objects with a status.
func (t *Table) Count(s Status) (n int) {
	for r, k := range t.counts {
		if k > 0 && StatusOf(policy.Reason(r)) == s {
			n += k
		}
	}
	return n
}

// Stuck returns the number of objects that are stuck. Another try alone changes nothing of
// it.
func (t *Table) Stuck() int { return t.Count(Stuck) + len(t.retried) }
