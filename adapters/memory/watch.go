package memory

import (
	"context"
	"fmt"
	"iter"

	"github.com/ownergraph/ownergraph/graph"
)

// Watch reports what the store holds and every change of it to sink, until ctx
// ends or sink returns an error, which it returns: the context's error as it
// is, the sink's wrapped. It calls sink from the caller's goroutine. Any number
// of watches may run at once.
//
// It reports the kinds, then each kind's listing, sorted, then the changes in
// the order in which they were committed, with Progress of every kind after
// each batch of them. One that falls behind the log lists every kind anew; no
// kind's history ever goes back in it, but by Restore. Which kinds are served
// and well is told as it is, ahead of older changes of other kinds: what was
// undone before the watch came to look is not told. Held by TestWatch,
// TestWatchKinds, TestWatchFallsBehind and TestWatchLaws.
func (s *Store) Watch(ctx context.Context, sink func(graph.Event) error) error {
	if sink == nil {
		return fmt.Errorf("watch: sink: nil: %w", graph.ErrRefused)
	}
	w := &watch{store: s, kinds: map[graph.Kind]*told{}}
	s.enter(w)
	defer s.leave(w)
	for ctx.Err() == nil {
		reports, idle := w.next()
		for _, r := range reports {
			if err := deliver(ctx, r, sink); err != nil {
				return err
			}
		}
		if idle == nil {
			continue
		}
		select {
		case <-ctx.Done():
		case <-idle:
		}
	}
	return ctx.Err()
}

// deliver hands events to the sink until the context ends.
func deliver(ctx context.Context, events iter.Seq[graph.Event], sink func(graph.Event) error) error {
	for e := range events {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := sink(e); err != nil {
			return fmt.Errorf("watch: sink: %w", err)
		}
	}
	return nil
}

// watch is one running Watch. What the store's lock guards is written by others
// too; the rest is the watch's own, and next looks at all of it under the lock.
type watch struct {
	store *Store

	// Guarded by the store's lock.
	fences []fence
	asked  map[graph.Kind]bool // kinds that List wants anew

	started bool
	pos     uint64 // of the next change to report
	rewinds uint64 // as told
	control uint64 // as told
	infos   []graph.KindInfo
	kinds   map[graph.Kind]*told
}

// told is what a watch has said of one kind.
type told struct {
	listed bool
	sick   bool
	reason string
	// floor is where the latest listing was taken: changes before it are in it.
	floor uint64
	// owed are the fences that passed while the kind was sick.
	owed []uint64
}

const (
	batch     = 256 // changes between two looks at the store
	maxFences = 64  // that one watch has pending; the newest stay
)

func (s *Store) enter(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches[w] = struct{}{}
}

func (s *Store) leave(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watches, w)
}
