package clientgo

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// TestErrorNamesPlace: an error for a key without a UID names the place alone.
func TestErrorNamesPlace(t *testing.T) {
	key := graph.Key{Kind: "ConfigMap", Scope: "c50", Name: "root"}
	err := storeError(t.Context(), "get", key, "configmaps", apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "root", errors.New("no right")))
	if want := `get ConfigMap/c50/root: refused: configmaps "root" is forbidden: no right`; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	key.UID = "u"
	if err := storeError(t.Context(), "get", key, "configmaps", errors.New("down")); err.Error() != "get ConfigMap/c50/root@u: down" {
		t.Errorf("with a UID: %q", err)
	}
}

// TestForbiddenReason: only the reason of a kind that the server forbids says that a right is
// missing.
func TestForbiddenReason(t *testing.T) {
	w := worker{at: schema.GroupVersionResource{Resource: "pods", Version: "v1"}}
	for _, c := range []struct {
		err    error
		want   bool
		reason string
	}{
		{apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no right")), true, "the server forbids the list"},
		{apierrors.NewServiceUnavailable("down"), false, "the server is down"},
		{errors.New("forbidden"), false, "a word is no right"},
	} {
		if text := w.explain(c.err); Forbidden(text) != c.want {
			t.Errorf("%s: %q", c.reason, text)
		}
	}
}
