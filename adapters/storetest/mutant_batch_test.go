package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

type batchFunc = func(ctx context.Context, writes []ownergraph.Write) ([]error, error)

// batcher is a wrapper of the power to take batches.
type batcher struct {
	ownergraph.Store
	most  int
	batch batchFunc
	anyOf bool // MaxBatch ignores its argument
}

func (b *batcher) Unwrap() ownergraph.Store { return b.Store }

// MaxBatch is 0 for a type that embeds the batcher.
func (b *batcher) MaxBatch(of ownergraph.Store) int {
	if of != ownergraph.Store(b) && !b.anyOf {
		return 0
	}
	return b.most
}

func (b *batcher) Batch(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
	return b.batch(ctx, writes)
}

// withBatch replaces the Batch of a store by one that gets that of the sound store.
func withBatch(tb TB, s, sound ownergraph.Store, batch func(sound batchFunc) batchFunc) ownergraph.Store {
	b, ok := ownergraph.As[ownergraph.Batcher](sound)
	if !ok {
		tb.Fatalf("the sound store is no Batcher")
	}
	return &batcher{Store: s, most: b.MaxBatch(sound), batch: batch(b.Batch)}
}

func batching(batch func(sound batchFunc) batchFunc) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		s.Store = withBatch(tb, s.Store, s.Store, batch)
		return s
	}
}

// batchingBy is batching for a mistake in the use of the single writes.
func batchingBy(batch func(sound ownergraph.Store) batchFunc) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		single := s.Store
		s.Store = withBatch(tb, s.Store, s.Store, func(batchFunc) batchFunc { return batch(single) })
		return s
	}
}

// batchAnswers replaces the answers of a batch.
func batchAnswers(answer func(results []error, err error) ([]error, error)) func(TB, Subject) Subject {
	return batching(func(sound batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			return answer(sound(ctx, writes))
		}
	})
}

func mutantsOfBatches() []mutant {
	return []mutant{
		{name: "a batch makes no deletion", law: batchEffects, reason: "a table of statements lacks one", plant: someWritesOnly(func(_ int, w ownergraph.Write) bool { return w.Type == graph.WritePatch })},
		{name: "a batch returns the errors alone", law: batchEffects, reason: "errors are appended to an empty list", plant: batchAnswers(func(results []error, err error) ([]error, error) {
			return slices.DeleteFunc(results, func(err error) bool { return err == nil }), err
		})},
		{name: "a batch ignores finalizers", law: "batch/finalizers", reason: "DELETE FROM objects WHERE uid = ANY ($1)", plant: batchingBy(erasingHeld)},
		{name: "a batch has no grace periods", law: "batch/grace", reason: "a statement without the column", plant: gracedBatches(func(o *ownergraph.DeleteOptions) { o.GraceSeconds = nil })},
		{name: "a batch drops a period at most", law: "batch/grace", reason: "the object's own period of 0 counts as shorter", plant: gracedBatches(func(o *ownergraph.DeleteOptions) {
			if o.GraceAtMost {
				o.GraceSeconds = nil
			}
		})},
		{name: "a type that embeds the store has its batches", law: "batch/embedded", reason: "the argument is ignored", plant: func(tb TB, s Subject) Subject {
			s = batching(func(sound batchFunc) batchFunc { return sound })(tb, s)
			s.Store.(*batcher).anyOf = true
			return s
		}},
		{name: "a batch answers in another order", law: batchOrder, reason: "rows come in the order of the plan", plant: batchAnswers(func(results []error, err error) ([]error, error) {
			slices.Reverse(results)
			return results, err
		})},
		{name: "a batch fails as a whole", law: batchNeighbours, reason: "one transaction that is rolled back", plant: batchingBy(allOrNone)},
		{name: "a batch ends at the first error", law: batchNeighbours, reason: "the loop returns", plant: batchingBy(untilError)},
		{name: "a conflict in a batch is swallowed", law: batchErrors, reason: "the number of changed rows is not looked at", plant: resultsWithout(graph.ErrConflict, nil)},
		{name: "an absent object of a batch is a conflict", law: batchErrors, reason: "no row has changed", plant: resultsWithout(graph.ErrNotFound, graph.ErrConflict)},
		{name: "the second half of a full batch is dropped", law: "batch/largest", reason: "a limit of parameters", plant: someWritesOnly(func(i int, _ ownergraph.Write) bool { return i < 128 })},
		{name: "a watch reports one change of a batch", law: batchWatch, reason: "one event for each revision", plant: firstReported},
		{name: "a fence passes before a batch", law: "batch/fence", reason: "batches take another way to the watch", plant: fencesBeforeBatches},
		{name: "a batch clears its writes", law: "batch/alias", reason: "the list is used again", plant: batching(func(sound batchFunc) batchFunc {
			return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
				defer clear(writes)
				return sound(ctx, writes)
			}
		})},
		{name: "a batch compares before it writes", law: "batch/together", reason: "two statements without a lock", plant: batchingBy(comparesFirst)},
		{name: "a batch whose context has ended is done", law: "batch/cancelled", reason: "the loop ends early", plant: batching(func(sound batchFunc) batchFunc {
			return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
				if ctx.Err() != nil {
					return make([]error, len(writes)), nil
				}
				return sound(ctx, writes)
			}
		})},
		{name: "a batch that was done is in conflict", law: "batch/cancelled", reason: "a transaction without an answer counts as rolled back", plant: lateBatches(graph.ErrConflict)},
		{name: "a batch that was done is not found", law: "batch/cancelled", reason: "the rows were not counted", plant: lateBatches(graph.ErrNotFound)},
		{name: "a batch uses its results again", law: "batch/alias", reason: "a list of the connection", plant: oneResultList},
		{name: "a busy database takes batches", law: "batch/outage", reason: "a queue in memory that is lost", plant: failedBatchAnswers(errBusy, nil)},
		{name: "a busy database has none of a batch", law: "batch/outage", reason: "every error counts as no rows", plant: failedBatchAnswers(errBusy, graph.ErrNotFound)},
		{name: "an error of a batch's commit is swallowed", law: "batch/commit-failed", reason: "defer tx.Commit()", plant: failedBatchAnswers(errDisk, nil)},
		{name: "a batch without an answer is in conflict", law: "batch/commit-unanswered", reason: "every failed commit counts as not done", plant: failedBatchAnswers(errDisk, graph.ErrConflict)},
		{name: "a batch without an answer has a time to come again", law: "batch/commit-unanswered", reason: "every failed commit counts as an abort", plant: failedBatchAnswers(errDisk, errLater{})},
	}
}

