package clientgo

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// TestContainers: namespaces and definitions are containers, and each kind of a group names its
// definition.
func TestContainers(t *testing.T) {
	for _, c := range []struct {
		r      resource
		want   graph.KindInfo
		reason string
	}{
		{resource{kind: "Namespace", at: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
			graph.KindInfo{Kind: "Namespace", Container: graph.Container{
				Members: graph.ScopeMembers, Actor: "the namespace controller", Finalizer: "spec.finalizers:kubernetes"}},
			"its content goes with it"},
		{resource{kind: "apiextensions.k8s.io/CustomResourceDefinition", at: definitionsAt()},
			graph.KindInfo{Kind: "apiextensions.k8s.io/CustomResourceDefinition", Definition: "customresourcedefinitions.apiextensions.k8s.io",
				Container: graph.Container{Members: graph.KindMembers, Actor: "the API server", Finalizer: "customresourcecleanup.apiextensions.k8s.io"}},
			"its instances go with it"},
		{resource{kind: "x.io/Widget", at: schema.GroupVersionResource{Group: "x.io", Version: "v1", Resource: "widgets"}, scoped: true},
			graph.KindInfo{Kind: "x.io/Widget", Scoped: true, Definition: "widgets.x.io"}, "an instance names its definition"},
		{resource{kind: "Pod", at: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, scoped: true},
			graph.KindInfo{Kind: "Pod", Scoped: true}, "the name of a definition has a group"},
	} {
		if got := c.r.info(); got != c.want {
			t.Errorf("%s: %+v, want %+v: %s", c.r.kind, got, c.want, c.reason)
		}
	}
}
