package ownergraph

import (
	"context"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/run"
)

const (
	// maxWrites bounds a batch. The results of a batch come to the engine together.
	maxWrites = 512
	// maxBatchTurn is maxTurn for batches, since each of them is one call for many decisions.
	maxBatchTurn = 64
)

// isWrite reports whether a call can be part of a batch. A write that took too long goes alone.
func isWrite(c *engine.Call) bool {
	return (c.Type == engine.CallPatch || c.Type == engine.CallDelete) && !c.Alone
}

// batcherOf returns the store's power of batches and their sizes. Without that power no batch
// has more than one write.
func batcherOf(store Store, timeout time.Duration) (Batcher, *run.Batches) {
	if b, ok := As[Batcher](store); ok {
		if most := b.MaxBatch(store); most > 1 {
			return b, run.NewBatches(min(most, maxWrites), timeout)
		}
	}
	return nil, run.NewBatches(1, 0)
}

// handOutBatches fills the prefetch and hands out batches of it while there is room. A
// batch goes out when it is full, or when the engine has no other call for it. If the store
// has nothing else to do, a batch goes out at once.
//
//test:by TestCollectorWriteBatches TestBatchWaitsForNothing
func (c *Collector) handOutBatches(ctx context.Context, now time.Time, t *turn) {
	n := c.fill(now, 0, t)
	for c.ahead > 0 && c.hasRoom(engine.LaneStore) {
		most := c.batches.Limit()
		if n == maxBatchTurn && c.ahead < most && c.lanes[engine.LaneStore] > 0 {
			break // the next turn comes at once
		}
		if c.prefetch.Pick(&c.calls, most) {
			c.ahead -= len(c.calls)
			c.assign(ctx, engine.LaneStore, t)
			n = c.fill(now, n, t)
		} else {
			c.ahead = 0
		}
	}
	c.waits = c.waits && !c.hasRoom(engine.LaneStore)
}

// makeBatch makes the worker's calls as one batch, or as parts of it: see run.Split. Writes
// without a result go back to the engine, since nothing of them is done. The error says what the
// first part shows of the load of the store.
//
//test:by TestBatchResults TestBatchFails TestBatchHalved TestBatchBisected TestLostWriteIsTheLast
//test:by TestBatchRewind TestBatchPause
func (c *Collector) makeBatch(ctx context.Context, w *worker) error {
	w.batch.Set(len(w.calls), func(at int) Write { return writeOf(&w.calls[at]) })
	err := w.batch.Make(ctx, c.batches, &run.BatchCalls{
		Timeout: w.calls[0].Timeout, Name: w.name, Together: c.batcher.Batch,
		Revoked: func() bool { return c.engine.Revision() != w.calls[0].Revision },
		Alone:   func(ctx context.Context, at int) error { return c.make(ctx, &w.calls[at], &w.done[at].result) },
		End: func(ctx context.Context, at int, err error) {
			w.done[at].result.Err = run.Plain(causeOf(ctx, &w.calls[at], err))
		},
		Late: func(n int, err error) {
			if others, ok := c.batches.Line(time.Now()); ok {
				c.sayNow(effect.Warn, "batch takes too long", "call", w.name(), "count", n, "limit", c.batches.Limit(), "err", err, "others", others)
			}
		},
	})
	w.fail(ErrNotBegun)
	return err
}

// writeOf returns the call of a write as a part of a batch.
func writeOf(c *engine.Call) Write {
	w := Write{Type: graph.WritePatch, Key: c.Key, Precondition: c.Precondition, Change: c.Change, Options: c.Options}
	if c.Type == engine.CallDelete {
		w.Type = graph.WriteDelete
	}
	return w
}
