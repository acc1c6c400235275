package offline

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
)

// Replica is a copy of a content in memory. It reports the partial kinds as sick, so that the
// copy proves the absence of none of their objects. It is safe for concurrent use, as
// memory.Store.
//
//test:by cmd/internal/cli.TestPartialKindsProveNothing
type Replica struct {
	*memory.Store
	partial map[graph.Kind]string
}

var errPartial = errors.New("the copy has a part of the objects of this kind")

// Copy returns a copy of the content.
func (c *Content) Copy() (*Replica, error) {
	one := c.withoutDuplicates()
	store, err := memory.New(memory.Config{Kinds: one.Kinds, Objects: live.Countable(one.Objects)})
	if err != nil {
		return nil, err
	}
	return &Replica{store, one.Partial}, nil
}

// Get returns no proof of absence for a partial kind.
func (r *Replica) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	o, err := r.Store.Get(ctx, key)
	if _, is := r.partial[key.Kind]; is && errors.Is(err, graph.ErrNotFound) {
		return o, fmt.Errorf("get %s: %w", key.Text(), errPartial)
	}
	return o, err
}

// List fails for a partial kind.
func (r *Replica) List(ctx context.Context, kind graph.Kind) error {
	if _, is := r.partial[kind]; is {
		return fmt.Errorf("list %s: %w", kind, errPartial)
	}
	return r.Store.List(ctx, kind)
}

// Watch reports a partial kind as sick in place of the end of its listing, and of each fence
// that it passes.
//
//test:by TestPartialKindBlocksFences
func (r *Replica) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	return r.Store.Watch(ctx, func(batch []graph.Event) error {
		for i := range batch {
			why, is := r.partial[batch[i].Kind]
			if t := batch[i].Type; is && (t == graph.ListEnded || t == graph.Progress || t == graph.FencePassed) {
				batch[i] = graph.Event{Type: graph.KindSick, Kind: batch[i].Kind, Reason: why}
			}
		}
		return sink(batch)
	})
}
