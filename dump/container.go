package dump

import "github.com/ownergraph/ownergraph/graph"

const definitionKind graph.Kind = "apiextensions.k8s.io/CustomResourceDefinition"

// container declares the kinds whose objects take others along, as adapters/clientgo does.
func container(kind graph.Kind) graph.Container {
	switch kind {
	case namespaceKind:
		return graph.Container{Members: graph.ScopeMembers, Actor: "the namespace controller", Finalizer: specPrefix + "kubernetes"}
	case definitionKind:
		return graph.Container{Members: graph.KindMembers, Actor: "the API server", Finalizer: "customresourcecleanup.apiextensions.k8s.io"}
	}
	return graph.Container{}
}

// definition returns the kind that an object defines, or "" for any other object.
//
//test:by TestContainers
func (r *record) definition(o *graph.Object) (graph.Kind, error) {
	if o.Kind != definitionKind {
		return "", nil
	}
	var spec struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
	}
	if err := payload("spec", r.spec, &spec); err != nil || spec.Names.Kind == "" {
		return "", err
	}
	return graph.Kind(spec.Group + "/" + spec.Names.Kind), nil
}
