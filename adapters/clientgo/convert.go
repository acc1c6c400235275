package clientgo

import (
	"context"
	"fmt"
	"reflect"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// ObjectOf returns what decisions need of an object, exactly as a watch of the store
// reports it. The object may be of any type: metadata, typed or unstructured. Its
// kind is gvk's, whatever the version; an object that is typed does not name it.
//
// The result shares no slice with m. Its Scope is the namespace, and each of its Owners
// is what OwnerOf returns. An object that no server has stored yet has neither UID nor
// Version. What a Namespace has in its spec (NamespaceFinalizer) is no metadata, and is
// left out.
//
// The server is asked what it serves, by two requests, if nobody has asked yet or the
// kind is not known. Errors: ErrKindUnknown for a kind that is not served or takes no
// part; ErrInvalid for no object, and for one with a namespace of a kind without, or
// the other way round; what the server or ctx says. It is safe for concurrent use.
// Held by TestObjectOf and TestObjectOfRefused.
func (s *Store) ObjectOf(ctx context.Context, gvk schema.GroupVersionKind, m metav1.Object) (graph.Object, error) {
	if v := reflect.ValueOf(m); m == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return graph.Object{}, fmt.Errorf("convert object: nil: %w", graph.ErrInvalid)
	}
	key := graph.Key{Kind: kindName(gvk.Group, gvk.Kind), Scope: m.GetNamespace(), Name: m.GetName(), UID: graph.UID(m.GetUID())}
	r, c, err := s.find(ctx, "convert", key)
	if err != nil {
		return graph.Object{}, err
	}
	if r.scoped != (key.Scope != "") {
		return graph.Object{}, fmt.Errorf("convert %s: namespace: none such in its kind: %w", key, graph.ErrInvalid)
	}
	return c.objectOf(key.Kind, apimeta.AsPartialObjectMetadata(m)), nil
}

// OwnerOf returns the owner that a reference of an object in a namespace names; the
// namespace is "" for an object without.
//
//   - The version does not matter, as long as the server serves it.
//   - An owner of a kind with namespaces lives in the object's, and any other has
//     the Scope "".
//   - The owner is Unresolved where nobody can say where it lives: the version or the
//     kind is not served, or takes no part; the kind has namespaces and the object has
//     none; no object can have the name. An Unresolved reference deletes nothing. It
//     counts by its UID, so an owner with that UID that orphans drops it.
//
// It goes by the latest look at what is served, and asks the server only if there was
// none. An error is that of the server or of ctx. It is safe for concurrent use. Held by
// TestOwnerOf, TestOwnerOfHostileName and TestObjectOf.
func (s *Store) OwnerOf(ctx context.Context, namespace string, r metav1.OwnerReference) (graph.Owner, error) {
	c := s.catalog.Load()
	if c == nil {
		var err error
		if c, err = s.discover(ctx, time.Now()); err != nil {
			return graph.Owner{}, fmt.Errorf("convert reference to %s %q: %w", r.Kind, r.Name, err)
		}
	}
	return c.ownerOf(namespace, &r), nil
}
