package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// maxWrites bounds the time for which one batch has its locks.
const maxWrites = 500

// MaxBatch returns the largest number of writes for one Batch, or 0 if of is not s
// (ownergraph.Batcher).
func (s *Store) MaxBatch(of ownergraph.Store) int {
	if of != ownergraph.Store(s) {
		return 0
	}
	return maxWrites
}

// Batch carries out the writes (ownergraph.Batcher). Its results are the errors of Patch and
// Delete. A write that conflicts does not fail its neighbours.
//
// On SQLite the batch is one transaction. On Postgres one statement removes the objects that
// have no finalizer, and one transaction does the rest. If a constraint or a trigger of the
// user's tables refuses a write, the whole transaction is refused. Then each of its writes
// has an error that wraps ErrRefused, or Batch returns such an error and has done nothing.
// If the database aborts a transaction for another one, the errors have a RetryAfter.
//
//test:by TestBatchAsMemory TestBatchRefused TestKit
func (s *Store) Batch(ctx context.Context, writes []graph.Write) (results []error, err error) {
	if len(writes) > maxWrites {
		return nil, fmt.Errorf("batch: %d writes: more than %d: %w: %w", len(writes), maxWrites, graph.ErrRefused, graph.ErrInvalid)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	defer s.announce()
	switch t := s.tables.(type) {
	case *postgresTables:
		results, err = s.batchOnPostgres(ctx, t, writes)
	case *sqliteTables:
		err = s.transact(ctx, func(ses *session) error {
			results = make([]error, len(writes))
			return ses.batchOnSQLite(ctx, t, writes, results)
		})
	}
	if err != nil {
		return nil, s.failed("batch", fmt.Sprintf("%d writes", len(writes)), err)
	}
	return results, nil
}

// batch carries out one write after another.
func (ses *session) batch(ctx context.Context, writes []graph.Write, which []int, results []error) error {
	for _, i := range which {
		w := &writes[i]
		r, err := ses.s.ruleOf(w)
		if err == nil {
			_, err = ses.apply(ctx, w.Type.String(), w.Key, r)
		}
		if err != nil && !isResult(err) {
			return err
		}
		results[i] = err
	}
	return nil
}

// ruleOf returns the rule of a write.
func (s *Store) ruleOf(w *graph.Write) (rule, error) {
	switch w.Type {
	case graph.WritePatch:
		return s.patchRule(w.Precondition, w.Change), nil
	case graph.WriteDelete:
		return s.deleteRule(w.Key.Kind, w.Options), nil
	}
	return rule{}, fmt.Errorf("%s: type: not a patch or a delete: %w: %w", w, graph.ErrRefused, graph.ErrInvalid)
}

// isResult reports whether an error is the store's own answer to one write, and not an
// error of the database.
func isResult(err error) bool {
	return errors.Is(err, graph.ErrNotFound) || errors.Is(err, graph.ErrConflict) || errors.Is(err, graph.ErrKindUnknown) || errors.Is(err, graph.ErrRefused)
}
