package theirs

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/workload"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func TestPatches(t *testing.T) {
	a, b := graph.Owner{Key: graph.Key{UID: "a"}, Block: true}, graph.Owner{Key: graph.Key{UID: "b"}, Block: true}
	live := graph.Object{Owners: []graph.Owner{a, b}, Finalizers: []string{"orphan", "f"}}
	for _, c := range []struct {
		kind         types.PatchType
		text         string
		pre          graph.Precondition
		owners, left string
		reason       string
	}{
		{types.StrategicMergePatchType, `{"metadata":{"uid":"u","ownerReferences":[{"$patch":"delete","uid":"a"}]}}`,
			graph.Precondition{UID: "u"}, "b!", "[orphan f]", "a reference goes"},
		{types.StrategicMergePatchType, `{"metadata":{"uid":"u","ownerReferences":[{"uid":"b","blockOwnerDeletion":false}]}}`,
			graph.Precondition{UID: "u"}, "a!b", "[orphan f]", "a reference ceases to block"},
		{types.MergePatchType, `{"metadata":{"resourceVersion":"7","finalizers":["f"]}}`,
			graph.Precondition{Version: "7"}, "a!b!", "[f]", "a finalizer goes"},
	} {
		p, err := parsePatch(c.kind, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		now := p.change(live).Apply(live)
		owners := ""
		for _, o := range now.Owners {
			owners += string(o.UID) + map[bool]string{true: "!"}[o.Block]
		}
		if p.precondition() != c.pre || owners != c.owners || fmt.Sprint(now.Finalizers) != c.left {
			t.Errorf("%s: %+v, owners %s, finalizers %v: %s", c.text, p.precondition(), owners, now.Finalizers, c.reason)
		}
	}
	if _, err := parsePatch(types.JSONPatchType, []byte(`{}`)); err == nil {
		t.Error("a JSON patch is taken")
	}
}

func TestKinds(t *testing.T) {
	for _, name := range []string{"", PlainMapper} {
		rest, err := mapper(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range workload.Kinds() {
			gvk := kindOf(k.Kind)
			m, err := rest.RESTMapping(gvk.GroupKind(), gvk.Version)
			if err != nil || kindOfResource(m.Resource) != k.Kind || m.Scope.Name() != "namespace" {
				t.Errorf("mapper %q: %s is %v, %v", name, k.Kind, m, err)
			}
		}
	}
	if _, err := mapper("other"); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("an unknown mapper: %v", err)
	}
}

func TestPartial(t *testing.T) {
	o := workload.Trees(34).Object(33)
	o.Deleting = true
	p := partial(o)
	switch r := p.OwnerReferences[0]; {
	case p.Name != o.Name, p.Namespace != o.Scope, string(p.UID) != string(o.UID), p.ResourceVersion != string(o.Version), p.DeletionTimestamp == nil:
		t.Errorf("%s is %+v", o, p)
	case r.Kind != "ReplicaSet", r.APIVersion != "apps/v1", r.Name != o.Owners[0].Name, !*r.BlockOwnerDeletion, !*r.Controller:
		t.Errorf("%s has %+v", o, r)
	}
}

func TestStatus(t *testing.T) {
	r := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	if err := status(r, "a", graph.ErrNotFound); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	if err := status(r, "a", fmt.Errorf("x: %w", graph.ErrConflict)); !apierrors.IsConflict(err) {
		t.Error(err)
	}
	if err := status(r, "a", errors.New("x")); !apierrors.IsInternalError(err) {
		t.Error(err)
	}
	background := metav1.DeletePropagationBackground
	if propagation(nil) != graph.Unset || propagation(&background) != graph.Background {
		t.Error("a policy is misread")
	}
}
