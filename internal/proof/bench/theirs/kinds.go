package theirs

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/workload"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/testing"
)

// kindOf returns Kubernetes' name of a kind.
func kindOf(k graph.Kind) schema.GroupVersionKind {
	switch k {
	case workload.Deployment:
		return schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	case workload.ReplicaSet:
		return schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"}
	}
	return schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
}

// kindOfResource is the inverse, by the name of the resource.
func kindOfResource(r schema.GroupVersionResource) graph.Kind {
	switch r.Resource {
	case "deployments":
		return workload.Deployment
	case "replicasets":
		return workload.ReplicaSet
	case "pods":
		return workload.Pod
	}
	return ""
}

// PlainMapper is the name of a REST mapper that looks kinds up in maps, without a lock.
const PlainMapper = "plain"

// mapper returns the REST mapper with a name.
func mapper(name string) (meta.ResettableRESTMapper, error) {
	switch name {
	case "":
		return discovered(), nil
	case PlainMapper:
		return plain(), nil
	}
	return nil, fmt.Errorf("garbage collector: REST mapper %q: %w", name, graph.ErrInvalid)
}

// discovered returns the REST mapper of kube-controller-manager. It asks the discovery
// once, and then answers from memory, under a lock.
func discovered() *restmapper.DeferredDiscoveryRESTMapper {
	verbs := metav1.Verbs{"get", "list", "watch", "patch", "delete"}
	resource := func(name, kind string) metav1.APIResource {
		return metav1.APIResource{Name: name, Kind: kind, Namespaced: true, Verbs: verbs}
	}
	served := &fake.FakeDiscovery{Fake: &testing.Fake{Resources: []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{resource("pods", "Pod")}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{
			resource("deployments", "Deployment"), resource("replicasets", "ReplicaSet"),
		}},
	}}}
	return restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(served))
}

// static is a REST mapper that has nothing to reset.
type static struct{ *meta.DefaultRESTMapper }

func (static) Reset() {}

func plain() static {
	m := meta.NewDefaultRESTMapper(nil)
	for _, k := range workload.Kinds() {
		m.Add(kindOf(k.Kind), meta.RESTScopeNamespace)
	}
	return static{m}
}
