package memory

import (
	"context"
	"fmt"
	"iter"

	"github.com/ownergraph/ownergraph/graph"
)

// Watch reports the present objects and every later change to sink. It calls sink from
// the caller's goroutine. It ends when ctx ends or sink returns an error. It returns
// the context's error as it is, and wraps the sink's error. Any number of watches may
// run at once.
//
// Watch reports the kinds, then a sorted listing of each kind, then the changes in the
// order of their commits. After each batch of changes it reports the Progress of every
// kind. A watch that falls behind the log lists every kind anew. Only a Restore makes
// the history of a kind go backwards.
//
// Watch reports the present set of kinds and their health, ahead of older changes of
// other kinds. It does not report a kind or a sickness that came and went between two
// rounds.
//
// Held by TestWatch, TestWatchKinds, TestWatchFallsBehind and TestWatchLaws.
func (s *Store) Watch(ctx context.Context, sink func(graph.Event) error) error {
	if sink == nil {
		return fmt.Errorf("watch: sink: nil: %w", graph.ErrRefused)
	}
	w := &watch{store: s, kinds: map[graph.Kind]*reported{}}
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

// watch is one running Watch. Other goroutines write only the fields that the store's
// lock guards. next reads and writes all fields under the lock.
type watch struct {
	store *Store

	// Guarded by the store's lock.
	fences []fence
	relist map[graph.Kind]bool // kinds that List requested

	started bool
	pos     uint64 // of the next change to report
	rewinds uint64 // as reported
	control uint64 // as reported
	infos   []graph.KindInfo
	kinds   map[graph.Kind]*reported
}

// reported is the state of one kind in the reports of a watch.
type reported struct {
	listed bool
	sick   bool
	reason string
	// listedAt is the log position of the latest listing, which contains all earlier
	// changes.
	listedAt uint64
	// fences are the fences that passed while the kind was sick.
	fences []uint64
}

const (
	batch     = 256 // changes in one round
	maxFences = 64  // pending in one watch; the newest stay
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
