package clientgo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/graph"
)

// operation is one operation of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// atVersion makes a patch apply to exactly one state of one object.
func atVersion(uid graph.UID, version graph.Version) []operation {
	return []operation{
		{"replace", "/metadata/uid", string(uid)},
		{"replace", "/metadata/resourceVersion", string(version)},
	}
}

// cachedPatch returns the patch for an object that was not read. It returns nil if the
// cache does not suffice.
func (s *Store) cachedPatch(c *catalog, key graph.Key, pre graph.Precondition, change graph.Change) []operation {
	if change.IsZero() || change.AddOwner != nil || change.AddFinalizer != "" {
		return nil
	}
	if p, ok := s.layouts.find(pre.UID, pre.Version); ok {
		m := &metav1.PartialObjectMetadata{}
		m.Namespace, m.Name, m.OwnerReferences, m.Finalizers, m.Annotations = key.Scope, key.Name, p.owners, p.finalizers, p.annotation
		o := c.objectOf(key.Kind, m)
		o.UID, o.Version = pre.UID, pre.Version
		ops, err := c.exactPatch(o, m, change)
		if err != nil {
			return nil
		}
		return ops
	}
	if len(change.DropOwners)+len(change.Unblock) > 1 || slices.ContainsFunc(change.DropOwners, hasPolicy) || slices.ContainsFunc(change.Unblock, hasPolicy) {
		return nil
	}
	ops := atVersion(pre.UID, pre.Version)
	for _, r := range change.DropOwners {
		ref, ok := s.cachedReference(key.Kind, r)
		if !ok {
			return nil
		}
		ops = append(ops, dropOwner(0, ref)...)
	}
	for _, r := range change.Unblock {
		ref, ok := s.cachedReference(key.Kind, r)
		if !ok {
			return nil
		}
		ops = append(ops, unblock(0, ref)...)
	}
	if f := change.DropFinalizer; f != "" {
		ops = append(ops, dropFinalizer(0, f)...)
	}
	return ops
}

// cachedReference returns a reference with the apiVersion that objects of the kind use
// for such owners.
func (s *Store) cachedReference(kind graph.Kind, r graph.Owner) (metav1.OwnerReference, bool) {
	version, ok := s.layouts.apiVersion(kind, r.Kind)
	if !ok {
		return metav1.OwnerReference{}, false
	}
	return reference(version, r), true
}

// exactPatch returns the patch that applies the change to a known object. o is the
// conversion of m. The patch is nil if the change has no effect.
func (c *catalog) exactPatch(o graph.Object, m *metav1.PartialObjectMetadata, change graph.Change) ([]operation, error) {
	if err := checkAdded(o, change); err != nil {
		return nil, err
	}
	references, err := c.referencesPatch(o, m, change)
	if err != nil {
		return nil, err
	}
	annotations, err := c.annotationPatch(o, m, change)
	if err != nil {
		return nil, err
	}
	ops := slices.Concat(references, annotations, finalizersPatch(o, m, change))
	if len(ops) == 0 {
		return nil, nil
	}
	return append(atVersion(o.UID, o.Version), ops...), nil
}

// referencesPatch returns the operations that apply the change to the owner references.
func (c *catalog) referencesPatch(o graph.Object, m *metav1.PartialObjectMetadata, change graph.Change) ([]operation, error) {
	var ops []operation
	for i := len(m.OwnerReferences) - 1; i >= 0; i-- { // from the end, because a removal moves later entries
		r, ref := o.Owners[i], m.OwnerReferences[i]
		switch {
		case slices.ContainsFunc(change.DropOwners, r.Same):
			ops = append(ops, dropOwner(i, ref)...)
		case r.Block && slices.ContainsFunc(change.Unblock, r.Same):
			ops = append(ops, unblock(i, ref)...)
		}
	}
	if change.AddOwner == nil || hasPolicy(*change.AddOwner) {
		return ops, nil
	}
	ref, err := c.newReference(o.Key, *change.AddOwner)
	if err != nil {
		return nil, err
	}
	return append(ops, add("ownerReferences", len(m.OwnerReferences), ref)), nil
}

// finalizersPatch returns the operations that apply the change to the finalizers of the metadata.
func finalizersPatch(o graph.Object, m *metav1.PartialObjectMetadata, change graph.Change) []operation {
	var ops []operation
	for i := len(m.Finalizers) - 1; i >= 0 && change.DropFinalizer != ""; i-- {
		if m.Finalizers[i] == change.DropFinalizer {
			ops = append(ops, dropFinalizer(i, change.DropFinalizer)...)
		}
	}
	if f := change.AddFinalizer; f != "" && (f == change.DropFinalizer || !o.HasFinalizer(f)) {
		ops = append(ops, add("finalizers", metadataFinalizers(o.Kind, m.Finalizers), f))
	}
	return ops
}

// newReference returns a new reference, with the version that the catalog uses.
func (c *catalog) newReference(dep graph.Key, r graph.Owner) (metav1.OwnerReference, error) {
	at, ok := c.kinds[r.Kind]
	if !ok {
		return metav1.OwnerReference{}, fmt.Errorf("patch %s: addOwner.kind %q: not served: %w: %w", dep, r.Kind, graph.ErrRefused, graph.ErrInvalid)
	}
	ref := reference(at.gvk.GroupVersion().String(), r)
	ref.Kind = at.gvk.Kind
	yes := true
	if r.Block {
		ref.BlockOwnerDeletion = &yes
	}
	if r.Controller {
		ref.Controller = &yes
	}
	return ref, nil
}

func hasPolicy(r graph.Owner) bool { return r.OnDelete != graph.OnDeleteUnset }

// reference returns a reference without flags.
func reference(apiVersion string, r graph.Owner) metav1.OwnerReference {
	kind := string(r.Kind)
	kind = kind[strings.LastIndexByte(kind, '/')+1:]
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: r.Name, UID: types.UID(r.UID)}
}

func dropOwner(i int, ref metav1.OwnerReference) []operation {
	return append(testOwner(i, ref), operation{Op: "remove", Path: ownerPath(i)})
}

func unblock(i int, ref metav1.OwnerReference) []operation {
	at := ownerPath(i) + "/blockOwnerDeletion"
	return append(testOwner(i, ref), operation{"test", at, true}, operation{"replace", at, false})
}

func testOwner(i int, ref metav1.OwnerReference) []operation {
	at := ownerPath(i)
	return []operation{
		{"test", at + "/uid", string(ref.UID)},
		{"test", at + "/name", ref.Name},
		{"test", at + "/kind", ref.Kind},
		{"test", at + "/apiVersion", ref.APIVersion},
	}
}

func ownerPath(i int) string { return "/metadata/ownerReferences/" + strconv.Itoa(i) }

func dropFinalizer(i int, name string) []operation {
	at := "/metadata/finalizers/" + strconv.Itoa(i)
	return []operation{{"test", at, name}, {Op: "remove", Path: at}}
}

// add appends to a list of the metadata. An empty list does not exist.
func add(list string, n int, value any) operation {
	if n == 0 {
		return operation{"add", "/metadata/" + list, []any{value}}
	}
	return operation{"add", "/metadata/" + list + "/-", value}
}
