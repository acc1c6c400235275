package hook

import (
	"context"
	"reflect"

	"github.com/ownergraph/ownergraph"
)

// Store returns a store that shows the calls of inner to an observer. It has the powers of
// inner and no others. It returns a nil store as it is, so that its user refuses it.
//
//test:by TestKit TestPowers TestCalls TestCallsWithoutAnswer TestBatchResults
func Store(inner ownergraph.Store, to Observer) ownergraph.Store {
	if v := reflect.ValueOf(inner); inner == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return inner
	}
	s := store{inner: inner, powers: powersOf(inner, to), to: to}
	if b, ok := ownergraph.As[ownergraph.Batcher](inner); ok {
		return &batcher{s, b}
	}
	return &s
}

// store shows the four methods of a store. It is the outermost wrapper, so batches do not
// pass by it.
type store struct {
	inner  ownergraph.Store
	powers ownergraph.Store // inner, below a wrapper for each of its powers
	to     Observer
}

// Unwrap returns the store with the optional powers.
func (s *store) Unwrap() ownergraph.Store { return s.powers }

func (s *store) Get(ctx context.Context, key ownergraph.Key) (o ownergraph.Object, err error) {
	c := &Call{Type: Read, Key: key}
	ctx, err = s.to.Begin(ctx, c), ErrNoAnswer
	defer func() { s.to.End(ctx, c, err) }()
	return s.inner.Get(ctx, key)
}

func (s *store) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) (err error) {
	c := &Call{Type: Patch, Key: key}
	ctx, err = s.to.Begin(ctx, c), ErrNoAnswer
	defer func() { s.to.End(ctx, c, err) }()
	return s.inner.Patch(ctx, key, pre, change)
}

func (s *store) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) (err error) {
	c := &Call{Type: Delete, Key: key}
	ctx, err = s.to.Begin(ctx, c), ErrNoAnswer
	defer func() { s.to.End(ctx, c, err) }()
	return s.inner.Delete(ctx, key, opts)
}

// Watch is no call that ends, so the observer gets its events instead.
func (s *store) Watch(ctx context.Context, sink func(batch []ownergraph.Event) error) error {
	w, ok := s.to.(Watcher)
	if !ok {
		return s.inner.Watch(ctx, sink)
	}
	return s.inner.Watch(ctx, func(batch []ownergraph.Event) error {
		w.Watched(batch)
		return sink(batch)
	})
}

// batcher is a store with the power of batches.
type batcher struct {
	store
	batches ownergraph.Batcher
}

func (b *batcher) MaxBatch(of ownergraph.Store) int {
	if of != ownergraph.Store(b) {
		return 0
	}
	return b.batches.MaxBatch(b.inner)
}

func (b *batcher) Batch(ctx context.Context, writes []ownergraph.Write) (results []error, err error) {
	c := &Call{Type: Batch, Writes: writes}
	ctx, err = b.to.Begin(ctx, c), ErrNoAnswer
	defer func() {
		shown := err
		if len(results) == len(writes) {
			c.Results = results
		} else if err == nil { // the outcome of each write is unknown
			shown = ErrResults
		}
		b.to.End(ctx, c, shown)
	}()
	return b.batches.Batch(ctx, writes)
}
