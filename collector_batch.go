package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
)

const (
	// maxWrites bounds a batch. The results of a batch come to the engine together.
	maxWrites = 512
	// maxBatchTurn is maxTurn for a store that takes batches, since each of them is one
	// call for many decisions.
	maxBatchTurn = 64
)

// batch is the scratch memory of a worker for a batch: the order of the writes.
type batch struct {
	order  []int   // the calls by key, one for each place
	again  []int   // the other calls
	writes []Write // of order
}

// isWrite reports whether a call can be part of a batch.
func (c *Call) isWrite() bool { return c.Type == CallPatch || c.Type == CallDelete }

// batcherOf returns the store's power of batches and the largest number of writes in one.
// Without that power the number is 1.
func batcherOf(store Store) (b Batcher, most int, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("configure collector: store: MaxBatch: panic: %v: %w", v, ErrInvalid)
		}
	}()
	if b, ok := As[Batcher](store); ok {
		if most := b.MaxBatch(store); most > 1 {
			return b, min(most, maxWrites), nil
		}
	}
	return nil, 1, nil
}

// handOutBatches fills the prefetch and hands out batches of it while there is room. A
// batch goes out when it is full, or when the engine has no other call for it. If the store
// has nothing else to do, a batch goes out at once.
//
// Held by TestCollectorWriteBatches and TestBatchWaitsForNothing.
func (c *Collector) handOutBatches(ctx context.Context, now time.Time, t *turn) {
	n := c.fill(now, 0, t)
	for c.ahead > 0 && c.hasRoom(LaneStore) {
		if n == maxBatchTurn && c.ahead < c.most && c.lanes[LaneStore] > 0 {
			break // the next turn comes at once
		}
		if c.prefetch.Pick(&c.calls, c.most) {
			c.ahead -= len(c.calls)
			c.assign(ctx, LaneStore, t)
			n = c.fill(now, n, t)
		} else {
			c.ahead = 0
		}
	}
	c.waits = c.waits && !c.hasRoom(LaneStore)
}

// makeBatch makes the worker's calls as one batch. It tries a refused write alone, because
// its neighbours may be the cause. The error says what the whole batch shows of the load of
// the store.
//
// Held by TestBatchResults and TestBatchFails.
func (c *Collector) makeBatch(ctx context.Context, w *worker) error {
	b := &w.batch
	b.set(w.calls)
	defer func() { clear(b.writes) }()
	results, err := c.batcher.Batch(ctx, b.writes)
	if err == nil && len(results) != len(b.writes) {
		err = fmt.Errorf("%s: the store gave %d results for %d writes", w.name(), len(results), len(b.writes))
	}
	if err != nil && err == ctx.Err() {
		err = fmt.Errorf("%s: %w", w.name(), context.Cause(ctx))
	}
	each, alone := run.OfBatch(err)
	for i, at := range b.order {
		if err == nil {
			each = results[i]
			alone = errors.Is(each, ErrRefused)
		}
		if alone {
			b.again = append(b.again, at)
		} else {
			w.done[at].result = Result{Err: run.Plain(causeOf(ctx, &w.calls[at], each))}
		}
	}
	for _, at := range b.again {
		call, r := &w.calls[at], &w.done[at].result
		r.Err = run.Plain(causeOf(ctx, call, c.make(ctx, call, r)))
	}
	return err
}

// set sorts the calls by key. Of several calls with one place, the first is part of the
// batch. They are about different incarnations of an object.
func (b *batch) set(calls []Call) {
	b.order, b.again, b.writes = b.order[:0], b.again[:0], b.writes[:0]
	for i := range calls {
		b.order = append(b.order, i)
	}
	slices.SortFunc(b.order, func(i, j int) int { return calls[i].Key.Compare(calls[j].Key) })
	n := 0
	for i, at := range b.order {
		if i > 0 && calls[at].Key.Place() == calls[b.order[n-1]].Key.Place() {
			b.again = append(b.again, at)
			continue
		}
		b.order[n] = at
		n++
	}
	b.order = b.order[:n]
	for _, at := range b.order {
		b.writes = append(b.writes, calls[at].write())
	}
}

// write returns the call of a write as a part of a batch.
func (c *Call) write() Write {
	w := Write{Type: graph.WritePatch, Key: c.Key, Precondition: c.Precondition, Change: c.Change, Options: c.Options}
	if c.Type == CallDelete {
		w.Type = graph.WriteDelete
	}
	return w
}
