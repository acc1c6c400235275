package main

import (
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The kinds of all histories. A lost one is not served.
const (
	pod    = graph.Kind("pod")    // scoped
	custom = graph.Kind("custom") // scoped, and as custom resources: no strategic merge patch
	node   = graph.Kind("node")   // global
	lost   = graph.Kind("lost")
)

// served returns the kinds that both servers serve.
func served() []graph.KindInfo {
	return []graph.KindInfo{{Kind: custom, Scoped: true}, {Kind: node}, {Kind: pod, Scoped: true}}
}

func scoped(kind graph.Kind) bool { return kind == pod || kind == custom }

// resolve gives a reference the scope that a server reads into it. Kubernetes has no
// scope in references.
func resolve(dep graph.Key, r graph.Owner) graph.Owner {
	r.Scope, r.Unresolved = "", false
	switch {
	case !slices.ContainsFunc(served(), func(i graph.KindInfo) bool { return i.Kind == r.Kind }):
		r.Unresolved = true
	case scoped(r.Kind) && dep.Scope == "":
		r.Unresolved = true
	case scoped(r.Kind):
		r.Scope = dep.Scope
	}
	return r
}

func groupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: "example.org", Version: "v1"}
}

// resource returns the resource of a kind: its plural.
func resource(kind graph.Kind) schema.GroupVersionResource {
	return groupVersion().WithResource(string(kind) + "s")
}

func kindOf(r schema.GroupVersionResource) graph.Kind {
	return graph.Kind(strings.TrimSuffix(r.Resource, "s"))
}

// mapper maps the kinds that are served. They never change, so there is no state to
// reset.
type mapper struct{ *meta.DefaultRESTMapper }

func (mapper) Reset() {}

func newMapper() mapper {
	m := meta.NewDefaultRESTMapper([]schema.GroupVersion{groupVersion()})
	for _, info := range served() {
		scope := meta.RESTScope(meta.RESTScopeRoot)
		if info.Scoped {
			scope = meta.RESTScopeNamespace
		}
		one := resource(info.Kind)
		one.Resource = string(info.Kind)
		m.AddSpecific(groupVersion().WithKind(string(info.Kind)), resource(info.Kind), one, scope)
	}
	return mapper{m}
}

// discovered is the server's list of its resources.
func discovered() []*metav1.APIResourceList {
	list := &metav1.APIResourceList{GroupVersion: groupVersion().String()}
	for _, info := range served() {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: resource(info.Kind).Resource, Kind: string(info.Kind), Namespaced: info.Scoped,
			Verbs: metav1.Verbs{"get", "list", "watch", "patch", "delete"},
		})
	}
	return []*metav1.APIResourceList{list}
}
