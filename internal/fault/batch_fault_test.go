package fault_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
)

// batch deletes the objects by one batch.
func (r *rig) batch(names ...string) ([]error, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Hour)
	defer cancel()
	var writes []graph.Write
	for _, name := range names {
		writes = append(writes, graph.Write{Type: graph.WriteDelete, Key: key(name)})
	}
	results, err := r.Batch(ctx, writes)
	clear(writes) // the store keeps no reference to them
	return results, err
}

// left returns those of the objects that are there.
func (r *rig) left(names ...string) string {
	var left []string
	for _, name := range names {
		if r.has(name) {
			left = append(left, name)
		}
	}
	return strings.Join(left, " ")
}

// TestBatchFaults checks the faults of a batch as a whole: the error, and the objects that
// are left at once and in the end.
func TestBatchFaults(t *testing.T) {
	for _, c := range []struct {
		plan       string
		want       error
		now, later string
		reason     string
	}{
		{"transient@1", fault.ErrBusy, "x1 x2 y1", "x1 x2 y1", "nothing was done"},
		{"lost-reply@1", fault.ErrNoAnswer, "", "", "the store did all of them, and the caller has no answer"},
		{"lost-call@1", fault.ErrNoAnswer, "x1 x2 y1", "x1 x2 y1", "the store did nothing, and the caller has no answer"},
		{"hang@1", context.DeadlineExceeded, "x1 x2 y1", "x1 x2 y1", "it hangs until the context ends it"},
		{"crash-before@1", fault.ErrNoAnswer, "x1 x2 y1", "x1 x2 y1", "instead of the batch"},
		{"crash-amid@1", fault.ErrNoAnswer, "x2 y1", "", "the first half was done, and the rest is under way"},
		{"crash-after@1", fault.ErrNoAnswer, "", "", "all of them are done"},
		{"lost-call@1 late@2", fault.ErrNoAnswer, "x1 x2 y1", "x1 x2 y1", "a batch that is lost has no late write"},
		{"transient@1 late@2", fault.ErrBusy, "x1 x2 y1", "x1 x2 y1", "an error may say that nothing was done, so no write may come late"},
		{"rewind@1", nil, "", "", "the rewind comes before the batch"},
		{"jump@1", nil, "", "", "the jump comes before the batch"},
	} {
		t.Run(c.plan, func(t *testing.T) {
			in(t, func(t *testing.T) {
				happened := 0
				r := onto(t, c.plan, "x/x1; x/x2; y/y1", fault.Config{
					Lag: 2 * time.Hour, Crash: func() { happened++ }, Jump: func() { happened++ }, Rewind: func(context.Context) error { happened++; return nil },
				})
				results, err := r.batch("x1", "x2", "y1")
				if !errors.Is(err, c.want) || (err != nil) != (c.want != nil) {
					t.Errorf("%v, want %v: %s", err, c.want, c.reason)
				}
				if err != nil && results != nil {
					t.Errorf("results %v beside the error", results)
				}
				for _, definite := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused} {
					if errors.Is(err, definite) {
						t.Errorf("%v is a definite answer", err)
					}
				}
				if now := r.left("x1", "x2", "y1"); now != c.now {
					t.Errorf("left at once: %q, want %q: %s", now, c.now, c.reason)
				}
				<-time.After(3 * time.Hour)
				synctest.Wait()
				if later := r.left("x1", "x2", "y1"); later != c.later {
					t.Errorf("left in the end: %q, want %q: %s", later, c.later, c.reason)
				}
				hooked := strings.HasPrefix(c.plan, "crash") || strings.HasPrefix(c.plan, "rewind") || strings.HasPrefix(c.plan, "jump")
				if (happened == 1) != hooked {
					t.Errorf("a hook was called %d times", happened)
				}
			})
		})
	}
}

// TestBatchItemFaults checks the faults of one write of a batch. The other writes are done.
func TestBatchItemFaults(t *testing.T) {
	for _, c := range []struct {
		plan       string
		want       error
		now, later string
		reason     string
	}{
		{"conflict@2", graph.ErrConflict, "x2", "x2", "nothing was changed"},
		{"refuse@2", graph.ErrRefused, "x2", "x2", "the store will not do it"},
		{"late@2", fault.ErrNoAnswer, "x2", "", "it is done after the caller has given up"},
		{"sick@2", fault.ErrSick, "x2", "x2", "its kind is out of reach from that write on"},
		{"vanish@2", graph.ErrKindUnknown, "x2", "x2", "its kind is not served from that write on"},
		{"none", nil, "", "", "a batch without a fault"},
	} {
		t.Run(c.plan, func(t *testing.T) {
			in(t, func(t *testing.T) {
				r := onto(t, c.plan, "x/x1; x/x2; y/y1", fault.Config{Lag: time.Hour})
				results, err := r.batch("x1", "x2", "y1")
				if err != nil || len(results) != 3 {
					t.Fatalf("results %v, error %v", results, err)
				}
				if results[0] != nil || results[2] != nil {
					t.Errorf("the neighbours: %v", results)
				}
				if !errors.Is(results[1], c.want) {
					t.Errorf("%v, want %v: %s", results[1], c.want, c.reason)
				}
				if now := r.left("x1", "x2", "y1"); now != c.now {
					t.Errorf("left at once: %q, want %q: %s", now, c.now, c.reason)
				}
				r.Calm()
				if later := r.left("x1", "x2", "y1"); later != c.later {
					t.Errorf("left in the end: %q, want %q: %s", later, c.later, c.reason)
				}
			})
		})
	}
}

// broken is a Batcher that answers with too few results.
type broken struct{ ownergraph.Store }

func (b broken) MaxBatch(ownergraph.Store) int { return 8 }
func (b broken) Batch(context.Context, []graph.Write) ([]error, error) {
	return []error{nil}, nil
}

// TestBatchPowers checks that the store takes batches only if the inner store does, and
// that a wrong number of results is an unknown outcome.
func TestBatchPowers(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "none", "x/x1; x/x2", fault.Config{})
		if b, ok := ownergraph.As[ownergraph.Batcher](r.Store); !ok || b.MaxBatch(r.Store) != r.memory.MaxBatch(r.memory) {
			t.Errorf("a store over a Batcher is a Batcher: %t", ok)
		}
		bare := over(t, plain{r.memory}, r.memory, fault.Config{})
		if n := r.MaxBatch(r); n != 0 {
			t.Errorf("at most %d writes for a type that embeds the store, want 0", n)
		}
		if n := bare.MaxBatch(bare.Store); n != 0 {
			t.Errorf("at most %d writes without an inner Batcher, want 0", n)
		}
		if _, err := bare.batch("x1", "x2"); !errors.Is(err, graph.ErrRefused) || r.left("x1", "x2") != "x1 x2" {
			t.Errorf("a batch without an inner Batcher: %v", err)
		}
		few := over(t, broken{r.memory}, r.memory, fault.Config{})
		if results, err := few.batch("x1", "x2"); err == nil || results != nil {
			t.Errorf("two writes and one result: %v, %v", results, err)
		}
	})
}
