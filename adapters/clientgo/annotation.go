package clientgo

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// OwnersAnnotation is the name of the annotation with an object's references that have a policy
// (graph.OnDelete). Package annotation has the form of its value. SetOwner writes it.
//
//test:by TestAnnotationReads TestConformance
const OwnersAnnotation = annotation.Owners

// annotated returns the references of an object's annotation, or the fault of its value.
func annotated(kind graph.Kind, m *metav1.PartialObjectMetadata) ([]annotation.Reference, error) {
	value, ok := m.Annotations[OwnersAnnotation]
	if !ok {
		return nil, nil
	}
	return annotation.Parse(graph.Key{Kind: kind, Scope: m.Namespace, Name: m.Name}, value)
}

// addAnnotated adds the references of the annotation behind the owner references, in their order. The
// last one reports the fault of a value that cannot be read, or a policy of Config.HeldPolicies.
//
//test:by TestAnnotationReads TestHeldPolicies
func (c *catalog) addAnnotated(share func(string) string, o *graph.Object, m *metav1.PartialObjectMetadata) {
	refs, err := annotated(o.Kind, m)
	for i := range refs {
		r := ownerReference(&refs[i])
		owner := c.ownerOf(share, o.Scope, &r)
		owner.OnDelete = refs[i].OnDelete
		o.Owners = append(o.Owners, owner)
		if err == nil && slices.Contains(c.held, owner.OnDelete) {
			err = fmt.Errorf("annotation %s: references[%d].onDelete: the settings of the store hold objects with %s", OwnersAnnotation, i, owner.OnDelete)
		}
	}
	if err != nil {
		o.Owners = append(o.Owners, annotation.Flaw(err))
	}
}

// ownerReference returns a reference of the annotation in the form of Kubernetes, without its policy.
func ownerReference(r *annotation.Reference) metav1.OwnerReference {
	out := metav1.OwnerReference{APIVersion: r.APIVersion, Kind: r.Kind, Name: r.Name, UID: types.UID(r.UID)}
	yes := true
	if r.Block {
		out.BlockOwnerDeletion = &yes
	}
	if r.Controller {
		out.Controller = &yes
	}
	return out
}

// withPolicy returns an owner reference with a policy, in the form of the annotation.
func withPolicy(r *metav1.OwnerReference, d graph.OnDelete) annotation.Reference {
	return annotation.Reference{
		APIVersion: r.APIVersion, Kind: r.Kind, Name: r.Name, UID: graph.UID(r.UID), OnDelete: d,
		Block:      r.BlockOwnerDeletion != nil && *r.BlockOwnerDeletion,
		Controller: r.Controller != nil && *r.Controller,
	}
}

// annotationPatch returns the operations that apply the change to the references of the annotation. o
// is the conversion of m. A value that cannot be read is never replaced.
//
//test:by TestPatchAnnotation TestPatchIsExact
func (c *catalog) annotationPatch(o graph.Object, m *metav1.PartialObjectMetadata, change graph.Change) ([]operation, error) {
	refs, fault := annotated(o.Kind, m)
	var kept []annotation.Reference
	changed := false
	for i, ref := range refs {
		r := o.Owners[len(m.OwnerReferences)+i]
		if slices.ContainsFunc(change.DropOwners, r.Same) {
			changed = true
			continue
		}
		if r.Block && slices.ContainsFunc(change.Unblock, r.Same) {
			ref.Block, changed = false, true
		}
		kept = append(kept, ref)
	}
	if add := change.AddOwner; add != nil && add.OnDelete != graph.OnDeleteUnset {
		ref, err := c.newReference(o.Key, *add)
		if err != nil {
			return nil, err
		}
		kept, changed = append(kept, withPolicy(&ref, add.OnDelete)), true
	}
	if !changed {
		return nil, nil
	}
	value, err := "", fault
	if err == nil {
		value, err = annotation.Format(o.Key, kept)
	}
	if err != nil {
		return nil, fmt.Errorf("patch %s: %w: %w", o.Key, graph.ErrRefused, err)
	}
	return replaceAnnotation(m, value), nil
}

// replaceAnnotation returns the operations that replace the annotation, and test its former value. An
// empty value removes it. No other annotation changes.
func replaceAnnotation(m *metav1.PartialObjectMetadata, value string) []operation {
	at := "/metadata/annotations/" + strings.ReplaceAll(OwnersAnnotation, "/", "~1")
	former, is := m.Annotations[OwnersAnnotation]
	switch {
	case is && value == "":
		return []operation{{"test", at, former}, {Op: "remove", Path: at}}
	case is:
		return []operation{{"test", at, former}, {"replace", at, value}}
	case m.Annotations == nil:
		return []operation{{"add", "/metadata/annotations", map[string]string{OwnersAnnotation: value}}}
	}
	return []operation{{"add", at, value}}
}

// checkAdded refuses a new reference to an owner to which the object has a reference with another
// policy, after the change. Such an object would be flawed.
func checkAdded(o graph.Object, change graph.Change) error {
	add := change.AddOwner
	if add == nil {
		return nil
	}
	for i, r := range o.Owners {
		if r.UID == add.UID && r.OnDelete != add.OnDelete && !slices.ContainsFunc(change.DropOwners, r.Same) {
			return fmt.Errorf("patch %s: addOwner.onDelete: %s, and owners[%d] with this uid has %s: %w: %w",
				o.Key, add.OnDelete, i, r.OnDelete, graph.ErrRefused, graph.ErrInvalid)
		}
	}
	return nil
}
