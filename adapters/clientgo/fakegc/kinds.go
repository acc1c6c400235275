package fakegc

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	builtin "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ownergraph/ownergraph/graph"
)

// kind is a kind of the client's scheme, in all its versions. The fake client keeps the
// versions apart, and a server does not.
type kind struct {
	group, kind string
	versions    []string // the scheme's preferred one first
	info        graph.KindInfo
	scopeKnown  bool // info.Scoped is certain
	propagation graph.Propagation
}

func (k *kind) gvk(version string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: k.group, Version: version, Kind: k.kind}
}

// kindName returns the engine's name of a kind: "Pod", "apps/Deployment".
func kindName(group, name string) graph.Kind {
	if group == "" {
		return graph.Kind(name)
	}
	return graph.Kind(group + "/" + name)
}

// schemeKinds returns the kinds whose objects and lists the scheme can make. It leaves
// out events.
func (s *store) schemeKinds() map[graph.Kind]*kind {
	scheme := s.inner.Scheme()
	types := scheme.AllKnownTypes()
	out := map[graph.Kind]*kind{}
	for _, gvk := range slices.SortedFunc(maps.Keys(types), compareGVK) {
		_, isObject := reflect.New(types[gvk]).Interface().(client.Object)
		_, hasList := types[gvk.GroupVersion().WithKind(gvk.Kind+"List")]
		if !isObject || !hasList || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		s.addKind(out, gvk)
	}
	for _, k := range out {
		preferred := scheme.PrioritizedVersionsForGroup(k.group)
		slices.SortStableFunc(k.versions, func(a, b string) int {
			rank := func(v string) int { // -1, for an unlisted version, becomes the last
				return int(uint32(slices.Index(preferred, schema.GroupVersion{Group: k.group, Version: v})))
			}
			return cmp.Compare(rank(a), rank(b))
		})
	}
	return out
}

func compareGVK(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) }

// addKind adds a version of a kind, and returns the kind. It returns nil for events.
func (s *store) addKind(to map[graph.Kind]*kind, gvk schema.GroupVersionKind) *kind {
	if gvk.Kind == "Event" && (gvk.Group == "" || gvk.Group == "events.k8s.io") {
		return nil
	}
	name := kindName(gvk.Group, gvk.Kind)
	k := to[name]
	if k == nil {
		k = &kind{group: gvk.Group, kind: gvk.Kind, info: graph.KindInfo{Kind: name}, propagation: defaultOf(name)}
		k.info.Scoped, k.scopeKnown = s.scopeOf(gvk)
		to[name] = k
	}
	if !slices.Contains(k.versions, gvk.Version) {
		k.versions = append(k.versions, gvk.Version)
	}
	return k
}

// defaultOf returns the default propagation of a kind. Two built-in kinds orphan, for
// old clients.
func defaultOf(name graph.Kind) graph.Propagation {
	if name == "ReplicationController" || name == "batch/Job" {
		return graph.Orphan
	}
	return graph.Background
}

// scopeOf reports whether a kind's objects have a namespace, and whether that is
// certain. It is certain from the client's RESTMapper and for built-in kinds. For any
// other kind the first object decides.
func (s *store) scopeOf(gvk schema.GroupVersionKind) (scoped, known bool) {
	if m, err := s.inner.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version); err == nil {
		return m.Scope.Name() == meta.RESTScopeNameNamespace, true
	}
	if global(gvk.GroupKind()) {
		return false, true
	}
	return true, builtin.Scheme.IsGroupRegistered(gvk.Group)
}

// kindOf returns the kind of an object, and adds a new kind. It returns nil for an
// event and for a kind without lists. A kind that first comes with an unstructured
// object is added to the scheme by a read, as the fake client does.
func (s *store) kindOf(ctx context.Context, gvk schema.GroupVersionKind) *kind {
	if k := s.kinds[kindName(gvk.Group, gvk.Kind)]; k != nil && slices.Contains(k.versions, gvk.Version) {
		return k
	}
	if s.unlisted(gvk) {
		return nil
	}
	k := s.addKind(s.kinds, gvk)
	if k == nil {
		return nil
	}
	if !s.inner.Scheme().Recognizes(gvk) {
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(gvk)
		_ = s.inner.Get(ctx, client.ObjectKey{Name: "none"}, o)
	}
	s.renew()
	return k
}

// unlisted reports whether the scheme has a type for a kind and none for its lists.
// Objects of such a kind are requests (SubjectAccessReview, Binding). No server stores
// them, and the fake client cannot list them.
//
//test:by TestKindsWithoutList
func (s *store) unlisted(gvk schema.GroupVersionKind) bool {
	scheme := s.inner.Scheme()
	o, err := scheme.New(gvk)
	if err != nil {
		return false
	}
	_, untyped := o.(runtime.Unstructured) // the fake client adds its list type with the first list
	return !untyped && !scheme.Recognizes(gvk.GroupVersion().WithKind(gvk.Kind+"List"))
}

// setScope learns from an object whether its kind has namespaces.
func (s *store) setScope(k *kind, namespace string) {
	if k.scopeKnown {
		return
	}
	k.scopeKnown = true
	if scoped := namespace != ""; k.info.Scoped != scoped {
		k.info.Scoped = scoped
		s.renew()
	}
}

func (s *store) sortedKinds() []*kind {
	var out []*kind
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		out = append(out, s.kinds[name])
	}
	return out
}

func (s *store) infos() []graph.KindInfo {
	var out []graph.KindInfo
	for _, k := range s.sortedKinds() {
		out = append(out, k.info)
	}
	return out
}

// global reports whether a built-in kind has no namespaces.
//
//test:by TestGlobal
func global(gk schema.GroupKind) bool {
	switch gk.Group {
	case "":
		return slices.Contains([]string{"ComponentStatus", "Namespace", "Node", "PersistentVolume"}, gk.Kind)
	case "apiextensions.k8s.io", "apiregistration.k8s.io", "admissionregistration.k8s.io", "authentication.k8s.io",
		"flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io", "imagepolicy.k8s.io", "node.k8s.io", "storagemigration.k8s.io":
		return true
	case "authorization.k8s.io":
		return gk.Kind != "LocalSubjectAccessReview"
	case "certificates.k8s.io":
		return gk.Kind != "PodCertificateRequest"
	case "networking.k8s.io":
		return slices.Contains([]string{"IPAddress", "IngressClass", "ServiceCIDR"}, gk.Kind)
	case "rbac.authorization.k8s.io":
		return slices.Contains([]string{"ClusterRole", "ClusterRoleBinding"}, gk.Kind)
	case "resource.k8s.io":
		return slices.Contains([]string{"DeviceClass", "DeviceTaintRule", "ResourcePoolStatusRequest", "ResourceSlice"}, gk.Kind)
	case "scheduling.k8s.io":
		return gk.Kind == "PriorityClass"
	case "storage.k8s.io":
		return gk.Kind != "CSIStorageCapacity"
	}
	return false
}
