package clientgo

import "github.com/ownergraph/ownergraph/graph"

// definitionFinalizer is the finalizer with which the API server holds a deleted definition until
// no instance is left.
const definitionFinalizer = "customresourcecleanup.apiextensions.k8s.io"

// info describes the kind of a resource. A namespace and a definition are containers: the
// namespace controller and the API server delete their members.
//
//test:by TestContainers
func (r resource) info() graph.KindInfo {
	info := graph.KindInfo{Kind: r.kind, Scoped: r.scoped, NoOwner: r.kind == "Event"}
	switch r.kind {
	case namespaceKind:
		info.Container = graph.Container{Members: graph.ScopeMembers, Actor: "the namespace controller", Finalizer: NamespaceFinalizer}
	case definitionKind:
		info.Container = graph.Container{Members: graph.KindMembers, Actor: "the API server", Finalizer: definitionFinalizer}
	}
	if r.at.Group != "" { // the name of a definition has a group
		info.Definition = r.at.GroupResource().String()
	}
	return info
}
