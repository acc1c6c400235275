package e2e

import (
	"context"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/ownergraph/ownergraph/annotation"
	"github.com/ownergraph/ownergraph/graph"
)

// Create makes an object as a user does.
func (u kitUsers) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	c := u.of(o.Kind)
	if c.plural == "" {
		return graph.Object{}, errNoKind
	}
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetGroupVersionKind(c.gvk)
	out.SetNamespace(o.Scope)
	out.SetName(o.Name)
	if err := u.write(out, o); err != nil {
		return graph.Object{}, err
	}
	made, err := u.w.in(c, o.Scope).Create(ctx, out, metav1.CreateOptions{})
	if err != nil {
		return graph.Object{}, meaning(err)
	}
	return u.read(made)
}

// Update replaces owners and finalizers.
func (u kitUsers) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	c := u.of(o.Kind)
	if c.plural == "" {
		return graph.Object{}, errNoKind
	}
	at := u.w.in(c, o.Scope)
	live, err := at.Get(ctx, o.Name, metav1.GetOptions{})
	if err != nil {
		return graph.Object{}, meaning(err)
	}
	live.SetUID(types.UID(o.UID))
	live.SetResourceVersion(string(o.Version))
	if err := u.write(live, o); err != nil {
		return graph.Object{}, err
	}
	made, err := at.Update(ctx, live, metav1.UpdateOptions{})
	if err != nil {
		return graph.Object{}, meaning(err)
	}
	return u.read(made)
}

// Delete deletes as a user does.
func (u kitUsers) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	c := u.of(key.Kind)
	if c.plural == "" {
		return errNoKind
	}
	options := metav1.DeleteOptions{GracePeriodSeconds: opts.GraceSeconds}
	pre := opts.Precondition
	if pre != (graph.Precondition{}) {
		options.Preconditions = &metav1.Preconditions{}
		if pre.UID != "" {
			options.Preconditions.UID = new(types.UID(pre.UID))
		}
		if pre.Version != "" {
			options.Preconditions.ResourceVersion = new(string(pre.Version))
		}
	}
	switch opts.Propagation {
	case graph.Background:
		options.PropagationPolicy = new(background)
	case graph.Foreground:
		options.PropagationPolicy = new(foreground)
	case graph.Orphan:
		options.PropagationPolicy = new(orphan)
	}
	return meaning(u.w.in(c, key.Scope).Delete(ctx, key.Name, options))
}

// write puts owners and finalizers into an object. References with a policy go to the annotation.
func (u kitUsers) write(out *unstructured.Unstructured, o graph.Object) error {
	all := out.GetAnnotations()
	delete(all, annotation.Owners)
	var refs []metav1.OwnerReference
	var withPolicy []annotation.Reference
	for _, r := range o.Owners {
		ref := metav1.OwnerReference{
			APIVersion: "none/v1", Kind: string(r.Kind), Name: r.Name, UID: types.UID(r.UID),
			BlockOwnerDeletion: &r.Block, Controller: &r.Controller,
		}
		if c := u.of(r.Kind); c.plural != "" {
			ref.APIVersion, ref.Kind = c.gvk.ToAPIVersionAndKind()
		}
		if r.OnDelete != graph.OnDeleteUnset {
			withPolicy = append(withPolicy, annotation.Reference{
				APIVersion: ref.APIVersion, Kind: ref.Kind, Name: r.Name, UID: r.UID, Block: r.Block, Controller: r.Controller, OnDelete: r.OnDelete,
			})
			continue
		}
		refs = append(refs, ref)
	}
	value, err := annotation.Format(o.Key, withPolicy)
	if err != nil {
		return err
	}
	if value != "" {
		if all == nil {
			all = map[string]string{}
		}
		all[annotation.Owners] = value
	}
	out.SetAnnotations(all)
	out.SetOwnerReferences(refs)
	out.SetFinalizers(o.Finalizers)
	return nil
}

// read converts a stored object to the object that the kit compares.
func (u kitUsers) read(m *unstructured.Unstructured) (graph.Object, error) {
	raw, err := m.MarshalJSON()
	if err != nil {
		return graph.Object{}, err
	}
	revision, err := strconv.ParseInt(m.GetResourceVersion(), 10, 64)
	if err != nil {
		return graph.Object{}, err
	}
	o, _ := u.w.reader().object(raw, revision)
	return o, nil
}

// kitClient makes a config for requests of which only the error matters.
func kitClient(c *rest.Config) *rest.Config {
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	return c
}
