package main

import (
	"context"
	"math"
	"strconv"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// embedded is a store and its collector. This file has all the code that embeds them.
type embedded struct {
	store     *memory.Store
	collector *ownergraph.Collector
	stop      func() error // ends the collector and returns its error
}

// embed opens a store with the objects of the cluster and runs a collector on it.
func embed(c cluster, cfg ownergraph.Config) (*embedded, error) {
	store, err := memory.New(memory.Config{Kinds: c.kinds, Objects: countable(c.objects)})
	if err != nil {
		return nil, err
	}
	collector, err := ownergraph.New(store, cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	return &embedded{store, collector, func() error { cancel(); return <-ended }}, nil
}

// delete deletes one object, as any user of the store does. The collector observes it
// through the store's watch and does the rest.
func (e *embedded) delete(ctx context.Context, key graph.Key, p graph.Propagation) error {
	return e.store.Delete(ctx, key, ownergraph.DeleteOptions{
		Precondition: ownergraph.Precondition{UID: key.UID}, // this object, and no later one of its name
		Propagation:  p,
	})
}

// waitIdle waits until no work is left, and returns the held objects. They wait for an
// action outside of the engine.
func (e *embedded) waitIdle(ctx context.Context) ([]ownergraph.Held, error) {
	if _, err := e.collector.WaitIdle(ctx); err != nil {
		return nil, err
	}
	return e.collector.Held(math.MaxInt), nil // WaitIdle returns the first 1,000
}

// countable returns the objects with versions that a memory store accepts. A memory
// store counts its versions, and a version of Kubernetes is any text. The store
// replaces any other version, because versions are only compared for equality.
func countable(objects []graph.Object) []graph.Object {
	out := make([]graph.Object, len(objects))
	for i, o := range objects {
		n, err := strconv.ParseUint(string(o.Version), 10, 62)
		if err != nil || strconv.FormatUint(n, 10) != string(o.Version) {
			o.Version = ""
		}
		out[i] = o // the store copies the slices
	}
	return out
}
