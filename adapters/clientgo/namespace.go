package clientgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ownergraph/ownergraph/graph"
)

// NamespaceFinalizer is the finalizer with which a server holds a deleted Namespace
// until a client has emptied it. It is "kubernetes" in the spec's finalizers, which are
// not metadata.
//
// The store reports the finalizers of a Namespace's spec after those of its metadata,
// with the prefix "spec.finalizers:". It does so for no other kind. No finalizer of a
// metadata can have such a name. The removal of this finalizer ends the namespace. It
// is the finalizer of a guard.ScopeSweep for a server without a namespace
// controller.
//
//test:by TestNamespaceFinalizers TestFinalizeEnds internal/proof/e2e.TestScopeSweepBesideUpstream
//test:by internal/proof/e2e.TestNamespaceWithoutSweep
const NamespaceFinalizer = specPrefix + "kubernetes"

const (
	specPrefix               = "spec.finalizers:"
	namespaceKind graph.Kind = "Namespace"
	finalizeVerb             = "finalize"
)

// readsWhole reports whether the store reads the objects of a resource whole, because
// their metadata is not enough.
func readsWhole(at schema.GroupVersionResource) bool {
	return at == schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
}

const acceptWhole = "application/vnd.kubernetes.protobuf,application/json"

// withSpecPrefix returns the names of a spec's finalizers.
func withSpecPrefix(names []string) []string {
	out := make([]string, len(names))
	for i, f := range names {
		out[i] = specPrefix + f
	}
	return out
}

// metadataFinalizers returns the number of an object's finalizers that are in its
// metadata.
func metadataFinalizers(kind graph.Kind, finalizers []string) int {
	n := slices.IndexFunc(finalizers, func(f string) bool { return kind == namespaceKind && strings.HasPrefix(f, specPrefix) })
	if n < 0 {
		return len(finalizers)
	}
	return n
}

// changesSpec reports whether a change of a Namespace is in its spec.
func changesSpec(kind graph.Kind, c graph.Change) bool {
	return kind == namespaceKind && (strings.HasPrefix(c.DropFinalizer, specPrefix) || strings.HasPrefix(c.AddFinalizer, specPrefix))
}

// finalize changes the finalizers in a namespace's spec, which allow no patch. It reads
// the namespace and sends it to the finalize endpoint with changed finalizers, under
// its UID and version. The server removes the namespace at once if no other finalizer
// holds it.
//
//test:by TestFinalize
func (s *Store) finalize(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change, r resource) (err error) {
	drop, add := change.DropFinalizer, change.AddFinalizer
	change.DropFinalizer, change.AddFinalizer = "", ""
	for _, f := range [...]string{drop, add} {
		if f != "" && !strings.HasPrefix(f, specPrefix) || !change.IsZero() {
			return fmt.Errorf("patch %s: a change of the spec's finalizers goes with no other: %w", key, graph.ErrRefused)
		}
	}
	for range triesWithoutVersion {
		err = s.finalizeRead(ctx, key, pre, strings.TrimPrefix(drop, specPrefix), strings.TrimPrefix(add, specPrefix), r)
		if pre.Version != "" || !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}

func (s *Store) finalizeRead(ctx context.Context, key graph.Key, pre graph.Precondition, drop, add string, r resource) error {
	raw, err := s.client.raw(ctx, r.at, "", key.Name)
	if err != nil {
		return s.storeError(ctx, "patch", key, r, err)
	}
	n, body, err := readNamespace(raw)
	if err != nil || !identified(&n.PartialObjectMetadata) || n.Name != key.Name {
		return fmt.Errorf("patch %s: %w", key, errors.Join(errNoMetadata, err))
	}
	if live := (graph.Object{Key: graph.Key{UID: graph.UID(n.UID)}, Version: graph.Version(n.ResourceVersion)}); !pre.Holds(live) {
		return fmt.Errorf("patch %s: version %s of %s is there: %w", key, n.ResourceVersion, n.UID, graph.ErrConflict)
	}
	want := slices.DeleteFunc(slices.Clone(n.Spec.Finalizers), func(f string) bool { return f == drop })
	if add != "" && !slices.Contains(want, add) {
		want = append(want, add)
	}
	if slices.Equal(want, n.Spec.Finalizers) {
		return nil
	}
	spec, _ := body["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
	}
	spec["finalizers"], body["spec"] = want, spec
	err = s.write(ctx, r, func() error { return s.client.put(ctx, r.at, key.Name, finalizeVerb, body) })
	if apierrors.IsConflict(err) {
		return fmt.Errorf("patch %s: %w: %w: %w", key, graph.ErrConflict, errMoved, err)
	}
	return s.storeError(ctx, "patch", key, r, err)
}

// namespaceObject is the part of a Namespace that the store reads.
type namespaceObject struct {
	metav1.PartialObjectMetadata
	Spec struct {
		Finalizers []string `json:"finalizers"`
	} `json:"spec"`
}

func readNamespace(raw []byte) (n namespaceObject, body map[string]any, err error) {
	err = errors.Join(json.Unmarshal(raw, &n), json.Unmarshal(raw, &body))
	return n, body, err
}

// metadata returns the metadata of a Namespace with the spec's finalizers.
func (n *namespaceObject) metadata() *metav1.PartialObjectMetadata {
	n.Finalizers = append(n.Finalizers, withSpecPrefix(n.Spec.Finalizers)...)
	return &n.PartialObjectMetadata
}

// namespaceCodec reads Namespaces in JSON. The other serializer reads all other
// objects.
type namespaceCodec struct{ runtime.Serializer }

// Decode reads a Namespace or a page of them, which no scheme has registered.
func (w namespaceCodec) Decode(data []byte, kind *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	o, is, err := w.Serializer.Decode(data, kind, into)
	if into != nil || is == nil || !runtime.IsNotRegisteredError(err) || is.GroupVersion() != (schema.GroupVersion{Version: "v1"}) {
		return o, is, err
	}
	switch is.Kind {
	case "Namespace":
		var n namespaceObject
		if json.Unmarshal(data, &n) == nil {
			return n.metadata(), is, nil
		}
	case "NamespaceList":
		var list struct {
			metav1.ListMeta `json:"metadata"`
			Items           []namespaceObject `json:"items"`
		}
		if json.Unmarshal(data, &list) == nil {
			out := &metav1.PartialObjectMetadataList{ListMeta: list.ListMeta}
			for i := range list.Items {
				out.Items = append(out.Items, *list.Items[i].metadata())
			}
			return out, is, nil
		}
	}
	return o, is, err
}
