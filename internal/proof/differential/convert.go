package main

import (
	"errors"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// partial returns the object in Kubernetes' form.
func partial(o graph.Object) *metav1.PartialObjectMetadata {
	p := &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: groupVersion().String(), Kind: string(o.Kind)},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: o.Scope, Name: o.Name, UID: types.UID(o.UID),
			ResourceVersion: string(o.Version), Generation: o.Generation,
			Finalizers: o.Finalizers,
		},
	}
	for _, r := range o.Owners {
		p.OwnerReferences = append(p.OwnerReferences, reference(r))
	}
	if o.Deleting {
		at := metav1.NewTime(time.Unix(1, 0).UTC())
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &at, &o.GraceSeconds
	}
	return p
}

func reference(r graph.Owner) metav1.OwnerReference {
	ref := metav1.OwnerReference{
		APIVersion: groupVersion().String(), Kind: string(r.Kind), Name: r.Name, UID: types.UID(r.UID),
	}
	if r.Block {
		ref.BlockOwnerDeletion = &r.Block
	}
	if r.Controller {
		ref.Controller = &r.Controller
	}
	return ref
}

// owner is the inverse of reference, in an object with the key dep.
func owner(dep graph.Key, ref metav1.OwnerReference) graph.Owner {
	return resolve(dep, graph.Owner{
		Key:        graph.Key{Kind: graph.Kind(ref.Kind), Name: ref.Name, UID: graph.UID(ref.UID)},
		Block:      ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion,
		Controller: ref.Controller != nil && *ref.Controller,
	})
}

// propagation reads a deletion's policy.
func propagation(p *metav1.DeletionPropagation) graph.Propagation {
	if p == nil {
		return graph.Unset
	}
	switch *p {
	case metav1.DeletePropagationBackground:
		return graph.Background
	case metav1.DeletePropagationForeground:
		return graph.Foreground
	case metav1.DeletePropagationOrphan:
		return graph.Orphan
	}
	return graph.Unset
}

// status returns the error as a server of Kubernetes would give it.
func status(kind graph.Kind, name string, err error) error {
	r := resource(kind).GroupResource()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, graph.ErrNotFound), errors.Is(err, graph.ErrKindUnknown):
		return apierrors.NewNotFound(r, name)
	case errors.Is(err, graph.ErrConflict):
		return apierrors.NewConflict(r, name, err)
	case errors.Is(err, graph.ErrRefused), errors.Is(err, graph.ErrInvalid):
		return apierrors.NewForbidden(r, name, err)
	}
	return apierrors.NewInternalError(err)
}
