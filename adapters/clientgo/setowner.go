package clientgo

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// SetOwner sets the one reference of an object to the owner, with a policy. It changes the object in
// memory, and the caller writes it to the server. The object's kind is gvk's, in any version.
//
// A reference with a policy is in OwnersAnnotation, and no owner reference. With OnDeleteUnset it is
// an owner reference of the metadata. A former reference with the owner's UID is replaced, at its place
// if it is in the same list. A value of the annotation that names another object is a copy, and is
// replaced too.
//
// The annotation names its object. So an object needs its name and its namespace before the call, and
// an object with a generated name needs one from the server first.
//
// SetOwner knows no kind of a server. A reference to a kind that is not served is Unresolved, as an
// owner reference is. Errors wrap graph.ErrInvalid and name the object and the field. The object is
// then unchanged:
//
//   - nil, or an object without a kind or a name
//   - a reference without an apiVersion, a kind, a name or a UID, or to the object itself
//   - an unknown policy
//   - a present value that cannot be read, or a new value of more than annotation.MaxBytes
//
// It is not safe for concurrent use of the object.
//
//test:by TestSetOwner TestSetOwnerFaults
func SetOwner(object metav1.Object, gvk schema.GroupVersionKind, owner metav1.OwnerReference, onDelete graph.OnDelete) error {
	key, err := settable("set owner", object, gvk)
	if err != nil {
		return err
	}
	if err := checkOwner(key, &owner, onDelete); err != nil {
		return fmt.Errorf("set owner of %s: owner.%w: %w", key, err, graph.ErrInvalid)
	}
	own, annotated, err := splitOwners(key, object)
	if err != nil {
		return fmt.Errorf("set owner of %s: %w", key, err)
	}
	isOwn := func(r metav1.OwnerReference) bool { return r.UID == owner.UID }
	isAnnotated := func(r annotation.Reference) bool { return string(r.UID) == string(owner.UID) }
	if onDelete == graph.OnDeleteUnset {
		own, annotated = placed(own, isOwn, owner), slices.DeleteFunc(annotated, isAnnotated)
	} else {
		own, annotated = slices.DeleteFunc(own, isOwn), placed(annotated, isAnnotated, withPolicy(&owner, onDelete))
	}
	if err := writeOwners(key, object, own, annotated); err != nil {
		return fmt.Errorf("set owner of %s: %w", key, err)
	}
	return nil
}

// RemoveOwner removes each reference of an object to the owner with the UID, with and without a policy.
// It changes the object in memory, as SetOwner does. An object without such a reference is unchanged,
// except that a value of OwnersAnnotation that is a copy goes. Errors are those of SetOwner about the
// object, its present value and the UID.
//
//test:by TestSetOwner TestSetOwnerFaults
func RemoveOwner(object metav1.Object, gvk schema.GroupVersionKind, uid types.UID) error {
	key, err := settable("remove owner", object, gvk)
	if err != nil {
		return err
	}
	if uid == "" {
		return fmt.Errorf("remove owner of %s: uid: empty: %w", key, graph.ErrInvalid)
	}
	own, annotated, err := splitOwners(key, object)
	if err != nil {
		return fmt.Errorf("remove owner of %s: %w", key, err)
	}
	own = slices.DeleteFunc(own, func(r metav1.OwnerReference) bool { return r.UID == uid })
	annotated = slices.DeleteFunc(annotated, func(r annotation.Reference) bool { return string(r.UID) == string(uid) })
	if err := writeOwners(key, object, own, annotated); err != nil {
		return fmt.Errorf("remove owner of %s: %w", key, err)
	}
	return nil
}

// settable returns the key of an object that can have the annotation.
func settable(verb string, object metav1.Object, gvk schema.GroupVersionKind) (graph.Key, error) {
	if v := reflect.ValueOf(object); object == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return graph.Key{}, fmt.Errorf("%s: object: nil: %w", verb, graph.ErrInvalid)
	}
	key := graph.Key{Kind: kindName(gvk.Group, gvk.Kind), Scope: object.GetNamespace(), Name: object.GetName(), UID: graph.UID(object.GetUID())}
	switch {
	case gvk.Kind == "":
		return key, fmt.Errorf("%s of %s: kind: empty: %w", verb, key, graph.ErrInvalid)
	case key.Name == "":
		return key, fmt.Errorf("%s of %s: metadata.name: empty: %w", verb, key, graph.ErrInvalid)
	}
	return key, nil
}

// checkOwner returns the fault of a new reference.
func checkOwner(key graph.Key, r *metav1.OwnerReference, onDelete graph.OnDelete) error {
	for _, f := range [...]struct{ name, text string }{
		{"apiVersion", r.APIVersion}, {"kind", r.Kind}, {"name", r.Name}, {"uid", string(r.UID)},
	} {
		if f.text == "" {
			return fmt.Errorf("%s: empty", f.name)
		}
	}
	gv, err := schema.ParseGroupVersion(r.APIVersion)
	switch {
	case err != nil:
		return fmt.Errorf("apiVersion: %q: want GROUP/VERSION or VERSION", r.APIVersion)
	case graph.UID(r.UID) == key.UID:
		return errors.New("uid: the object itself")
	case kindName(gv.Group, r.Kind) == key.Kind && r.Name == key.Name:
		return errors.New("name: the object itself")
	case onDelete > graph.OnDeleteCascade:
		return fmt.Errorf("onDelete: %s is unknown", onDelete)
	}
	return nil
}

// splitOwners returns copies of the two lists of references.
func splitOwners(key graph.Key, object metav1.Object) ([]metav1.OwnerReference, []annotation.Reference, error) {
	refs, err := annotated(key.Kind, apimeta.AsPartialObjectMetadata(object))
	return slices.Clone(object.GetOwnerReferences()), refs, err
}

// placed returns the list with the one entry in place of those that match.
func placed[T any](list []T, matches func(T) bool, entry T) []T {
	at := slices.IndexFunc(list, matches)
	if at < 0 {
		return append(list, entry)
	}
	list[at] = entry
	rest := slices.DeleteFunc(list[at+1:], matches)
	return list[:at+1+len(rest)]
}

// writeOwners writes both lists into the object, or changes nothing.
func writeOwners(key graph.Key, object metav1.Object, own []metav1.OwnerReference, annotated []annotation.Reference) error {
	value, err := annotation.Format(key, annotated)
	if err != nil {
		return err
	}
	all := maps.Clone(object.GetAnnotations())
	switch {
	case value != "" && all == nil:
		all = map[string]string{OwnersAnnotation: value}
	case value != "":
		all[OwnersAnnotation] = value
	default:
		delete(all, OwnersAnnotation)
	}
	if len(all) == 0 {
		all = nil
	}
	object.SetAnnotations(all)
	object.SetOwnerReferences(own)
	return nil
}
