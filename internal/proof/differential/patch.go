package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// patched returns the live object after the patch.
func patched(live graph.Object, pt types.PatchType, data []byte) (*metav1.PartialObjectMetadata, error) {
	doc, err := json.Marshal(partial(live))
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	switch {
	case pt == types.MergePatchType:
		doc, err = jsonpatch.MergePatch(doc, data)
	case pt == types.StrategicMergePatchType && live.Kind != custom:
		doc, err = strategicpatch.StrategicMergePatch(doc, data, metav1.PartialObjectMetadata{})
	default:
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: 415, Reason: metav1.StatusReasonUnsupportedMediaType,
		}}
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	out := &metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(doc, out); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return out, nil
}

// changes returns the content of a patch as a change. The references that the change
// leaves are not validated. A server refuses wrong references when they are written,
// but keeps those that are older than its rules. An error says that the garbage
// collector has sent a patch that it should never send.
func changes(live graph.Object, wanted *metav1.PartialObjectMetadata) (graph.Precondition, graph.Change, error) {
	pre := graph.Precondition{UID: graph.UID(wanted.UID), Version: graph.Version(wanted.ResourceVersion)}
	var owners []graph.Owner
	for _, ref := range wanted.OwnerReferences {
		owners = append(owners, owner(live.Key, ref))
	}
	var c graph.Change
	for _, r := range live.Owners {
		blocks := func(p graph.Owner) bool { return p.Block && r.Same(p) }
		switch {
		case !slices.ContainsFunc(owners, r.Same):
			c.DropOwners = append(c.DropOwners, r)
		case r.Block && !slices.ContainsFunc(owners, blocks):
			c.Unblock = append(c.Unblock, r)
		}
	}
	for _, f := range live.Finalizers {
		if !slices.Contains(wanted.Finalizers, f) {
			c.DropFinalizer = f
		}
	}
	if left := partial(c.Apply(live)); !slices.Equal(left.Finalizers, wanted.Finalizers) ||
		len(left.OwnerReferences) != len(wanted.OwnerReferences) {
		return pre, c, apierrors.NewBadRequest(fmt.Sprintf("%s: not what a garbage collector patches: %v", live, wanted.ObjectMeta))
	}
	return pre, c, nil
}
