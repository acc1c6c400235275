package run

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/policy"
)

// mention says when an Event reports a reason.
type mention uint8

const (
	mentionNever   mention = iota
	mentionLater           // a held object, after Config.HeldAfter
	mentionHeld            // a held object, with the next read of the held objects
	mentionDecided         // a decision, at once
	mentionNormal          // a decision, at once, and not as a warning
	mentionCascade         // a decision about a whole cascade, at once; no object of the cascade
	mentionPause           // the beginning and the end of a pause, at once; no object that it covers
)

// mentionOf returns the mention of a reason. A setting and a grace period, which ends by
// itself, make no Event.
//
//test:by TestMentions
func mentionOf(r policy.Reason) mention {
	switch r {
	case policy.ObserveOnly, policy.LevelTooLow, policy.NeedGrace, policy.OtherShare: // the other collector makes the Event
		return mentionNever
	case policy.Paused:
		return mentionPause
	case policy.ObjectFlawed, policy.DeletionRefused: // they do not pass by themselves
		return mentionHeld
	case policy.VerdictRefused, policy.HoldRemoved, policy.RootUnguarded:
		return mentionDecided
	case policy.VerdictPassed, policy.DeletionApproved:
		return mentionNormal
	case policy.Braked, policy.CascadeRefused: // thousands of objects have them
		return mentionCascade
	}
	if r.Held() {
		return mentionLater
	}
	return mentionNever
}

// eventType returns the type of the Event.
func (m mention) eventType() string {
	if m == mentionNormal || m == mentionPause {
		return corev1.EventTypeNormal
	}
	return corev1.EventTypeWarning
}

// mentions reports whether an Event reports a decision at once. A decision about a whole cascade
// has no version. A barred one is not carried out.
func mentions(d engine.DecisionEvent) bool {
	switch mentionOf(d.Reason) {
	case mentionDecided, mentionNormal:
		return d.Barred == policy.ReasonUnset
	case mentionCascade:
		return d.Version == "" && d.Key.UID != ""
	}
	return false
}

// pauses returns whether a decision is the beginning or the end of a pause, and its range in
// words.
func pauses(d engine.DecisionEvent) (what string, is bool) {
	switch {
	case d.Reason != policy.Paused || d.Key.Name != "" || d.Key.UID != "":
		return "", false
	case d.Key.Kind != "":
		return "kind " + string(d.Key.Kind), true
	case d.Key.Scope != "":
		return "namespace " + d.Key.Scope, true
	}
	return "everything, or all objects without a namespace", true
}
