package fakegc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/ownergraph/ownergraph/graph"
)

// funcs adds UIDs, preconditions and the rules of deletion to the fake client. It does
// not intercept Watch.
//
//test:by TestUIDs TestUIDStays TestPreconditions TestPropagation TestDefaultsOfKinds
//test:by TestDeleteAllOf TestLateFinalizers TestScopes
func (s *store) funcs() interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			ctx, unlock := s.lock(ctx)
			defer unlock()
			s.learn(ctx, o)
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			ctx, unlock := s.lock(ctx)
			defer unlock()
			s.learn(ctx, list)
			return c.List(ctx, list, opts...)
		},
		Create: s.create, Update: s.update, Patch: s.patch, Apply: s.apply, Delete: s.delete, DeleteAllOf: s.deleteAllOf,
		SubResourceCreate: s.subCreate, SubResourceUpdate: s.subUpdate, SubResourcePatch: s.subPatch, SubResourceApply: s.subApply,
	}
}

// place is the address of an object that a client writes.
type place struct {
	*kind
	gvk  schema.GroupVersionKind
	name client.ObjectKey
}

// at returns the place of an object. Its kind is nil for a kind that is left out.
func (s *store) at(ctx context.Context, o client.Object) (place, error) {
	gvk, err := s.inner.GroupVersionKindFor(o)
	if err != nil {
		return place{}, err
	}
	return place{s.kindOf(ctx, gvk), gvk, client.ObjectKeyFromObject(o)}, nil
}

