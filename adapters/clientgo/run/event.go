package run

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/policy"
)

const (
	component   = "ownergraph" // who tells
	mostMessage = 1024         // bytes, as the server's validation has it
	mostOwners  = 8            // that a message names
)

// reasonNames spell the reasons as the constants of package policy do, for those
// that an object is held for. What is left out is no Event: a setting, or a grace
// period, which ends by itself.
var reasonNames = [...]string{
	policy.OnlySelf: "OnlySelf", policy.OwnedInRing: "OwnedInRing",
	policy.NeedFinalizers: "NeedFinalizers", policy.NeedDependents: "NeedDependents",
	policy.NeedAcknowledgement: "NeedAcknowledgement", policy.NeedWatch: "NeedWatch", policy.NeedListing: "NeedListing",
	policy.FenceHeld: "FenceHeld", policy.FenceLost: "FenceLost", policy.WriteFails: "WriteFails", policy.OwnerUnknown: "OwnerUnknown", policy.ObjectFlawed: "ObjectFlawed",
	policy.KindUnserved: "KindUnserved", policy.KindSick: "KindSick", policy.StoreRefused: "StoreRefused",
	policy.HandlerFailed: "HandlerFailed",
	policy.Disturbed:     "Disturbed", policy.WriteUndone: "WriteUndone", policy.UIDShared: "UIDShared",
	policy.NeedMembers: "NeedMembers", policy.NeedConfirmation: "NeedConfirmation", policy.Contested: "Contested", policy.NeedSelect: "NeedSelect",
	policy.HolderUnguarded: "HolderUnguarded", policy.HolderUnfit: "HolderUnfit", policy.SweepUnserved: "SweepUnserved",
}

// nameOf returns a reason's constant, "" of one that no Event tells of.
func nameOf(r policy.Reason) string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return ""
}

// event returns the Event that says it. Its name follows from object and reason,
// so that the server refuses what has been said, in whatever version the object is
// named.
func (s statement) event(by string, named schema.GroupVersionKind, now time.Time) *corev1.Event {
	at := s.key.Scope
	if at == "" {
		at = metav1.NamespaceDefault
	}
	name := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", s.saying.uid, s.saying.reason, s.saying.doubt))
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: at, Name: fmt.Sprintf("%s.%x", component, name[:12])},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: named.GroupVersion().String(), Kind: named.Kind, Namespace: s.key.Scope, Name: s.key.Name, UID: types.UID(s.key.UID),
		},
		Type: corev1.EventTypeWarning, Reason: nameOf(s.saying.reason), Message: s.message(),
		FirstTimestamp: metav1.NewTime(now), LastTimestamp: metav1.NewTime(now), Count: 1,
		Source: corev1.EventSource{Component: by}, ReportingController: by,
	}
}

// message returns the reason in words, and whom or what it is about.
func (s statement) message() string {
	words := s.saying.reason.String()
	if s.saying.reason == policy.OwnerUnknown {
		words = s.saying.doubt.String()
	}
	detail := s.detail
	for _, o := range s.owners[:min(len(s.owners), mostOwners)] {
		detail = append(detail, fmt.Sprintf("%s %s (UID %s)", o.Kind, o.Name, o.UID))
	}
	if len(detail) > 0 {
		words += ": " + strings.Join(detail, ", ")
	}
	words = strings.ToValidUTF8(words, "?")
	if len(words) <= mostMessage {
		return words
	}
	cut := mostMessage - len("...")
	for !utf8.RuneStart(words[cut]) {
		cut--
	}
	return words[:cut] + "..."
}