// errLater asks the caller to come again.
type errLater struct{}

func (errLater) Error() string             { return "too many requests" }
func (errLater) RetryAfter() time.Duration { return time.Second }

// writeBy makes one write of a batch.
func writeBy(ctx context.Context, s ownergraph.Store, w ownergraph.Write) error {
	if w.Type == graph.WriteDelete {
		return s.Delete(ctx, w.Key, w.Options)
	}
	return s.Patch(ctx, w.Key, w.Precondition, w.Change)
}

// gracedBatches carries out a batch with other options where a deletion has a grace period above 0.
func gracedBatches(other func(*ownergraph.DeleteOptions)) func(TB, Subject) Subject {
	return batching(func(sound batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			writes = slices.Clone(writes)
			for i := range writes {
				if g := writes[i].Options.GraceSeconds; g != nil && *g > 0 {
					other(&writes[i].Options)
				}
			}
			return sound(ctx, writes)
		}
	})
}

// someWritesOnly answers that all writes are done, and leaves out some of them.
func someWritesOnly(some func(i int, w ownergraph.Write) bool) func(TB, Subject) Subject {
	return batching(func(sound batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			var made []ownergraph.Write
			for i, w := range writes {
				if some(i, w) {
					made = append(made, w)
				}
			}
			results, err := sound(ctx, made)
			return append(results, make([]error, len(writes)-len(made))...), err
		}
	})
}

func erasingHeld(sound ownergraph.Store) batchFunc {
	return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
		results := make([]error, len(writes))
		for i, w := range writes {
			live, err := sound.Get(ctx, w.Key)
			results[i] = writeBy(ctx, sound, w)
			for _, f := range live.Finalizers {
				if err == nil && results[i] == nil && w.Type == graph.WriteDelete {
					_ = sound.Patch(ctx, w.Key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: f})
				}
			}
		}
		return results, nil
	}
}

// allOrNone makes no write if one of them would fail.
func allOrNone(sound ownergraph.Store) batchFunc {
	return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
		for _, w := range writes {
			live, err := sound.Get(ctx, w.Key)
			if err == nil && !w.Precondition.Holds(live) {
				err = graph.ErrConflict
			}
			if err != nil {
				return nil, err
			}
		}
		return untilError(sound)(ctx, writes)
	}
}

