package fault

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// MaxBatch is the inner store's. It is 0 if the inner store is no Batcher, or if of is not s
// (ownergraph.Batcher).
//
//test:by TestBatchPowers
func (s *Store) MaxBatch(of ownergraph.Store) int {
	if s.batcher == nil || of != ownergraph.Store(s) {
		return 0
	}
	return s.batcher.MaxBatch(s.inner)
}

// Batch is the inner store's, with faults of the batch and of each write. Without an inner
// Batcher, the error wraps ErrRefused.
//
//test:by TestBatchFaults TestBatchItemFaults
func (s *Store) Batch(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
	if s.batcher == nil {
		return nil, fmt.Errorf("batch: the inner store is no Batcher: %w", ownergraph.ErrRefused)
	}
	b := &batch{s: s, writes: make([]ownergraph.Write, len(writes)), results: make([]error, len(writes))}
	for i := range writes { // the call may run after the caller has gone on
		b.writes[i] = clonedWrite(writes[i])
		b.draw(i)
	}
	c := call{site: atBatch, verb: "batch", amid: b.amid}
	if _, err := s.do(ctx, c, b.perform); err != nil {
		return nil, err
	}
	return b.results, nil
}

func clonedWrite(w ownergraph.Write) ownergraph.Write {
	w.Change = cloned(w.Change)
	if w.Options.GraceSeconds != nil {
		grace := *w.Options.GraceSeconds
		w.Options.GraceSeconds = &grace
	}
	return w
}

// batch is one call of Batch. The results have the errors of the writes with a fault, and
// perform adds those of the others.
type batch struct {
	s       *Store
	writes  []ownergraph.Write
	results []error
	todo    []int // the writes that the inner store gets
	late    []int // the writes for later, each of them alone
}

func (b *batch) call(i int) call {
	w := &b.writes[i]
	return call{site: atItem, verb: w.Type.String(), key: w.Key}
}

// draw draws the fault of one write. A write of a kind that is out of reach fails alone.
func (b *batch) draw(i int) {
	c := b.call(i)
	f := b.s.startItem(c)
	if err := b.s.checkReach(c); err != nil {
		b.results[i] = err
		return
	}
	switch f {
	case Conflict:
		b.results[i] = conflict(c)
	case Refuse:
		b.results[i] = refusal(c)
	case Late:
		b.late, b.results[i] = append(b.late, i), noAnswer(c)
	default:
		b.todo = append(b.todo, i)
	}
}

// perform makes the call. A late write has to wait for its end, because an error may say
// that no write is done.
func (b *batch) perform(ctx context.Context) error {
	if err := b.write(ctx, b.todo); err != nil {
		return err
	}
	for _, i := range b.late {
		b.later(i)
	}
	return nil
}

// amid makes the first half of the writes now and the others later, as a crash of the
// caller may. No result reaches the caller.
func (b *batch) amid(ctx context.Context) {
	half := len(b.todo) / 2
	_ = b.write(ctx, b.todo[:half])
	for _, i := range b.todo[half:] {
		b.later(i)
	}
}

// write makes some of the writes on the inner store, as one batch.
func (b *batch) write(ctx context.Context, some []int) error {
	if len(some) == 0 {
		return nil
	}
	writes := make([]ownergraph.Write, len(some))
	for n, i := range some {
		writes[n] = b.writes[i]
	}
	results, err := b.s.batcher.Batch(ctx, writes)
	if err != nil {
		return err
	}
	if len(results) != len(some) {
		return fmt.Errorf("batch: %d results of %d writes", len(results), len(some))
	}
	for n, i := range some {
		b.results[i] = results[n]
	}
	return nil
}

// later makes one write alone, after its caller has given up.
func (b *batch) later(i int) {
	w := b.writes[i]
	b.s.later(b.call(i), func(ctx context.Context) error {
		if w.Type == graph.WriteDelete {
			return b.s.inner.Delete(ctx, w.Key, w.Options)
		}
		return b.s.inner.Patch(ctx, w.Key, w.Precondition, w.Change)
	})
}
