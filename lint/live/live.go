// Package live makes the input of package lint from a running store. It observes the store
// and writes nothing.
//
// The package waits for a store, so it stands apart from package lint, which is pure.
package live

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/lint"
)

// Watcher is the part of an ownergraph.Store that Observe needs. Every store is one.
type Watcher interface {
	// Watch reports the content of the store and every change to sink: see
	// ownergraph.Store.
	Watch(ctx context.Context, sink func(batch []graph.Event) error) error
}

// maxWatches bounds the watches that the store may end in order before every kind is
// listed.
const maxWatches = 16

var errListed = errors.New("every kind is listed")

// Observe watches the store until every kind is listed, or sick, and returns the objects
// and kinds. A sick kind is not listed, with the reason that the store gave. The caller
// bounds the wait by ctx.
//
// A store reports neither the instants of the deletion marks, nor the versions of the
// references and kinds. The result has none of them, and no Now. The caller may add them.
//
// Errors: the one of ctx, the one of the watch, one that wraps graph.ErrInvalid for an
// event that no store may report, and one for a store that ends 16 watches too early.
// Observe is safe for concurrent use.
//
//test:by TestSameFindings TestObserveErrors
func Observe(ctx context.Context, store Watcher) (lint.Input, error) {
	o := observer{g: graph.New(graph.Config{}), reasons: map[graph.Kind]string{}}
	for range maxWatches {
		err := store.Watch(ctx, o.take)
		switch {
		case o.listed:
			return o.input(), nil
		case ctx.Err() != nil:
			return lint.Input{}, fmt.Errorf("observe store: %w", ctx.Err())
		case err != nil:
			return lint.Input{}, fmt.Errorf("observe store: %w", err)
		}
	}
	return lint.Input{}, fmt.Errorf("observe store: %d watches ended before every kind was listed", maxWatches)
}

type observer struct {
	g       *graph.Graph
	known   bool // the store has reported its kinds
	listed  bool
	reasons map[graph.Kind]string
}

// take is the sink of the watch. It ends the watch when every kind is listed.
func (o *observer) take(batch []graph.Event) error {
	for i := range batch {
		e := &batch[i]
		if _, err := o.g.Apply(*e); err != nil {
			return err
		}
		switch e.Type {
		case graph.KindsKnown:
			o.known = true
		case graph.KindSick:
			o.reasons[e.Kind] = e.Reason
		case graph.ListEnded:
			if err := o.prune(e.Kind); err != nil {
				return err
			}
		}
	}
	if o.listed = o.known && o.complete(); o.listed {
		return errListed
	}
	return nil
}

// prune removes the objects that a listing of the kind did not bring.
func (o *observer) prune(kind graph.Kind) error {
	for _, key := range o.g.EndListing(kind) {
		if _, err := o.g.Apply(graph.Event{Type: graph.Gone, Key: key}); err != nil {
			return err
		}
	}
	return nil
}

func (o *observer) complete() bool {
	for _, k := range o.g.Kinds() {
		if k.Known && !k.Listed && !k.Sick && !k.Unwatched {
			return false
		}
	}
	return true
}

func (o *observer) input() lint.Input {
	var in lint.Input
	for _, k := range o.g.Kinds() {
		if !k.Known {
			continue
		}
		to := lint.Kind{KindInfo: k.KindInfo, Listed: k.Listed && !k.Sick && !k.Unwatched}
		switch {
		case k.Sick:
			to.Reason = o.reasons[k.Kind]
		case k.Unwatched:
			to.Reason = "not watched"
		}
		in.Kinds = append(in.Kinds, to)
	}
	for n := range o.g.Nodes() {
		if n.State() == graph.Observed {
			in.Objects = append(in.Objects, lint.Object{Object: n.Object()})
		}
	}
	return in
}
