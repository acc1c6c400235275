package memory

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// maxWrites bounds the time for which one batch has the lock.
const maxWrites = 256

// MaxBatch returns the largest number of writes for one Batch, or 0 if of is not s
// (ownergraph.Batcher).
//
//test:by TestEmbeddedStoreTakesNoBatches
func (s *Store) MaxBatch(of ownergraph.Store) int {
	if of != ownergraph.Store(s) {
		return 0
	}
	return maxWrites
}

// Batch carries out each of the writes as Patch or Delete does, one after another at one
// moment (ownergraph.Batcher). Its results are the errors of Patch and Delete. It returns
// ErrRefused and ErrInvalid for more than MaxBatch writes.
//
//test:by TestBatchWrites TestBatchWritesNothing
func (s *Store) Batch(ctx context.Context, writes []graph.Write) (results []error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(writes) > maxWrites {
		return nil, fmt.Errorf("batch: %d writes: more than %d: %w: %w", len(writes), maxWrites, graph.ErrRefused, graph.ErrInvalid)
	}
	results = make([]error, len(writes))
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := false
	for i := range writes {
		c, err := s.writeOne(&writes[i])
		if results[i] = err; err == nil && c.Changed() {
			s.log.add(c)
			changed = true
		}
	}
	if changed {
		s.announce()
	}
	return results, nil
}

func (s *Store) writeOne(w *graph.Write) (replica.Commit, error) {
	switch w.Type {
	case graph.WritePatch:
		return s.state.Patch(w.Key, w.Precondition, w.Change)
	case graph.WriteDelete:
		return s.state.Delete(w.Key, w.Options)
	}
	return replica.Commit{}, fmt.Errorf("%s: type: not a patch or a delete: %w: %w", w, graph.ErrRefused, graph.ErrInvalid)
}
