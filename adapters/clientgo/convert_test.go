package clientgo

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// TestObjectOf: the exported conversion returns the objects of the watch.
func TestObjectOf(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		n := r.create("Node", named("", "n"))
		m := named("ns", "a", blocking(ref("v1", "Node", "n", n.UID)), ref("apps/v1", "Deployment", "d", "u"), ref("x/v1", "X", "x", "v"))
		m.Finalizers = []string{"f"}
		live := r.create("ConfigMap", m)
		got, err := r.store.ObjectOf(r.t.Context(), schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, live)
		if err != nil {
			t.Fatal(err)
		}
		r.watch()
		r.reported()
		if want := r.live[got.Key]; !got.Equal(want) {
			t.Errorf("got %+v, and the watch reports %+v", got, want)
		}
		if len(got.Owners) != 3 || !got.Owners[0].Block || got.Owners[1].Scope != "ns" || !got.Owners[2].Unresolved {
			t.Errorf("owners %+v", got.Owners)
		}
	})
}

func TestObjectOfRefused(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{Ignore: []graph.Kind{"Node"}}, func(r *rig) {
		core := func(kind string) schema.GroupVersionKind { return schema.GroupVersionKind{Version: "v1", Kind: kind} }
		scoped, global := named("ns", "a"), named("", "a")
		for _, c := range []struct {
			gvk    schema.GroupVersionKind
			object metav1.Object
			want   error
			reason string
		}{
			{core("ConfigMap"), nil, graph.ErrInvalid, "nothing"},
			{core("ConfigMap"), &global, graph.ErrInvalid, "the kind has namespaces"},
			{core("Cart"), &scoped, graph.ErrKindUnknown, "the kind is not served"},
			{core("Node"), &global, graph.ErrKindUnknown, "the kind is ignored"},
		} {
			if _, err := r.store.ObjectOf(r.t.Context(), c.gvk, c.object); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", c.reason, err)
			}
		}
		r.net.SetDown(true)
		other, err := New(r.store.client.config, Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.ObjectOf(r.t.Context(), core("ConfigMap"), &scoped); err == nil {
			t.Error("a stopped server proves nothing")
		}
		if _, err := r.store.ObjectOf(r.t.Context(), core("ConfigMap"), &scoped); err != nil {
			t.Errorf("a known kind needs no request: %v", err)
		}
	})
}
