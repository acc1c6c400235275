package theirs

import (
	"errors"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// partial returns the object as a metadata informer has it. It has the two labels that
// every pod of a replica set has at least, and each string is an allocation of its own.
func partial(o graph.Object) *metav1.PartialObjectMetadata {
	version, kind := kindOf(o.Kind).ToAPIVersionAndKind()
	p := &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: strings.Clone(version), Kind: strings.Clone(kind)},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: o.Scope, Name: o.Name, UID: types.UID(o.UID),
			ResourceVersion: string(o.Version), Generation: o.Generation, Finalizers: o.Finalizers,
			CreationTimestamp: metav1.Time{Time: time.Unix(1, 0)},
			Labels: map[string]string{
				strings.Clone("app"): strings.Clone(o.Name[:min(13, len(o.Name))]), strings.Clone("pod-template-hash"): strings.Clone("7d9c5b8f6d"),
			},
		},
	}
	for _, r := range o.Owners {
		version, kind := kindOf(r.Kind).ToAPIVersionAndKind()
		block, controller := r.Block, r.Controller
		p.OwnerReferences = append(p.OwnerReferences, metav1.OwnerReference{
			APIVersion: strings.Clone(version), Kind: strings.Clone(kind), Name: r.Name, UID: types.UID(r.UID),
			BlockOwnerDeletion: &block, Controller: &controller,
		})
	}
	if o.Deleting {
		p.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
	return p
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
func status(r schema.GroupVersionResource, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, graph.ErrNotFound), errors.Is(err, graph.ErrKindUnknown):
		return apierrors.NewNotFound(r.GroupResource(), name)
	case errors.Is(err, graph.ErrConflict):
		return apierrors.NewConflict(r.GroupResource(), name, err)
	}
	return apierrors.NewInternalError(err)
}
