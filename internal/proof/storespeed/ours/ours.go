// Package ours runs a Collector on a store for a row.
package ours

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Counted is a store that counts the deletes that it has done. It has the powers of the
// inner store, except Batcher.
type Counted struct {
	ownergraph.Store
	done  atomic.Int64
	calls atomic.Int64
	want  int64
	all   chan struct{}
}

// Count returns a store without batches. All is closed after want deletes.
func Count(inner ownergraph.Store, want int) *Counted {
	return &Counted{Store: inner, want: int64(want), all: make(chan struct{})}
}

// Unwrap returns the inner store.
func (c *Counted) Unwrap() ownergraph.Store { return c.Store }

// Calls returns the number of deletes and batches that were sent.
func (c *Counted) Calls() int64 { return c.calls.Load() }

func (c *Counted) add(n int64) {
	if now := c.done.Add(n); now >= c.want && now-n < c.want {
		close(c.all)
	}
}

// Delete deletes an object.
func (c *Counted) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	c.calls.Add(1)
	err := c.Store.Delete(ctx, key, opts)
	if err == nil {
		c.add(1)
	}
	return err
}

// Batched is a Counted that takes batches.
type Batched struct {
	*Counted
	batcher ownergraph.Batcher
	most    int
}

// Batch returns a store with the batches of the inner one.
func Batch(c *Counted) (*Batched, error) {
	b, ok := c.Store.(ownergraph.Batcher)
	if !ok {
		return nil, errors.New("the store takes no batches")
	}
	return &Batched{c, b, b.MaxBatch(c.Store)}, nil
}

// MaxBatch returns the inner store's number.
func (b *Batched) MaxBatch(of ownergraph.Store) int {
	if of != ownergraph.Store(b) {
		return 0
	}
	return b.most
}

// Batch passes the writes on, and counts the deletes.
func (b *Batched) Batch(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
	b.calls.Add(1)
	results, err := b.batcher.Batch(ctx, writes)
	var n int64
	for i, err := range results {
		if err == nil && writes[i].Type == graph.WriteDelete {
			n++
		}
	}
	b.add(n)
	return results, err
}

// Running is a Collector that runs.
type Running struct {
	Collector *ownergraph.Collector
	stop      context.CancelFunc
	ended     chan error
}

// Start runs a Collector and returns when it has listed everything. Workers of 0 is the
// default.
func Start(ctx context.Context, store ownergraph.Store, workers int) (*Running, error) {
	c, err := ownergraph.New(store, ownergraph.Config{Workers: workers})
	if err != nil {
		return nil, err
	}
	run, stop := context.WithCancel(ctx)
	r := &Running{Collector: c, stop: stop, ended: make(chan error, 1)}
	go func() { r.ended <- c.Run(run) }()
	if err := c.Synced(ctx); err != nil {
		return nil, errors.Join(err, r.Stop())
	}
	return r, nil
}

// Stop ends the Collector.
func (r *Running) Stop() error {
	r.stop()
	return <-r.ended
}

// Cascade deletes the root in the background through the inner store, and returns when
// all other objects are deleted.
func Cascade(ctx context.Context, c *Counted, r *Running, root ownergraph.Key) error {
	if err := c.Store.Delete(ctx, root, ownergraph.DeleteOptions{Propagation: ownergraph.Background}); err != nil {
		return fmt.Errorf("delete the root: %w", err)
	}
	select {
	case <-c.all:
		return nil
	case err := <-r.ended:
		r.ended <- err
		return fmt.Errorf("the collector has ended: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("%d of %d objects are deleted: %w", c.done.Load(), c.want, context.Cause(ctx))
	}
}
