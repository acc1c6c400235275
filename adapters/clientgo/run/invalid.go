package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// The reasons of the Events about a deletion because of an invalid reference. The first one is
// that of Kubernetes' collector, which reports no other.
const (
	invalidNamespace = "OwnerRefInvalidNamespace"
	invalidKind      = "OwnerRefInvalidKind"
	invalidName      = "OwnerRefInvalidName"
)

// invalidCode returns the reason of the Event about a dependent, and a reference to the UID of a
// live object at other coordinates. As in Kubernetes, the namespace goes first.
func invalidCode(dependent graph.Key, x *graph.OwnerElsewhere) string {
	switch {
	case x.Lives.Scope != "" && x.Lives.Scope != dependent.Scope:
		return invalidNamespace
	case x.Lives.Kind != x.Owner.Kind:
		return invalidKind
	}
	return invalidName
}

// noteInvalid offers an Event for each fault of the references that make the program delete an
// object. A program that observes reports them as well: the fault is in the reference, whichever
// collector deletes the object. A deletion that another reason bars is reported once it goes out.
//
//test:by TestInvalidReferences
func (w *sender) noteInvalid(d engine.DecisionEvent) {
	if d.Barred != policy.ReasonUnset && d.Barred != policy.ObserveOnly {
		return
	}
	for _, code := range []string{invalidNamespace, invalidKind, invalidName} {
		s := report{key: d.Key, topic: topic{uid: d.Key.UID, reason: policy.OwnersGone, code: code}} // also with OwnersWaiting
		for i := range d.Elsewhere {
			if invalidCode(d.Key, &d.Elsewhere[i]) == code {
				s.elsewhere = append(s.elsewhere, d.Elsewhere[i])
			}
		}
		if len(s.elsewhere) > 0 && !w.offerOneOfMany(s) && d.Call != 0 { // without a call it is decided again
			w.lost.Add(1)
		}
	}
}

// invalidText returns the message of an Event about invalid references, in the words of
// Kubernetes' collector. It adds the object that has the UID.
func (w *sender) invalidText(s *report) string {
	list := slices.Clone(s.elsewhere)
	slices.SortFunc(list, func(a, b graph.OwnerElsewhere) int {
		return cmp.Or(a.Owner.Key.Compare(b.Owner.Key), a.Lives.Compare(b.Lives))
	})
	var texts []string
	for i := range list[:min(len(list), maxOwners)] {
		r, lives := list[i].Owner, list[i].Lives
		version, kind := w.named(r.Kind).ToAPIVersionAndKind()
		text := fmt.Sprintf("ownerRef [%s, namespace: %s, name: %s, uid: %s] does not exist in namespace %q; the UID is that of %s %q",
			strings.TrimPrefix(version+"/"+kind, "/"), s.key.Scope, r.Name, r.UID, s.key.Scope, lives.Kind, lives.Name)
		if lives.Scope != "" {
			text += fmt.Sprintf(" in namespace %q", lives.Scope)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// sayLost logs the reports about deletions that were dropped. No later decision offers them again.
func (w *sender) sayLost() {
	if time.Since(w.lostAt) < complainEvery {
		return
	}
	if n := w.lost.Swap(0); n > 0 {
		w.lostAt = time.Now()
		w.log.Warn("Events about deletions because of invalid references were left out: too many at once", "count", n)
	}
}
