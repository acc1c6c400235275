package clientgo

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// ownersOf returns the owner references of an object, and those of its annotation with their policies.
func ownersOf(t *testing.T, m *meta) string {
	t.Helper()
	out := []string{}
	for _, r := range m.OwnerReferences {
		out = append(out, r.Name)
	}
	refs, err := annotated("ConfigMap", m)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range refs {
		out = append(out, fmt.Sprint(r.Name, ":", r.OnDelete))
	}
	return strings.Join(out, " ")
}

// TestSetOwner: an owner has one reference, in the list of its policy and at its former place there.
func TestSetOwner(t *testing.T) {
	a, b := ref("v1", "Node", "a", "ua"), blocking(ref("apps/v1", "Deployment", "b", "ub"))
	renamed := ref("v1", "Node", "renamed", "ua")
	m := named("ns", "m", a, b)
	m.Annotations = map[string]string{"x.io/note": "kept", OwnersAnnotation: policied(t, "other", graph.OnDeleteCascade, a).Annotations[OwnersAnnotation]}
	for _, c := range []struct {
		owner    metav1.OwnerReference
		onDelete graph.OnDelete
		want     string
		reason   string
	}{
		{b, graph.OnDeleteCascade, "a b:cascade", "it moves to the annotation, and the copy there goes"},
		{a, graph.OnDeleteRelease, "b:cascade a:release", "it comes behind the other"},
		{b, graph.OnDeleteRestrict, "b:restrict a:release", "the policy changes at its place"},
		{renamed, graph.OnDeleteRelease, "b:restrict renamed:release", "the UID names the owner"},
		{b, graph.OnDeleteUnset, "b renamed:release", "it moves back"},
		{b, graph.OnDeleteUnset, "b renamed:release", "nothing changes"},
		{a, graph.OnDeleteUnset, "b a", "the last one takes the annotation along"},
	} {
		if err := SetOwner(&m, configMaps, c.owner, c.onDelete); err != nil {
			t.Fatal(c.reason, err)
		}
		if got := ownersOf(t, &m); got != c.want || m.Annotations["x.io/note"] != "kept" {
			t.Errorf("%s: %s with the annotations %q, want %s", c.reason, got, m.Annotations, c.want)
		}
	}
	if len(m.Annotations) != 1 {
		t.Errorf("without a policy the annotations are %q", m.Annotations)
	}
	for _, r := range []metav1.OwnerReference{a, b} {
		if err := SetOwner(&m, configMaps, r, graph.OnDeleteCascade); err != nil {
			t.Fatal(err)
		}
	}
	if refs, err := annotated("ConfigMap", &m); err != nil || !refs[1].Block || refs[0].Block {
		t.Errorf("the flags of %v, %v", refs, err)
	}
	for _, c := range []struct{ uid, want, reason string }{
		{"other", "a:cascade b:cascade", "an owner that it does not have"},
		{"ua", "b:cascade", "one of two"},
		{"ub", "", "the last one"},
	} {
		if err := RemoveOwner(&m, configMaps, uidOf(c.uid)); err != nil || ownersOf(t, &m) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.reason, ownersOf(t, &m), err, c.want)
		}
	}
}

// TestSetOwnerFaults: a fault names the object and the field, and changes nothing.
func TestSetOwnerFaults(t *testing.T) {
	owner := ref("v1", "Node", "n", "u")
	with := func(change func(*metav1.OwnerReference)) metav1.OwnerReference {
		r := owner
		change(&r)
		return r
	}
	sound, unnamed := named("ns", "m"), named("ns", "")
	sound.UID = "m"
	full := policied(t, "m", graph.OnDeleteCascade, ref("v1", "Node", strings.Repeat("n", annotation.MaxBytes-300), "long"))
	for _, c := range []struct {
		object   meta
		gvk      schema.GroupVersionKind
		owner    metav1.OwnerReference
		onDelete graph.OnDelete
		want     string
		reason   string
	}{
		{sound, schema.GroupVersionKind{}, owner, graph.OnDeleteCascade, "kind: empty", "a typed object names no kind"},
		{unnamed, configMaps, owner, graph.OnDeleteCascade, "metadata.name: empty", "the value names its object"},
		{sound, configMaps, with(func(r *metav1.OwnerReference) { r.UID = "" }), graph.OnDeleteCascade, "owner.uid: empty", "no UID"},
		{sound, configMaps, with(func(r *metav1.OwnerReference) { r.Name = "" }), graph.OnDeleteCascade, "owner.name: empty", "no name"},
		{sound, configMaps, with(func(r *metav1.OwnerReference) { r.Kind = "" }), graph.OnDeleteUnset, "owner.kind: empty", "no kind"},
		{sound, configMaps, with(func(r *metav1.OwnerReference) { r.APIVersion = "" }), graph.OnDeleteCascade, "owner.apiVersion: empty", "no version"},
		{sound, configMaps, with(func(r *metav1.OwnerReference) { r.APIVersion = "a/b/c" }), graph.OnDeleteCascade, "owner.apiVersion: ", "no version either"},
		{sound, configMaps, with(func(r *metav1.OwnerReference) { r.UID = "m" }), graph.OnDeleteUnset, "owner.uid: the object itself", "its own UID"},
		{sound, configMaps, ref("v1", "ConfigMap", "m", "u"), graph.OnDeleteCascade, "owner.name: the object itself", "its own name"},
		{sound, configMaps, owner, 9, "owner.onDelete: onDelete(9) is unknown", "an unknown policy"},
		{withValue("m", "{"), configMaps, owner, graph.OnDeleteCascade, "annotation " + OwnersAnnotation + ": text", "a value that cannot be read is not lost"},
		{withValue("m", "{"), configMaps, owner, graph.OnDeleteUnset, "annotation " + OwnersAnnotation + ": text", "it may have the owner too"},
		{full, configMaps, ref("v1", "Node", strings.Repeat("m", 200), "u2"), graph.OnDeleteCascade, "bytes, more than", "the value is too long"},
	} {
		m := *c.object.DeepCopy()
		err := SetOwner(&m, c.gvk, c.owner, c.onDelete)
		if !errors.Is(err, graph.ErrInvalid) || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), ": invalid") != 1 {
			t.Errorf("%s: %v, want the fault %q", c.reason, err, c.want)
		}
		if !reflect.DeepEqual(m, c.object) {
			t.Errorf("%s: the object has changed", c.reason)
		}
	}
	for _, object := range []metav1.Object{nil, (*meta)(nil)} {
		if err := SetOwner(object, configMaps, owner, graph.OnDeleteCascade); !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("nil: %v", err)
		}
	}
	unread := withValue("m", "{")
	for _, err := range []error{RemoveOwner(&sound, configMaps, ""), RemoveOwner(&unread, configMaps, "u"), RemoveOwner(nil, configMaps, "u")} {
		if !errors.Is(err, graph.ErrInvalid) {
			t.Errorf("remove: %v", err)
		}
	}
}
