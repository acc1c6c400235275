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
// order of their commits. After at most 256 changes it reports the Progress of every
// kind. A watch that falls behind the log lists every kind anew. Only a Restore makes
// the history of a kind go backwards.
//
// A batch has at most 512 events. Watch puts into a batch all that is due at one moment:
// the kinds, their listings, changes, progress and fences. It uses one array for all
// batches.
//
// Watch reports the present set of kinds and their health, ahead of older changes of
// other kinds. It does not report a kind or a sickness that came and went between two
// rounds.
//
//test:by TestWatch TestWatchKinds TestWatchFallsBehind TestBatches TestWatchLaws
func (s *Store) Watch(ctx context.Context, sink func(batch []graph.Event) error) error {
	if sink == nil {
		return fmt.Errorf("watch: sink: nil: %w", graph.ErrRefused)
	}
	w := &watch{store: s, kinds: map[graph.Kind]*reported{}}
	s.enter(w)
	defer s.leave(w)
	for out := (outbox{ctx: ctx, sink: sink}); ctx.Err() == nil; {
		reports, idle := w.next()
		if err := out.deliver(reports); err != nil {
			return err
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

// outbox hands events to a sink in batches. The batches share one array.
type outbox struct {
	ctx   context.Context
	sink  func(batch []graph.Event) error
	batch []graph.Event
}

// deliver hands the reports of a round to the sink until the context ends.
func (o *outbox) deliver(reports []iter.Seq[graph.Event]) error {
	for _, r := range reports {
		for e := range r {
			if o.batch = append(o.batch, e); len(o.batch) < maxBatch {
				continue
			}
			if err := o.flush(); err != nil {
				return err
			}
		}
	}
	return o.flush()
}

// flush hands the batch to the sink, and clears it. Otherwise the array of an idle watch
// would keep objects alive.
func (o *outbox) flush() error {
	if len(o.batch) == 0 {
		return nil
	}
	if err := o.ctx.Err(); err != nil {
		return err
	}
	err := o.sink(o.batch)
	clear(o.batch)
	o.batch = o.batch[:0]
	if err != nil {
		return fmt.Errorf("watch: sink: %w", err)
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
	maxBatch   = 512 // events for one call of the sink
	maxChanges = 256 // in one round
	maxFences  = 64  // pending in one watch; the newest stay
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
