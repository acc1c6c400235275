package fakegc

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestDeleteOptions(t *testing.T) {
	for _, c := range []struct {
		raw    string
		want   string
		reason string
	}{
		{`{"orphanDependents":true}`, "a~[orphan]", "the old way to orphan"},
		{`{"orphanDependents":false}`, "", "the old way not to"},
		{`{"orphanDependents":false,"propagationPolicy":"Background"}`, "a refused", "both ways at once"},
		{`{"propagationPolicy":"Sideways"}`, "a refused", "no such propagation"},
	} {
		raw := &metav1.DeleteOptions{}
		if err := json.Unmarshal([]byte(c.raw), raw); err != nil {
			t.Fatal(err)
		}
		r := newRig(t)
		o := configMap("a")
		r.make(o)
		err := r.Delete(t.Context(), o, &client.DeleteOptions{Raw: raw, PropagationPolicy: raw.PropagationPolicy})
		want, refused := strings.CutSuffix(c.want, " refused")
		if apierrors.IsBadRequest(err) != refused || !refused && err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		r.want(want)
	}
}

// TestDryRun: a dry run changes nothing.
func TestDryRun(t *testing.T) {
	r := newRig(t)
	a := configMap("a")
	r.make(a)
	ctx := t.Context()
	extra := configMap("b")
	changed := a.DeepCopy()
	changed.Finalizers = []string{"example.org/x"}
	for what, err := range map[string]error{
		"create":          r.Create(ctx, extra, client.DryRunAll),
		"update":          r.Update(ctx, changed, client.DryRunAll),
		"patch":           r.Patch(ctx, changed, client.MergeFrom(a), client.DryRunAll),
		"delete":          r.Delete(ctx, a, client.DryRunAll),
		"delete all of":   r.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace("default"), client.DryRunAll),
		"update a status": client.IgnoreNotFound(r.Status().Update(ctx, a.DeepCopy(), client.DryRunAll)),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	r.want("a")
}

func TestDeleteAllOf(t *testing.T) {
	r := newRig(t)
	a, b, kept := configMap("a"), configMap("b"), configMap("kept")
	a.Labels, b.Labels = map[string]string{"x": "y"}, map[string]string{"x": "y"}
	r.make(a, b, kept)
	r.make(configMap("of-a", a), configMap("of-kept", kept))
	err := r.DeleteAllOf(t.Context(), &corev1.ConfigMap{}, client.InNamespace("default"), client.MatchingLabels{"x": "y"},
		client.PropagationPolicy(metav1.DeletePropagationForeground))
	if err != nil {
		t.Fatal(err)
	}
	r.want("a~[foregroundDeletion] b~[foregroundDeletion] kept of-a>a of-kept>kept")
	r.collect()
	r.want("kept of-kept>kept")
	if err := r.DeleteAllOf(context.Background(), &corev1.ConfigMap{}, client.InNamespace("other")); err != nil {
		t.Fatal(err)
	}
	r.want("kept of-kept>kept")
}
