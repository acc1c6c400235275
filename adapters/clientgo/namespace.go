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

// NamespaceFinalizer is the finalizer with which a server holds every Namespace
// until somebody has emptied it: "kubernetes" in the spec's finalizers, which are
// none of its metadata. The engine sees those of a Namespace's spec, and of nothing
// else, after those of its metadata, and spelt so; no finalizer of the metadata can
// be spelt like one of them. To take it off is to end the namespace. It is the
// finalizer of a finalizer.ScopeSweep for a server without a namespace controller.
const NamespaceFinalizer = specPrefix + "kubernetes"

const (
	specPrefix               = "spec.finalizers:"
	namespaceKind graph.Kind = "Namespace"
	finalizeVerb             = "finalize"
)

// whole reports whether objects of a resource are asked for as they are, since
// their metadata does not say everything.
func whole(at schema.GroupVersionResource) bool {
	return at == schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
}

const acceptWhole = "application/vnd.kubernetes.protobuf,application/json"

// ofSpec spells finalizers of a spec.
func ofSpec(names []string) []string {
	out := make([]string, len(names))
	for i, f := range names {
		out[i] = specPrefix + f
	}
	return out
}

// inMetadata returns how many of an object's finalizers are those of its metadata.
func inMetadata(kind graph.Kind, finalizers []string) int {
	n := slices.IndexFunc(finalizers, func(f string) bool { return kind == namespaceKind && strings.HasPrefix(f, specPrefix) })
	if n < 0 {
		return len(finalizers)
	}
	return n
}

// concernsSpec reports whether a change of a Namespace is one of its spec.
func concernsSpec(kind graph.Kind, c graph.Change) bool {
	return kind == namespaceKind && (strings.HasPrefix(c.DropFinalizer, specPrefix) || strings.HasPrefix(c.AddFinalizer, specPrefix))
}

// finalize changes the finalizers of a namespace's spec, for which there is no
// patch: the namespace is read, and put to its finalize endpoint as it was read but
// for them, under its UID and version. A server removes it then and there if
// nothing else holds it.
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
	raw, err := s.client.raw(ctx, r.at, key.Name)
	if err != nil {
		return s.answer(ctx, "patch", key, r, err)
	}
	n, body, err := readNamespace(raw)
	if err != nil || !complete(&n.PartialObjectMetadata) || n.Name != key.Name {
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
	return s.answer(ctx, "patch", key, r, err)
}

// namespaceObject is what is looked at of a Namespace.
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

// partial returns a Namespace as the engine sees it.
func (n *namespaceObject) partial() *metav1.PartialObjectMetadata {
	n.Finalizers = append(n.Finalizers, ofSpec(n.Spec.Finalizers)...)
	return &n.PartialObjectMetadata
}

// wholeJSON reads Namespaces that were sent as JSON. Everything else is the other's.
type wholeJSON struct{ runtime.Serializer }

// Decode reads what nobody has registered, if it is a Namespace or a page of them.
func (w wholeJSON) Decode(data []byte, kind *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	o, is, err := w.Serializer.Decode(data, kind, into)
	if into != nil || is == nil || !runtime.IsNotRegisteredError(err) || is.GroupVersion() != (schema.GroupVersion{Version: "v1"}) {
		return o, is, err
	}
	switch is.Kind {
	case "Namespace":
		var n namespaceObject
		if json.Unmarshal(data, &n) == nil {
			return n.partial(), is, nil
		}
	case "NamespaceList":
		var list struct {
			metav1.ListMeta `json:"metadata"`
			Items           []namespaceObject `json:"items"`
		}
		if json.Unmarshal(data, &list) == nil {
			out := &metav1.PartialObjectMetadataList{ListMeta: list.ListMeta}
			for i := range list.Items {
				out.Items = append(out.Items, *list.Items[i].partial())
			}
			return out, is, nil
		}
	}
	return o, is, err
}
