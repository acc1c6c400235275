package fakegc

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// annotated returns the references with a policy of an object, or the fault of its annotation.
func annotated(k *kind, m *partial) ([]annotation.Reference, error) {
	value, is := m.Annotations[annotation.Owners]
	if !is {
		return nil, nil
	}
	return annotation.Parse(graph.Key{Kind: k.info.Kind, Scope: m.Namespace, Name: m.Name}, value)
}

// withPolicy resolves a reference of the annotation, as ownerOf does.
func (s *store) withPolicy(namespace string, r *annotation.Reference) graph.Owner {
	o := s.ownerOf(namespace, &metav1.OwnerReference{
		APIVersion: r.APIVersion, Kind: r.Kind, Name: r.Name, UID: types.UID(r.UID), BlockOwnerDeletion: &r.Block, Controller: &r.Controller,
	})
	o.OnDelete = r.OnDelete
	return o
}

// annotation returns the value for the wanted references with a policy. It keeps the text of the present
// ones, and a value that cannot be read.
func (s *store) annotation(m *partial, want graph.Object) (string, error) {
	former := m.Annotations[annotation.Owners]
	wanted := slices.DeleteFunc(slices.Clone(want.Owners), func(r graph.Owner) bool { return r.OnDelete == graph.OnDeleteUnset })
	if slices.ContainsFunc(want.Owners, graph.Owner.Flawed) && len(wanted) == 0 {
		return former, nil
	}
	present, err := annotation.Parse(want.Key, former)
	if former == "" {
		present, err = nil, nil
	}
	if err != nil {
		return "", err
	}
	var refs []annotation.Reference
	for _, r := range wanted {
		i := slices.IndexFunc(present, func(p annotation.Reference) bool { return s.withPolicy(m.Namespace, &p).Same(r) })
		if i < 0 {
			ref := s.newReference(r)
			refs = append(refs, annotation.Reference{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: r.Name, UID: r.UID, Controller: r.Controller})
		} else {
			refs = append(refs, present[i])
		}
		refs[len(refs)-1].OnDelete, refs[len(refs)-1].Block = r.OnDelete, r.Block
	}
	if slices.Equal(refs, present) {
		return former, nil
	}
	return annotation.Format(want.Key, refs)
}
