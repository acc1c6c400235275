package linear

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// batches is a memory store whose Batch has a mistake.
type batches struct {
	*memory.Store
	batch func(s *memory.Store, ctx context.Context, writes []graph.Write) ([]error, error)
}

// MaxBatch is that of the memory store, whose own is 0 for this type.
func (b batches) MaxBatch(ownergraph.Store) int { return b.Store.MaxBatch(b.Store) }

func (b batches) Batch(ctx context.Context, writes []graph.Write) ([]error, error) {
	return b.batch(b.Store, ctx, writes)
}

// TestBrokenBatches checks that Test finds mistakes of a batch.
func TestBrokenBatches(t *testing.T) {
	for _, tc := range []struct {
		name   string
		batch  func(s *memory.Store, ctx context.Context, writes []graph.Write) ([]error, error)
		reason string
	}{
		{"one write is lost", func(s *memory.Store, ctx context.Context, writes []graph.Write) ([]error, error) {
			results, err := s.Batch(ctx, writes[:1])
			return append(results, nil), err
		}, "a write that is acknowledged and not done"},
		{"too few results", func(s *memory.Store, ctx context.Context, writes []graph.Write) ([]error, error) {
			if _, err := s.Batch(ctx, writes); err != nil {
				return nil, err
			}
			return nil, graph.ErrConflict
		}, "a batch that is done is in conflict as a whole"},
		{"check, then act", checkedBatch, "preconditions that are checked before the step that writes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &witness{T: t}
			test(w, storetest.Config{New: func(t storetest.TB) storetest.Subject {
				s := newMemory(t)
				return storetest.Subject{Store: batches{s, tc.batch}, Client: s}
			}}, settings{histories: 2000})
			if len(w.reports) != 1 || !strings.Contains(w.reports[0], "is not linearizable") {
				t.Fatalf("reports %q, want one: %s", w.reports, tc.reason)
			}
			t.Log(w.reports[0])
		})
	}
}

// checkedBatch checks all preconditions and then writes without any.
func checkedBatch(s *memory.Store, ctx context.Context, writes []graph.Write) ([]error, error) {
	results := make([]error, len(writes))
	for i, w := range writes {
		pre := w.Precondition
		if w.Type == graph.WriteDelete {
			pre = w.Options.Precondition
		}
		live, err := s.Get(ctx, w.Key)
		if err == nil && !pre.Holds(live) {
			err = graph.ErrConflict
		}
		results[i] = err
	}
	runtime.Gosched()
	for i, w := range writes {
		w.Precondition, w.Options.Precondition = ownergraph.Precondition{}, ownergraph.Precondition{}
		if results[i] == nil {
			done, err := s.Batch(ctx, []graph.Write{w})
			if err != nil {
				return nil, err
			}
			results[i] = done[0]
		}
	}
	return results, nil
}
