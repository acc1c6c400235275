package main

import (
	"context"
	"math"
	"strconv"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// embedded is a store and the collector that works on it. This file is all that
// embedding them takes.
type embedded struct {
	store     *memory.Store
	collector *ownergraph.Collector
	stop      func() error // ends the collector and returns why it ended, if not by this
}

// embed opens a store that holds the cluster and runs a collector on it.
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

// delete deletes one object, as any user of the store does. Everything else is
// the collector's work: it sees what happens through the store's watch.
func (e *embedded) delete(ctx context.Context, key graph.Key, p graph.Propagation) error {
	return e.store.Delete(ctx, key, ownergraph.DeleteOptions{
		Precondition: ownergraph.Precondition{UID: key.UID}, // this one, and no successor of its name
		Propagation:  p,
	})
}

// settle waits until there is nothing left to do, and returns what is held:
// objects that somebody outside has to do something about.
func (e *embedded) settle(ctx context.Context) ([]ownergraph.Held, error) {
	if _, err := e.collector.WaitIdle(ctx); err != nil {
		return nil, err
	}
	return e.collector.Held(math.MaxInt), nil // WaitIdle returns the first 1,000
}

// countable returns the objects with versions that a memory store can go on from.
// It counts them; a version of Kubernetes is any text. One that is no such count
// is dropped, and the store makes another: it only ever has to be equal or not.
func countable(objects []graph.Object) []graph.Object {
	out := make([]graph.Object, len(objects))
	for i, o := range objects {
		n, err := strconv.ParseUint(string(o.Version), 10, 62)
		if err != nil || strconv.FormatUint(n, 10) != string(o.Version) {
			o.Version = ""
		}
		out[i] = o // the store copies what is inside
	}
	return out
}
