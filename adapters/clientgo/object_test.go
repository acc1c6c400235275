package clientgo

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

func TestOwnerOf(t *testing.T) {
	verbs := []string{"delete", "list", "watch"}
	c := buildCatalog(discovered{
		"": {{version: "v1", preferred: true, resources: []metav1.APIResource{
			{Name: "pods", Kind: "Pod", Namespaced: true, Verbs: verbs}, {Name: "nodes", Kind: "Node", Verbs: verbs},
			{Name: "componentstatuses", Kind: "ComponentStatus", Verbs: []string{"get", "list"}},
			{Name: "events", Kind: "Event", Namespaced: true, Verbs: verbs},
			{Name: "bindings", Kind: "Binding", Namespaced: true, Verbs: []string{"create"}},
			{Name: "podmetrics", Kind: "PodMetrics", Namespaced: true, Verbs: []string{"get", "list"}},
		}}},
		"apps": {
			{version: "v1", preferred: true, resources: []metav1.APIResource{{Name: "ds", Kind: "D", Namespaced: true, Verbs: verbs}}},
			{version: "v1beta1", resources: []metav1.APIResource{{Name: "ds", Kind: "D", Namespaced: true, Verbs: verbs}}},
		},
	}, undiscovered{}, nil, newIgnored(DefaultIgnore()))
	for _, x := range []struct {
		reason, scope, apiVersion, kind string
		want                            graph.Key
		unresolved                      bool
	}{
		{"a scoped owner lives with its dependent", "ns", "v1", "Pod", graph.Key{Kind: "Pod", Scope: "ns"}, false},
		{"a global owner", "ns", "v1", "Node", graph.Key{Kind: "Node"}, false},
		{"a global owner of a global object", "", "v1", "Node", graph.Key{Kind: "Node"}, false},
		{"a scoped owner of a global object: its place is unknown", "", "v1", "Pod", graph.Key{Kind: "Pod"}, true},
		{"another version that is served is the same kind", "ns", "apps/v1beta1", "D", graph.Key{Kind: "apps/D", Scope: "ns"}, false},
		{"a version that is not served", "ns", "apps/v0", "D", graph.Key{Kind: "apps/D"}, true},
		{"the right kind in the wrong group", "ns", "extensions/v1", "D", graph.Key{Kind: "extensions/D"}, true},
		{"a global kind that cannot be watched can be read", "ns", "v1", "ComponentStatus", graph.Key{Kind: "ComponentStatus"}, false},
		{"a kind that can be neither takes no part: it counts by its UID", "ns", "v1", "Binding", graph.Key{Kind: "Binding"}, true},
		{"a kind with namespaces that cannot be watched, too", "ns", "v1", "PodMetrics", graph.Key{Kind: "PodMetrics"}, true},
		{"and a kind that is ignored", "ns", "v1", "Event", graph.Key{Kind: "Event"}, true},
		{"no apiVersion at all", "ns", "", "Pod", graph.Key{Kind: "Pod"}, true},
		{"an apiVersion that is none", "ns", "a/b/c", "Pod", graph.Key{Kind: "a/b/c/Pod"}, true},
	} {
		r := ref(x.apiVersion, x.kind, "o", "u")
		x.want.Name, x.want.UID = "o", "u"
		if got := c.ownerOf(intern, x.scope, &r); got.Key != x.want || got.Unresolved != x.unresolved {
			t.Errorf("%s: got %+v", x.reason, got)
		}
	}
}

// TestOwnerOfHostileName: no object has a name that a path cannot contain. A reference to
// such a name counts by its UID, because no read can answer.
func TestOwnerOfHostileName(t *testing.T) {
	for _, x := range []struct {
		name       string
		unresolved bool
		reason     string
	}{
		{"a", false, "a name"},
		{"system:node.1_A", false, "a valid name of a role"},
		{"..", true, "another path"},
		{"a/b", true, "two segments"},
		{"a%2fb", true, "the same, spelt otherwise"},
		{"a\x00b", true, "a control character"},
		{strings.Repeat("a", 1025), true, "longer than any name"},
	} {
		bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
			m := named("ns", "a", ref("v1", "Node", x.name, "u"))
			o, err := r.store.ObjectOf(r.t.Context(), schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, &m)
			if err != nil {
				t.Fatal(err)
			}
			if got := o.Owners[0]; got.Unresolved != x.unresolved || got.Name != x.name {
				t.Errorf("%.20q: unresolved %v, want %v: %s", x.name, got.Unresolved, x.unresolved, x.reason)
			}
		})
	}
}

// TestWholeObjects: a server that cannot reduce its objects to metadata sends them
// whole.
func TestWholeObjects(t *testing.T) {
	bubble(t, newFake(standardKinds()...), Config{}, func(r *rig) {
		a := graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "a"}
		r.create("ConfigMap", named("ns", "a"))
		for _, c := range []struct {
			reason, body string
			ok           bool
		}{
			{"whole", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"ns","uid":"u","resourceVersion":"7"},"data":{"k":"v"}}`, true},
			{"another object than was asked for", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"ns","uid":"u","resourceVersion":"7"}}`, false},
			{"without a UID", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"ns","resourceVersion":"7"}}`, false},
			{"a list", `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList","metadata":{}}`, false},
			{"no object", `{"apiVersion":"v1","kind":"ConfigMap","metadata":7}`, false},
			{"nothing of the kind", `{}`, false},
		} {
			if _, err := r.store.Get(r.t.Context(), a); err != nil {
				t.Fatal(err)
			}
			r.locked(func() {
				r.fault = func(*http.Request) *fakeResponse { return &fakeResponse{code: 200, body: c.body} }
			})
			o, err := r.store.Get(r.t.Context(), a)
			if c.ok != (err == nil) || c.ok && o.UID != "u" {
				t.Errorf("%s: %v, %v", c.reason, o, err)
			}
			if err != nil {
				only(t, c.reason, err, nil)
			}
			r.locked(func() { r.fault = nil })
		}
	})
}
