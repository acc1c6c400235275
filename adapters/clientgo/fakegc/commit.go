package fakegc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// commit carries out an outcome of the rules with two operations of the fake client.
// These are a patch of metadata, and a deletion, which marks an object with finalizers.
// Clients of the store see both as one step. A watch of the fake client sees two.
func (s *store) commit(ctx context.Context, m *partial, out finalizer.Outcome) error {
	marked := m.DeletionTimestamp != nil
	patch, err := s.metadataPatch(m, out.Object)
	if err != nil {
		return err
	}
	if patch != nil {
		if err := s.inner.Patch(ctx, m, client.RawPatch(types.MergePatchType, patch)); err != nil {
			return err
		}
	}
	if marked || !out.Object.Deleting {
		return nil
	}
	return s.inner.Delete(ctx, m, client.Preconditions{ResourceVersion: &m.ResourceVersion})
}

// metadataPatch returns the merge patch from m to the wanted object, or nil if they are
// equal. The patch is bound to the version of m.
func (s *store) metadataPatch(m *partial, want graph.Object) ([]byte, error) {
	changes := map[string]any{}
	value, err := s.annotation(m, want)
	if err != nil {
		return nil, fmt.Errorf("patch %s: %w: %w", want.Key, graph.ErrRefused, err)
	}
	if value != m.Annotations[annotation.Owners] {
		changes["annotations"] = map[string]any{annotation.Owners: value}
		if value == "" { // in a merge patch that removes it
			changes["annotations"] = map[string]any{annotation.Owners: nil}
		}
	}
	if refs := s.references(m, want); !slices.EqualFunc(refs, m.OwnerReferences, sameReference) {
		changes["ownerReferences"] = refs
	}
	if !slices.Equal(want.Finalizers, m.Finalizers) {
		changes["finalizers"] = want.Finalizers
	}
	if want.Generation != m.Generation {
		changes["generation"] = want.Generation
	}
	if len(changes) == 0 {
		return nil, nil
	}
	changes["resourceVersion"] = m.ResourceVersion
	return json.Marshal(map[string]any{"metadata": changes})
}

// references returns the wanted references. It keeps the text of the present ones.
func (s *store) references(m *partial, want graph.Object) []metav1.OwnerReference {
	var out []metav1.OwnerReference
	left := slices.DeleteFunc(slices.Clone(want.Owners), func(r graph.Owner) bool { return r.OnDelete != graph.OnDeleteUnset || r.Flawed() })
	for _, ref := range m.OwnerReferences {
		i := slices.IndexFunc(left, s.ownerOf(m.Namespace, &ref).Same)
		if i < 0 {
			continue
		}
		if blocks := left[i].Block; blocks != (ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion) {
			ref.BlockOwnerDeletion = &blocks
		}
		out = append(out, ref)
		left = slices.Delete(left, i, i+1)
	}
	for _, r := range left {
		out = append(out, s.newReference(r))
	}
	return out
}

// newReference returns a reference in the preferred version of its kind.
func (s *store) newReference(r graph.Owner) metav1.OwnerReference {
	k := s.kinds[r.Kind]
	apiVersion, name := k.gvk(k.versions[0]).ToAPIVersionAndKind()
	return metav1.OwnerReference{
		APIVersion: apiVersion, Kind: name, Name: r.Name, UID: types.UID(r.UID),
		BlockOwnerDeletion: &r.Block, Controller: &r.Controller,
	}
}

func sameReference(a, b metav1.OwnerReference) bool {
	return a.UID == b.UID && a.Name == b.Name && a.Kind == b.Kind && a.APIVersion == b.APIVersion &&
		(a.BlockOwnerDeletion != nil && *a.BlockOwnerDeletion) == (b.BlockOwnerDeletion != nil && *b.BlockOwnerDeletion)
}
