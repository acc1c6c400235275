package etcdstore

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// MaxBatch returns the largest number of writes for one Batch (ownergraph.Batcher): 127. It
// returns 0 on kine, and if of is not s.
func (s *Store) MaxBatch(of ownergraph.Store) int {
	if s.conf.Kine || of != ownergraph.Store(s) {
		return 0
	}
	return maxBatch
}

// Batch carries out each of the writes as Patch or Delete does (ownergraph.Batcher), in one
// transaction with a nested one for each write. Writes that lose a race follow in further
// transactions. So do writes that do not fit into one request. A batch whose writes need a
// read costs one read more. Batch returns ErrRefused and ErrInvalid for more than MaxBatch
// writes.
//
//test:by TestBatch TestBatchInOneRequest
func (s *Store) Batch(ctx context.Context, writes []graph.Write) (results []error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	if n := len(writes); n > s.MaxBatch(s) {
		return nil, fmt.Errorf("batch: %d writes: more than %d: %w, %w", n, s.MaxBatch(s), graph.ErrRefused, graph.ErrInvalid)
	}
	results = make([]error, len(writes))
	places := make([]*item, len(writes))
	var items []*item
	for i := range writes {
		if places[i], results[i] = s.newItem(ctx, &writes[i]); results[i] == nil {
			items = append(items, places[i])
		}
	}
	s.write(ctx, items)
	for i, it := range places {
		if it != nil {
			results[i] = it.err
		}
	}
	return results, nil
}

func (s *Store) newItem(ctx context.Context, w *graph.Write) (*item, error) {
	switch w.Type {
	case graph.WritePatch:
		return s.patch(ctx, w.Key, w.Precondition, w.Change)
	case graph.WriteDelete:
		return s.deletion(ctx, w.Key, w.Options)
	}
	return nil, fmt.Errorf("%s: type: not a patch or a delete: %w, %w", w, graph.ErrRefused, graph.ErrInvalid)
}
