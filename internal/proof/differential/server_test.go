package main

import (
	"testing"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestPatch: the server applies the garbage collector's patches as an API server does.
func TestPatch(t *testing.T) {
	const before = `custom/s/c#7 -> pod/s/b, pod/s/a!; node/n#8; pod/s/a#1; pod/s/b#2*[orphan] -> pod/s/a!, node/n; pod/s/d#3~[foreground]`
	const (
		strategic = types.StrategicMergePatchType
		merge     = types.MergePatchType
	)
	for _, tc := range []struct {
		kind, name string
		pt         types.PatchType
		body       string
		want       string // the object afterwards, or the reason of the error
		reason     string
	}{
		{"pod", "b", strategic, `{"metadata":{"uid":"pod/s/b","ownerReferences":[{"$patch":"delete","uid":"pod/s/a"}]}}`,
			"pod/s/b*[orphan] -> node/n", "a reference is deleted by its UID"},
		{"pod", "b", strategic, `{"metadata":{"uid":"pod/s/b","ownerReferences":[{"$patch":"delete","uid":"none"}]}}`,
			"pod/s/b*[orphan] -> node/n, pod/s/a!", "one that is not there is no error"},
		{"pod", "b", strategic, `{"metadata":{"uid":"other","ownerReferences":[{"$patch":"delete","uid":"pod/s/a"}]}}`,
			"Conflict", "the UID is a precondition"},
		{"pod", "b", strategic, `{"metadata":{"uid":"pod/s/b","ownerReferences":[{"apiVersion":"example.org/v1","kind":"pod","name":"a","uid":"pod/s/a","blockOwnerDeletion":false}]}}`,
			"pod/s/b*[orphan] -> node/n, pod/s/a", "references merge by UID: one is unblocked, the other stays"},
		{"custom", "c", strategic, `{"metadata":{"uid":"custom/s/c"}}`, "UnsupportedMediaType", "custom resources take no strategic merge patch"},
		{"custom", "c", merge, `{"metadata":{"resourceVersion":"7","ownerReferences":[{"apiVersion":"example.org/v1","kind":"pod","name":"b","uid":"pod/s/b"}]}}`,
			"custom/s/c -> pod/s/b", "a list replaces the list"},
		{"custom", "c", merge, `{"metadata":{"resourceVersion":"7","ownerReferences":null}}`, "custom/s/c", "nothing is left of it"},
		{"custom", "c", merge, `{"metadata":{"resourceVersion":"6","ownerReferences":null}}`, "Conflict", "the version is a precondition"},
		{"pod", "b", merge, `{"metadata":{"resourceVersion":"2","finalizers":["foreign"]}}`, "pod/s/b* -> node/n, pod/s/a!", "a finalizer goes"},
		{"pod", "d", merge, `{"metadata":{"resourceVersion":"3","finalizers":null}}`, "NotFound", "the last finalizer of a marked object lets it go"},
		{"pod", "z", merge, `{"metadata":{}}`, "NotFound", "there is no such object"},
		{"pod", "b", merge, `{"metadata":{"finalizers":["foreign","orphan","new"]}}`, "BadRequest", "no garbage collector adds a finalizer"},
	} {
		objects, err := graph.Parse(before)
		if err != nil {
			t.Fatal(err)
		}
		store, err := memory.New(memory.Config{Kinds: served(), Objects: objects})
		if err != nil {
			t.Fatal(err)
		}
		r := server{store}.Resource(resource(graph.Kind(tc.kind))).Namespace("s")
		_, err = r.Patch(t.Context(), tc.name, tc.pt, []byte(tc.body), metav1.PatchOptions{})
		got := string(apierrors.ReasonForError(err))
		if err == nil {
			o, err := store.Get(t.Context(), graph.Key{Kind: graph.Kind(tc.kind), Scope: "s", Name: tc.name})
			if got = "NotFound"; err == nil {
				got = oracle.Line([]graph.Object{o})
			}
		}
		if got != tc.want {
			t.Errorf("patch %s %s: %q, want %q: %s", tc.name, tc.body, got, tc.want, tc.reason)
		}
	}
}

// TestDelete: the server honours a deletion's preconditions and policies.
func TestDelete(t *testing.T) {
	uid, version := types.UID("pod/s/a"), "1"
	other, older := types.UID("other"), "0"
	foreground, orphan, background := metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan, metav1.DeletePropagationBackground
	for _, tc := range []struct {
		pre    metav1.Preconditions
		policy *metav1.DeletionPropagation
		want   string
		reason string
	}{
		{metav1.Preconditions{UID: &uid, ResourceVersion: &version}, &foreground, "pod/s/a~[foreground]", "the policy takes the finalizer's place"},
		{metav1.Preconditions{UID: &uid}, &orphan, "pod/s/a~[orphan]", "the finalizer stays"},
		{metav1.Preconditions{UID: &uid}, nil, "pod/s/a~[orphan]", "no policy: what the finalizer says"},
		{metav1.Preconditions{UID: &uid}, &background, "", "the policy takes it off, and the object goes"},
		{metav1.Preconditions{UID: &other}, nil, "Conflict", "another object"},
		{metav1.Preconditions{UID: &uid, ResourceVersion: &older}, nil, "Conflict", "another version"},
	} {
		objects, err := graph.Parse("pod/s/a#1[orphan]")
		if err != nil {
			t.Fatal(err)
		}
		store, err := memory.New(memory.Config{Kinds: served(), Objects: objects})
		if err != nil {
			t.Fatal(err)
		}
		r := server{store}.Resource(resource(pod)).Namespace("s")
		err = r.Delete(t.Context(), "a", metav1.DeleteOptions{Preconditions: &tc.pre, PropagationPolicy: tc.policy})
		got := string(apierrors.ReasonForError(err))
		if err == nil {
			got = oracle.Line(store.Objects())
		}
		if got != tc.want {
			t.Errorf("delete: %q, want %q: %s", got, tc.want, tc.reason)
		}
	}
}

// TestReferences: one side reads a reference as the other has written it.
func TestReferences(t *testing.T) {
	for i := range uint64(200) {
		for _, o := range drawHistory(1, i).start {
			for _, r := range o.Owners {
				if got := owner(o.Key, reference(r)); got != r {
					t.Errorf("history %d: %s in %s, and back: %s", i, r, o.Key, got)
				}
			}
		}
	}
}
