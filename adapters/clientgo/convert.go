package clientgo

import (
	"context"
	"fmt"
	"reflect"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// ObjectOf returns the part of an object that decisions need, exactly as a watch of the
// store reports it. The object may be metadata, typed or unstructured. Its kind is
// gvk's, in any version. A typed object does not name its kind.
//
// The result shares no slice with m. Its Scope is the namespace. An object that no server
// has stored has neither UID nor Version. The finalizers in a Namespace's spec (NamespaceFinalizer) are not metadata,
// and the result lacks them.
//
// An owner whose kind has namespaces lives in the object's namespace. Any other owner has
// the Scope "". An owner is Unresolved if its place is unknown. That is so if its version
// or kind is not served or not in the set of kinds, or if no object can have the name. It
// is also so if the kind has namespaces and the object has none.
//
// ObjectOf reads discovery, in two requests, if the store has not done so or lacks the
// kind. It is safe for concurrent use. Errors:
//
//   - ErrKindUnknown for a kind that is not served or not in the set of kinds.
//   - ErrInvalid for nil, and for an object whose namespace contradicts its kind.
//   - The error of the server or of ctx.
//
//test:by TestObjectOf TestObjectOfRefused TestOwnerOf TestOwnerOfHostileName
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
