package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfCommits() []mutant {
	return []mutant{
		{name: "an error of a commit is swallowed", law: commitFailed, reason: "defer tx.Commit()", plant: patchAnswers(func(_ ownergraph.Store, _ ownergraph.Key, err error) error {
			if errors.Is(err, errDisk) {
				return nil
			}
			return err
		})},
		{name: "a commit without an answer is a conflict", law: "commit/unanswered", reason: "every failed commit counts as not done", plant: patchAnswers(
			func(_ ownergraph.Store, _ ownergraph.Key, err error) error {
				if errors.Is(err, errDisk) {
					return fmt.Errorf("%w: %w", graph.ErrConflict, err)
				}
				return err
			})},
		{name: "a busy database is empty", law: outageReads, reason: "every error counts as no rows", plant: reading(
			func(key ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) {
				if errors.Is(err, errBusy) {
					err = fmt.Errorf("get %s: %w", place(key), graph.ErrNotFound)
				}
				return o, err
			})},
		{name: "a busy database takes writes", law: "outage/writes", reason: "a queue in memory that is lost", plant: patchAnswers(func(_ ownergraph.Store, _ ownergraph.Key, err error) error {
			if errors.Is(err, errBusy) {
				return nil
			}
			return err
		})},
		{name: "a listing that breaks off is complete", law: "outage/watch", reason: "rows.Err is ignored", plant: cutListings},
	}
}

// patchAnswers replaces the answer of a patch.
func patchAnswers(answer func(s ownergraph.Store, key ownergraph.Key, err error) error) func(TB, Subject) Subject {
	return patching(func(sound ownergraph.Store) patchFunc {
		return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			return answer(sound, key, sound.Patch(ctx, key, pre, c))
		}
	})
}

// cutListings makes an outage cut a listing of each kind, which ends as if it were
// whole.
func cutListings(tb TB, s Subject) Subject {
	var asked atomic.Bool
	lister, ok := ownergraph.As[ownergraph.Lister](s.Store)
	if !ok {
		tb.Fatalf("the sound store is no Lister")
	}
	outage := s.Outage
	s.Outage = func(ctx context.Context) (func(context.Context) error, error) {
		asked.Store(true)
		for _, info := range memoryKinds() {
			if err := lister.List(ctx, info.Kind); err != nil {
				return nil, err
			}
		}
		return outage(ctx)
	}
	s.Store = reporting(s.Store, func() func(ownergraph.Event, sinkFunc) error {
		in := newListings()
		return func(e ownergraph.Event, sink sinkFunc) error {
			if in.applyEvent(e); e.Type == graph.Put && !in.change(e) && asked.Load() {
				return nil
			}
			return sink(e)
		}
	})
	return s
}
