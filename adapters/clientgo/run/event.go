package run

import (
	"cmp"
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
	component  = "ownergraph" // the sender of the Events
	maxMessage = 1024         // bytes, the limit of the server's validation
	maxOwners  = 8            // in one message
)

// event returns the Event of a report. Its name follows from object and reason, so the
// server refuses a repetition, for any version of the object's kind.
func (s report) event(by string, named schema.GroupVersionKind, now time.Time) *corev1.Event {
	at := s.key.Scope
	if at == "" {
		at = metav1.NamespaceDefault
	}
	name := sha256.Sum256(fmt.Appendf(nil, "%s %d %d%s%s", s.topic.uid, s.topic.reason, s.topic.doubt, s.topic.time, s.topic.code))
	code := cmp.Or(s.topic.code, s.topic.reason.Code())
	if s.topic.resumed {
		code = "Resumed"
	}
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: at, Name: fmt.Sprintf("%s.%x", component, name[:12])},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: named.GroupVersion().String(), Kind: named.Kind, Namespace: s.key.Scope, Name: s.key.Name, UID: types.UID(s.key.UID),
		},
		Type: mentionOf(s.topic.reason).eventType(), Reason: code, Message: s.message(),
		FirstTimestamp: metav1.NewTime(now), LastTimestamp: metav1.NewTime(now), Count: 1,
		Source: corev1.EventSource{Component: by}, ReportingController: by,
	}
}

// message returns the text of the report or of its reason, with the owners or the detail.
func (s report) message() string {
	words := cmp.Or(s.text, policy.Words(s.topic.reason, s.topic.doubt))
	detail := s.detail
	if s.topic.resumed {
		words = "the engine has resumed"
	}
	for _, o := range s.owners[:min(len(s.owners), maxOwners)] {
		detail = append(detail, fmt.Sprintf("%s %s (UID %s)", o.Kind, o.Name, o.UID))
	}
	if len(detail) > 0 {
		words += ": " + strings.Join(detail, ", ")
	}
	words = strings.ToValidUTF8(words, "?")
	if len(words) <= maxMessage {
		return words
	}
	cut := maxMessage - len("...")
	for !utf8.RuneStart(words[cut]) {
		cut--
	}
	return words[:cut] + "..."
}
