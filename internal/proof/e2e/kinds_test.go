package e2e

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// kind is a kind of object that the tests make.
type kind struct {
	gvk    schema.GroupVersionKind
	plural string
	scoped bool
	spec   map[string]any // the fields that such an object needs beside its metadata
}

func builtin(group, version, name, plural string, scoped bool, spec map[string]any) kind {
	return kind{schema.GroupVersionKind{Group: group, Version: version, Kind: name}, plural, scoped, spec}
}

// The built-in kinds that the tests use.
var (
	configMap = builtin("", "v1", "ConfigMap", "configmaps", true, nil)
	secret    = builtin("", "v1", "Secret", "secrets", true, nil)
	node      = builtin("", "v1", "Node", "nodes", false, nil)
	namespace = builtin("", "v1", "Namespace", "namespaces", false, nil)
	// pod is never scheduled, so that it ends at once when it is deleted.
	pod = builtin("", "v1", "Pod", "pods", true, map[string]any{
		"containers": []any{map[string]any{"name": "main", "image": "none"}},
	})
	// controller leaves its dependents behind unless a deletion says otherwise.
	controller = builtin("", "v1", "ReplicationController", "replicationcontrollers", true, map[string]any{
		"replicas": int64(0), "selector": map[string]any{"app": "none"},
		"template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "none"}},
			"spec":     pod.spec,
		},
	})
	definition = builtin("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false, nil)
	role       = builtin("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false, nil)
	binding    = builtin("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", false, nil)
	volume     = builtin("", "v1", "PersistentVolume", "persistentvolumes", false, map[string]any{
		"capacity": map[string]any{"storage": "1Gi"}, "accessModes": []any{"ReadWriteOnce"},
		"hostPath": map[string]any{"path": "/nowhere"},
	})
)

// at returns the resource of the kind.
func (k kind) at() schema.GroupVersionResource { return k.gvk.GroupVersion().WithResource(k.plural) }

// name returns the engine's name of the kind.
func (k kind) name() graph.Kind {
	return graph.Kind(strings.TrimPrefix(k.gvk.Group+"/"+k.gvk.Kind, "/"))
}
