package fakegc

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// withPolicyOf returns a ConfigMap whose annotation has a reference to the owner.
func withPolicyOf(t *testing.T, name string, owner *corev1.ConfigMap, d graph.OnDelete) *corev1.ConfigMap {
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Annotations: map[string]string{"x.io/note": "kept"}}}
	value, err := annotation.Format(graph.Key{Kind: "ConfigMap", Scope: "default", Name: name}, []annotation.Reference{
		{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: graph.UID(owner.UID), OnDelete: d},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Annotations[annotation.Owners] = value
	return o
}

// TestAnnotation: the collector deletes and releases by annotations, and holds an object whose value it
// cannot read.
func TestAnnotation(t *testing.T) {
	r := newRig(t)
	owner := configMap("owner")
	r.make(owner)
	cascades, released := withPolicyOf(t, "cascades", owner, graph.OnDeleteCascade), withPolicyOf(t, "released", owner, graph.OnDeleteRelease)
	copied, unread := withPolicyOf(t, "copied", owner, graph.OnDeleteCascade), withPolicyOf(t, "unread", owner, graph.OnDeleteCascade)
	copied.Annotations[annotation.Owners] = cascades.Annotations[annotation.Owners]
	unread.Annotations[annotation.Owners] = strings.Replace(unread.Annotations[annotation.Owners], "cascade", "later", 1)
	r.make(cascades, released, copied, unread)
	r.end(owner)
	var held *HeldError
	if err := r.gc.WaitIdle(t.Context()); !errors.As(err, &held) || !strings.Contains(err.Error(), "unread") || !strings.Contains(err.Error(), annotation.Owners) || strings.Contains(err.Error(), "copied") {
		t.Errorf("the collector ends with %v, want that it holds unread for its annotation", err)
	}
	r.want("copied released unread")
	if err := r.Get(t.Context(), client.ObjectKeyFromObject(released), released); err != nil || len(released.Annotations) != 1 || released.Annotations["x.io/note"] != "kept" {
		t.Errorf("the released object has %q, %v", released.Annotations, err)
	}
}
