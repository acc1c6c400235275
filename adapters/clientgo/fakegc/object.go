package fakegc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// partial is the metadata of an object, with the version of its kind in which the fake
// client has it.
type partial = metav1.PartialObjectMetadata

// read returns the live object at a place. The fake client keeps the versions of a kind
// apart, and the first version that has the object counts.
func (s *store) read(ctx context.Context, k *kind, namespace, name string) (*partial, error) {
	var last error = apierrors.NewNotFound(schema.GroupResource{Group: k.group}, name)
	for _, version := range k.versions {
		if !s.inner.Scheme().Recognizes(k.gvk(version)) {
			continue // the scheme has no object of it yet
		}
		m := named(k, version, namespace, name)
		err := s.inner.Get(ctx, client.ObjectKeyFromObject(m), m)
		if err == nil {
			return m, s.identify(ctx, k, m)
		}
		if last = err; !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return nil, last
}

// list returns all objects of a kind, sorted by place.
func (s *store) list(ctx context.Context, k *kind) ([]*partial, error) {
	places := map[types.NamespacedName]bool{}
	var out []*partial
	for _, version := range k.versions {
		items, err := s.listVersion(ctx, k.gvk(version))
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", k.info.Kind, err)
		}
		for _, m := range items {
			at := client.ObjectKeyFromObject(m)
			if places[at] {
				continue
			}
			places[at] = true
			if err := s.identify(ctx, k, m); err != nil {
				return nil, err
			}
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *partial) int {
		return strings.Compare(a.Namespace+"\x00"+a.Name, b.Namespace+"\x00"+b.Name)
	})
	return out, nil
}

func (s *store) listVersion(ctx context.Context, gvk schema.GroupVersionKind, opts ...client.ListOption) ([]*partial, error) {
	var list client.ObjectList = &metav1.PartialObjectMetadataList{}
	// A kind that came with an unstructured object is listed as unstructured. The fake
	// client adds the type of the first list to the scheme.
	if o, err := s.inner.Scheme().New(gvk); err != nil {
		return nil, nil
	} else if _, ok := o.(runtime.Unstructured); ok {
		list = &unstructured.UnstructuredList{}
	}
	list.GetObjectKind().SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := s.inner.List(ctx, list, opts...); err != nil {
		return nil, err
	}
	var out []*partial
	err := meta.EachListItem(list, func(o runtime.Object) error {
		from, err := meta.Accessor(o)
		if err != nil {
			return err
		}
		out = append(out, meta.AsPartialObjectMetadata(from))
		out[len(out)-1].SetGroupVersionKind(gvk)
		return nil
	})
	return out, err
}

// identify gives an object a UID if it has none. It returns an error for an object
// whose namespace contradicts its kind.
func (s *store) identify(ctx context.Context, k *kind, m *partial) error {
	s.setScope(k, m.Namespace)
	if k.info.Scoped != (m.Namespace != "") {
		return fmt.Errorf("%s %s: namespace: %s: %w", k.info.Kind, client.ObjectKeyFromObject(m), scopeRule(k), graph.ErrInvalid)
	}
	if m.UID != "" {
		s.note(m.UID)
		return nil
	}
	return s.inner.Patch(ctx, m, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"uid":%q}}`, s.newUID())))
}

func scopeRule(k *kind) string {
	if k.info.Scoped {
		return "empty, and the kind is namespaced"
	}
	return "set, and the kind is cluster-scoped"
}

// madeUID is the prefix of each UID that a store makes. Such a UID looks like one of a
// server.
const madeUID = "00000000-0000-4000-8000-"

// newUID makes a UID. No object has it yet.
func (s *store) newUID() types.UID {
	s.uids++
	return types.UID(fmt.Sprintf("%s%012x", madeUID, s.uids))
}

// note records a UID that the store did not make, so that it is not used twice.
func (s *store) note(uid types.UID) {
	if !strings.HasPrefix(string(uid), madeUID) {
		s.given[uid] = true
	}
}

// used reports whether a UID has named an object, or may name one later.
func (s *store) used(uid types.UID) bool {
	return s.given[uid] || strings.HasPrefix(string(uid), madeUID)
}

// objectOf returns the part of an object that decisions need.
func (s *store) objectOf(k *kind, m *partial) graph.Object {
	o := graph.Object{
		Key:        graph.Key{Kind: k.info.Kind, Scope: m.Namespace, Name: m.Name, UID: graph.UID(m.UID)},
		Version:    versionOf(m.UID, m.ResourceVersion),
		Finalizers: slices.Clone(m.Finalizers),
		Deleting:   m.DeletionTimestamp != nil,
		Generation: m.Generation,
	}
	for i := range m.OwnerReferences {
		o.Owners = append(o.Owners, s.ownerOf(m.Namespace, &m.OwnerReferences[i]))
	}
	refs, err := annotated(k, m)
	for i := range refs {
		o.Owners = append(o.Owners, s.withPolicy(m.Namespace, &refs[i]))
	}
	if err != nil {
		o.Owners = append(o.Owners, annotation.Flaw(err))
	}
	return o
}

// versionOf names one state of one object. The fake client counts the versions of each
// object from 1, so a version needs the UID.
func versionOf(uid types.UID, resourceVersion string) graph.Version {
	return graph.Version(resourceVersion + "@" + string(uid))
}

// ownerOf resolves a reference of an object in a namespace, as a garbage collector
// does. The version does not matter. An owner whose kind has namespaces lives in the
// dependent's namespace.
//
// The owner is Unresolved if the scheme does not know the kind in that version, or if
// no object can have the name. It is also Unresolved if its kind has namespaces and the
// dependent has none.
//
//test:by TestOwnerOf TestOrphanFreesHostileName
func (s *store) ownerOf(namespace string, r *metav1.OwnerReference) graph.Owner {
	gv, err := schema.ParseGroupVersion(r.APIVersion)
	if err != nil {
		gv = schema.GroupVersion{Group: r.APIVersion}
	}
	o := graph.Owner{
		Key:        graph.Key{Kind: kindName(gv.Group, r.Kind), Name: r.Name, UID: graph.UID(r.UID)},
		Block:      r.BlockOwnerDeletion != nil && *r.BlockOwnerDeletion,
		Controller: r.Controller != nil && *r.Controller,
	}
	k := s.kinds[o.Kind]
	switch {
	case k == nil || !slices.Contains(k.versions, gv.Version), k.info.Scoped && namespace == "", !isSegment(r.Name):
		o.Unresolved = true
	case k.info.Scoped:
		o.Scope = namespace
	}
	return o
}

// isSegment reports whether a path can contain the name, as in an API server. The functions of
// apimachinery for it are not in all supported versions.
func isSegment(name string) bool {
	return name != "." && name != ".." && !strings.ContainsAny(name, "/%")
}