func untilError(sound ownergraph.Store) batchFunc {
	return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
		results := make([]error, len(writes))
		for i, w := range writes {
			if results[i] = writeBy(ctx, sound, w); results[i] != nil {
				for n := i + 1; n < len(writes); n++ {
					results[n] = results[i]
				}
				break
			}
		}
		return results, nil
	}
}

// resultsWithout replaces one sort of results by another.
func resultsWithout(of, by error) func(TB, Subject) Subject {
	return batchAnswers(func(results []error, err error) ([]error, error) {
		for i := range results {
			if errors.Is(results[i], of) {
				results[i] = by
			}
		}
		return results, err
	})
}

// failedBatchAnswers replaces an error of a batch. No error is that all writes are done.
func failedBatchAnswers(of, by error) func(TB, Subject) Subject {
	return batching(func(sound batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			results, err := sound(ctx, writes)
			switch {
			case !errors.Is(err, of):
				return results, err
			case by == nil:
				return make([]error, len(writes)), nil
			}
			return nil, fmt.Errorf("%w: %w", by, err)
		}
	})
}

// comparesFirst compares all preconditions, and then writes without any.
func comparesFirst(sound ownergraph.Store) batchFunc {
	return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
		results := make([]error, len(writes))
		for i, w := range writes {
			pre := w.Precondition
			if w.Type == graph.WriteDelete {
				pre = w.Options.Precondition
			}
			live, err := sound.Get(ctx, w.Key)
			if err == nil && !pre.Holds(live) {
				err = fmt.Errorf("%s: %w", w, graph.ErrConflict)
			}
			results[i] = err
		}
		select {
		case <-time.After(time.Millisecond): // others compare meanwhile
		case <-ctx.Done():
		}
		for i, w := range writes {
			w.Precondition, w.Options.Precondition = ownergraph.Precondition{}, ownergraph.Precondition{}
			if results[i] == nil {
				results[i] = writeBy(ctx, sound, w)
			}
		}
		return results, nil
	}
}

// noting notes the keys of all writes of a batch but the first ones.
func noting(keys *guarded[map[ownergraph.Key]bool], from int) func(batchFunc) batchFunc {
	return func(sound batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			keys.with(func(m *map[ownergraph.Key]bool) {
				for _, w := range writes[min(from, len(writes)):] {
					(*m)[w.Key] = true
				}
			})
			return sound(ctx, writes)
		}
	}
}

// isOf reports whether an event is a change of one of the keys.
func isOf(keys *guarded[map[ownergraph.Key]bool], in *listings, e ownergraph.Event) (noted bool) {
	key := e.Key
	if e.Type == graph.Put {
		key = e.Object.Key
	}
	keys.with(func(m *map[ownergraph.Key]bool) { noted = (*m)[key] && in.change(e) })
	return noted
}

func firstReported(tb TB, s Subject) Subject {
	keys, sound := &guarded[map[ownergraph.Key]bool]{v: map[ownergraph.Key]bool{}}, s.Store
	s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
		in := newListings()
		return func(e ownergraph.Event, sink sinkFunc) error {
			if in.applyEvent(e); isOf(keys, in, e) {
				return nil
			}
			return sink(e)
		}
	})
	s.Store = withBatch(tb, s.Store, sound, noting(keys, 1))
	return s
}

func fencesBeforeBatches(tb TB, s Subject) Subject {
	keys, sound := &guarded[map[ownergraph.Key]bool]{v: map[ownergraph.Key]bool{}}, s.Store
	s = fencesEarly(func(in *listings, e ownergraph.Event) (ownergraph.Kind, bool) { return e.Of(), isOf(keys, in, e) })(tb, s)
	s.Store = withBatch(tb, s.Store, sound, noting(keys, 0))
	return s
}

// lateBatches answers a batch that was done with an error, if its context has ended
// meanwhile.
func lateBatches(by error) func(TB, Subject) Subject {
	return batching(func(sound batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			results, err := sound(context.WithoutCancel(ctx), writes)
			if late := ctx.Err() != nil; err == nil && late {
				for i := range results {
					results[i] = fmt.Errorf("write %d: %w", i, by)
				}
			}
			return results, err
		}
	})
}

// oneResultList has one list for the results of all batches of the same size.
func oneResultList(tb TB, s Subject) Subject {
	lists := map[int][]error{}
	return batching(func(sound batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			results, err := sound(ctx, writes)
			if len(results) != 2 {
				return results, err
			}
			lists[2] = append(lists[2][:0], results...)
			return lists[2], err
		}
	})(tb, s)
}