// learn records the kind of a read.
func (s *store) learn(ctx context.Context, o runtime.Object) {
	gvk, err := s.inner.GroupVersionKindFor(o)
	if err != nil {
		return // the fake client returns the error
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	s.kindOf(ctx, gvk)
}

func (p place) resource() schema.GroupResource {
	r, _ := meta.UnsafeGuessKindToResource(p.gvk)
	return r.GroupResource()
}

// live returns the object at a place in the version that the client uses, or nil.
func (s *store) live(ctx context.Context, p place) (*partial, error) {
	m := named(p.kind, p.gvk.Version, p.name.Namespace, p.name.Name)
	err := s.inner.Get(ctx, p.name, m)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err == nil {
		err = s.identify(ctx, p.kind, m)
	}
	return m, err
}

func (s *store) create(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
	ctx, unlock := s.lock(ctx)
	defer unlock()
	p, err := s.at(ctx, o)
	switch {
	case err != nil:
		return err
	case p.kind == nil, dry((&client.CreateOptions{}).ApplyOptions(opts).DryRun):
		return c.Create(ctx, o, opts...)
	case p.scopeKnown && p.info.Scoped != (o.GetNamespace() != ""):
		return apierrors.NewBadRequest("metadata.namespace: " + scopeRule(p.kind))
	}
	given := o.GetUID()
	if given == "" || s.used(given) {
		o.SetUID(s.newUID())
	}
	if err := c.Create(ctx, o, opts...); err != nil {
		o.SetUID(given)
		return err
	}
	s.setScope(p.kind, o.GetNamespace())
	s.note(o.GetUID())
	s.touch(ctx, p.kind, o.GetNamespace(), o.GetName()) // the client may have generated the name
	return nil
}

func (s *store) update(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
	return s.write(ctx, o, o.GetFinalizers(), dry((&client.UpdateOptions{}).ApplyOptions(opts).DryRun), func(ctx context.Context) error {
		return c.Update(ctx, o, opts...)
	})
}

// write replaces an object, or a part of it, under the rules of an update.
func (s *store) write(ctx context.Context, o client.Object, finalizers []string, dry bool, do func(context.Context) error) error {
	ctx, unlock := s.lock(ctx)
	defer unlock()
	p, err := s.at(ctx, o)
	if err != nil {
		return err
	}
	if p.kind == nil || dry {
		return do(ctx)
	}
	m, err := s.live(ctx, p)
	if err != nil {
		return err
	}
	given := o.GetUID()
	if m == nil {
		o.SetUID(s.newUID()) // an update creates objects of some kinds
	} else {
		if err := p.allows(m, given, finalizers); err != nil {
			return err
		}
		o.SetUID(m.UID)
	}
	defer s.touch(ctx, p.kind, p.name.Namespace, p.name.Name)
	if err := do(ctx); err != nil {
		o.SetUID(given)
		return err
	}
	return nil
}

// allows returns the error of a server for a write to the live object m. Such a write
// names another UID, or adds a finalizer to an object that is being deleted.
func (p place) allows(m *partial, uid types.UID, finalizers []string) error {
	if uid != "" && uid != m.UID {
		return apierrors.NewConflict(p.resource(), p.name.Name, fmt.Errorf("the precondition has uid %s, and the object has %s", uid, m.UID))
	}
	if m.DeletionTimestamp == nil {
		return nil
	}
	for _, f := range finalizers {
		if !slices.Contains(m.Finalizers, f) {
			return apierrors.NewInvalid(p.gvk.GroupKind(), p.name.Name, field.ErrorList{
				field.Forbidden(field.NewPath("metadata", "finalizers"), fmt.Sprintf("no new finalizer %q can be added: the object is being deleted", f))})
		}
	}
	return nil
}

func (s *store) delete(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
	ctx, unlock := s.lock(ctx)
	defer unlock()
	p, err := s.at(ctx, o)
	if err != nil {
		return err
	}
	asked := (&client.DeleteOptions{}).ApplyOptions(opts)
	if p.kind == nil || dry(asked.DryRun) {
		return c.Delete(ctx, o, opts...)
	}
	return s.deleteAt(ctx, p, asked.AsDeleteOptions())
}

func (s *store) deleteAt(ctx context.Context, p place, asked *metav1.DeleteOptions) error {
	options, err := deletion(asked)
	if err != nil {
		return err
	}
	m, err := s.live(ctx, p)
	if err == nil && m == nil {
		return apierrors.NewNotFound(p.resource(), p.name.Name)
	}
	if err != nil {
		return err
	}
	if v := options.Precondition.Version; v != "" {
		options.Precondition.Version = versionOf(m.UID, string(v))
	}
	err = s.remove(ctx, p.kind, m, options)
	if errors.Is(err, graph.ErrConflict) {
		return apierrors.NewConflict(p.resource(), p.name.Name, err)
	}
	return err
}

// deletion converts the options of a deletion.
func deletion(o *metav1.DeleteOptions) (graph.DeleteOptions, error) {
	var out graph.DeleteOptions
	if p := o.Preconditions; p != nil && p.UID != nil {
		out.Precondition.UID = graph.UID(*p.UID)
	}
	if p := o.Preconditions; p != nil && p.ResourceVersion != nil {
		out.Precondition.Version = graph.Version(*p.ResourceVersion)
	}
	//lint:ignore SA1019 it is deprecated, and servers still obey it
	orphans := o.OrphanDependents
	switch {
	case orphans != nil && o.PropagationPolicy != nil:
		return out, apierrors.NewBadRequest("orphanDependents and propagationPolicy cannot be both set")
	case orphans != nil && *orphans:
		out.Propagation = graph.Orphan
	case orphans != nil:
		out.Propagation = graph.Background
	case o.PropagationPolicy != nil:
		for p := graph.Background; p <= graph.Orphan; p++ {
			if policyOf(p) == *o.PropagationPolicy {
				out.Propagation = p
				return out, nil
			}
		}
		return out, apierrors.NewBadRequest("propagationPolicy: " + string(*o.PropagationPolicy) + " means nothing")
	}
	return out, nil
}

func policyOf(p graph.Propagation) metav1.DeletionPropagation {
	switch p {
	case graph.Foreground:
		return metav1.DeletePropagationForeground
	case graph.Orphan:
		return metav1.DeletePropagationOrphan
	}
	return metav1.DeletePropagationBackground
}

func (s *store) deleteAllOf(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteAllOfOption) error {
	ctx, unlock := s.lock(ctx)
	defer unlock()
	p, err := s.at(ctx, o)
	if err != nil {
		return err
	}
	asked := (&client.DeleteAllOfOptions{}).ApplyOptions(opts)
	if p.kind == nil || dry(asked.DryRun) {
		return c.DeleteAllOf(ctx, o, opts...)
	}
	items, err := s.listVersion(ctx, p.gvk, &asked.ListOptions)
	if err != nil {
		return err
	}
	for _, m := range items {
		p.name = client.ObjectKeyFromObject(m)
		if err := s.deleteAt(ctx, p, asked.AsDeleteOptions()); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

func dry(list []string) bool { return len(list) > 0 && list[0] == metav1.DryRunAll }
