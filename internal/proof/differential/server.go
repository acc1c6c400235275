package main

import (
	"context"
	"errors"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
)

// server is the part of an API server that the garbage collector of Kubernetes needs,
// over a store of ours: the metadata of all objects.
type server struct{ store *memory.Store }

var _ metadata.Interface = server{}

func (s server) Resource(r schema.GroupVersionResource) metadata.Getter {
	return collection{s.store, kindOf(r), ""}
}

// collection is one kind, in one namespace or all.
type collection struct {
	store *memory.Store
	kind  graph.Kind
	scope string
}

func (c collection) Namespace(ns string) metadata.ResourceInterface {
	c.scope = ns
	return c
}

func (c collection) key(name string) graph.Key {
	return graph.Key{Kind: c.kind, Scope: c.scope, Name: name}
}

func (c collection) Get(ctx context.Context, name string, _ metav1.GetOptions, _ ...string) (*metav1.PartialObjectMetadata, error) {
	o, err := c.store.Get(ctx, c.key(name))
	if err != nil {
		return nil, status(c.kind, name, err)
	}
	return partial(o), nil
}

func (c collection) Delete(ctx context.Context, name string, opts metav1.DeleteOptions, _ ...string) error {
	o := graph.DeleteOptions{Propagation: propagation(opts.PropagationPolicy)}
	if p := opts.Preconditions; p != nil {
		if p.UID != nil {
			o.Precondition.UID = graph.UID(*p.UID)
		}
		if p.ResourceVersion != nil {
			o.Precondition.Version = graph.Version(*p.ResourceVersion)
		}
	}
	return status(c.kind, name, c.store.Delete(ctx, c.key(name), o))
}

// Patch has the live object as its precondition, so that it is one step. If another
// writer is faster, it tries again, as Kubernetes does.
func (c collection) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*metav1.PartialObjectMetadata, error) {
	for {
		live, err := c.store.Get(ctx, c.key(name))
		if err != nil {
			return nil, status(c.kind, name, err)
		}
		wanted, err := patched(live, pt, data)
		if err != nil {
			return nil, err
		}
		pre, change, err := changes(live, wanted)
		if err != nil {
			return nil, err
		}
		if !pre.Holds(live) {
			return nil, status(c.kind, name, graph.ErrConflict)
		}
		err = c.store.Patch(ctx, live.Key, graph.Precondition{UID: live.UID, Version: live.Version}, change)
		if !errors.Is(err, graph.ErrConflict) {
			return wanted, status(c.kind, name, err)
		}
	}
}

func (c collection) List(context.Context, metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return nil, errNotServed
}

func (c collection) DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error {
	return errNotServed
}

// Watch streams the present objects first, then every change.
func (c collection) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	if opts.SendInitialEvents == nil || !*opts.SendInitialEvents || c.scope != "" {
		return nil, errNotServed
	}
	return newStream(ctx, c.store, c.kind), nil
}

var errNotServed = errors.New("the informers of this version list by watching, and everything")
