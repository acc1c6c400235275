package e2e

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// misnamed refers to the UID of an object under another kind.
func misnamed(owner object, kind string) option {
	return references(metav1.OwnerReference{APIVersion: "v1", Kind: kind, Name: owner.name, UID: owner.uid})
}

// TestInvalidReferenceEvents: package run's program reports a deletion because of a reference to
// the UID of another object. A wrong namespace has the type, reason and words of the Event of
// Kubernetes' collector. A program that observes reports it too, and deletes nothing.
func TestInvalidReferenceEvents(t *testing.T) {
	w := begin(t)
	other := w.ns + "-other"
	w.create(namespace, other)
	owner := w.create(configMap, "owner")
	watched := w.create(configMap, "watched", under(other), misnamed(owner, "Secret"))
	_, end := w.runUntil("-events")
	seen := w.eventAbout(watched, "OwnerRefInvalidNamespace")
	w.stays(watched)
	end()
	_, end = w.runUntil("-act -events")
	w.goes(watched)
	ours, kind := w.create(configMap, "ours", under(other), misnamed(owner, "Secret")), w.create(configMap, "kind", misnamed(owner, "Secret"))
	w.goes(ours, kind)
	got := w.eventAbout(ours, "OwnerRefInvalidNamespace")
	if want := `; the UID is that of ConfigMap "owner" in namespace "` + w.ns + `"`; got != seen || !strings.HasSuffix(got, want) {
		t.Errorf("%q, and %q of the program that observes, want the end %q", got, seen, want)
	}
	if got := w.eventAbout(kind, "OwnerRefInvalidKind"); !strings.HasPrefix(got, "Warning: ownerRef [v1/Secret, namespace: "+w.ns+", name: owner, uid: "+string(owner.uid)+"] does not exist in namespace ") {
		t.Errorf("of another kind: %q", got)
	}
	end()
	upstream := w.upstream()
	upstream.sees([]object{owner})
	theirs := w.create(configMap, "theirs", under(other), misnamed(owner, "Secret"))
	w.goes(theirs)
	if want := w.eventAbout(theirs, "OwnerRefInvalidNamespace"); !strings.HasPrefix(got, want+";") {
		t.Errorf("ours is %q, and theirs %q", got, want)
	}
	w.stays(owner)
	t.Logf("ours: %s\ntheirs: %s", got, w.eventAbout(theirs, "OwnerRefInvalidNamespace"))
}
