package theirs

import (
	"context"
	"errors"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/bench/server"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
)

// client is the server as the metadata of all its objects.
type client struct{ server *server.Server }

var _ metadata.Interface = client{}

func (c client) Resource(r schema.GroupVersionResource) metadata.Getter {
	return collection{c.server, r, kindOfResource(r), ""}
}

// collection is one kind, in one namespace or all.
type collection struct {
	server   *server.Server
	resource schema.GroupVersionResource
	kind     graph.Kind
	scope    string
}

func (c collection) Namespace(ns string) metadata.ResourceInterface {
	c.scope = ns
	return c
}

func (c collection) key(name string) graph.Key {
	return graph.Key{Kind: c.kind, Scope: c.scope, Name: name}
}

func (c collection) Get(_ context.Context, name string, _ metav1.GetOptions, _ ...string) (*metav1.PartialObjectMetadata, error) {
	r, err := c.server.Get(c.key(name))
	if err != nil {
		return nil, status(c.resource, name, err)
	}
	return r.View.(*metav1.PartialObjectMetadata), nil
}

func (c collection) Delete(_ context.Context, name string, opts metav1.DeleteOptions, _ ...string) error {
	o := graph.DeleteOptions{Propagation: propagation(opts.PropagationPolicy)}
	if p := opts.Preconditions; p != nil {
		if p.UID != nil {
			o.Precondition.UID = graph.UID(*p.UID)
		}
		if p.ResourceVersion != nil {
			o.Precondition.Version = graph.Version(*p.ResourceVersion)
		}
	}
	return status(c.resource, name, c.server.Delete(c.key(name), o))
}

func (c collection) Patch(_ context.Context, name string, pt types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*metav1.PartialObjectMetadata, error) {
	read, err := parsePatch(pt, data)
	if err != nil {
		return nil, status(c.resource, name, err)
	}
	r, err := c.server.Edit(c.key(name), func(live graph.Object) (finalizer.Outcome, error) {
		return finalizer.Patch(live, read.precondition(), read.change(live))
	})
	if err != nil {
		return nil, status(c.resource, name, err)
	}
	return r.View.(*metav1.PartialObjectMetadata), nil
}

var errNotServed = errors.New("the benchmark hands events over by itself")

func (c collection) List(context.Context, metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	return nil, errNotServed
}

func (c collection) DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error {
	return errNotServed
}

func (c collection) Watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return nil, errNotServed
}
