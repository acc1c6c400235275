package sqlstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	maxBatch   = 512  // events for one call of the sink
	maxChanges = 1024 // of one look at the log
	maxFences  = 64   // pending in one watch; the newest stay
	pageSize   = 4096 // rows of one page of a listing
)

// Watch reports the kinds, a listing of each kind, and every later change, in the order of
// the commits. It calls sink from the caller's goroutine. While sink runs, Watch has no
// lock, no transaction and no connection. It ends when ctx ends, when sink returns an
// error, or when the database fails. It returns the context's error and the sink's error
// wrapped.
//
// A listing is a series of pages. Each page is a read of its own, and the log repeats the
// changes since the first page. A watch that is behind the log lists every kind anew.
// After each batch of changes Watch reports the Progress of every kind.
//
//test:by TestKit TestCommitOrder TestCommitOrderOfOneObject TestManyWriters
//test:by TestListingWhileObjectsComeAndGo TestSlowWatchBehindCompaction TestOneConnection
//test:by TestWaitOnlyHints
func (s *Store) Watch(ctx context.Context, sink func(batch []graph.Event) error) error {
	if sink == nil {
		return fmt.Errorf("watch: sink: nil: %w", graph.ErrRefused)
	}
	w := &watch{s: s, out: outbox{ctx: ctx, sink: sink}, kinds: map[graph.Kind]*watched{}, listed: map[graph.UID]position{}, began: time.Now()}
	defer w.beside.Wait()
	running, stop := context.WithCancel(ctx)
	defer stop()
	s.enter(w)
	defer s.leave(w)
	hints, end := s.hints(ctx)
	defer end()
	err := w.run(running, hints)
	if ctx.Err() != nil {
		return fmt.Errorf("watch: %w", ctx.Err())
	}
	return err
}

// watch is one running Watch.
type watch struct {
	s   *Store
	out outbox

	// Guarded by the store's lock.
	fences []fence
	relist map[graph.Kind]bool // kinds that List requested

	started bool
	next    position // every change below it is reported
	anchor  anchor
	epoch   string
	start   int64 // of the server, in the last look
	set     *kindSet
	kinds   map[graph.Kind]*watched // the reported kinds
	// listed has the objects that a listing brought in a state which the log has not
	// reached. The log has older states of them.
	listed map[graph.UID]position
	newest position // of listed

	ending []graph.Kind // their listings end when next has reached endAt
	endAt  position

	stands standing
	began  time.Time
	beside sync.WaitGroup // of the compaction
}

// watched is the state of one kind in the reports of a watch.
type watched struct{ listed bool }

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

// hints calls Config.Wait again and again, until end is called.
func (s *Store) hints(ctx context.Context) (hints <-chan struct{}, end func()) {
	if s.conf.Wait == nil {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	c, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := s.conf.Wait(ctx); err != nil {
				_ = sleep(ctx, s.conf.Poll) // the loop ends with ctx
			}
			select {
			case c <- struct{}{}:
			default:
			}
		}
	}()
	return c, func() { cancel(); <-done }
}

func (w *watch) run(ctx context.Context, hints <-chan struct{}) error {
	pause := firstPause
	for {
		wake := w.s.waking() // before the look, so that no write is missed
		more, err := w.round(ctx)
		if err != nil {
			return err
		}
		if more {
			pause = firstPause
			continue
		}
		w.s.compactBeside(ctx, w)
		t := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-wake:
			pause = firstPause
		case <-hints:
			pause = firstPause
		case <-t.C:
			pause = min(2*pause, w.s.conf.Poll)
		}
		t.Stop()
	}
}

// round looks at the log once, and reports the news. It returns whether to look again at
// once.
func (w *watch) round(ctx context.Context) (more bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	fences, relist := w.wishes()
	next, at := w.next, w.anchor
	if !w.started {
		seen := w.s.remembered()
		next, at = seen.next, seen.anchor
	}
	var l *look
	err = w.await(ctx, func(ctx context.Context) (err error) {
		l, err = w.s.lookAt(ctx, next, at)
		return err
	})
	if err != nil {
		return false, readFailed("watch", "the log", err)
	}
	if l.isBroken(next, at) {
		return true, w.s.noteRestore(ctx, l.epoch, otherLog)
	}
	if err := w.report(ctx, l, relist); err != nil {
		return false, err
	}
	w.s.remember(w.next, w.anchor)
	listing := len(w.ending) > 0
	w.endListings()
	w.renew(l, fences)
	w.stand(ctx, l, fences)
	if listing && len(w.ending) > 0 {
		return w.next != next, w.out.flush() // no fence passes an open listing
	}
	passed := w.pass(fences)
	return len(l.changes) == maxChanges || passed || listing, w.out.flush()
}

// report reports the news of a look.
func (w *watch) report(ctx context.Context, l *look, relist map[graph.Kind]bool) error {
	restored := l.epoch != w.epoch
	anew := !w.started || restored || l.floor > w.next.pos
	if restored {
		w.out.add(graph.Event{Type: graph.Rewound, Reason: l.reason, Epoch: l.epoch})
	}
	w.epoch, w.start = l.epoch, l.start
	if err := w.reportKinds(ctx, l); err != nil {
		return err
	}
	w.started = true
	if anew {
		w.next, w.anchor = latest(l.moment, position{pos: l.floor}), l.tip // nothing appears below the floor
		return w.listAll(ctx)
	}
	w.reportChanges(l)
	return w.listSome(ctx, relist)
}

// reportKinds reports the set of kinds, if it changed.
func (w *watch) reportKinds(ctx context.Context, l *look) error {
	if w.set != nil && w.set.stamp == l.stamp {
		return nil
	}
	ses, err := w.s.reading(ctx)
	if err != nil {
		return err
	}
	set := w.s.kinds.Load()
	if set == nil || set.stamp != l.stamp {
		err = w.await(ctx, func(ctx context.Context) (err error) {
			set, err = w.s.readKinds(ctx, &ses.c)
			return err
		})
		if err != nil {
			return readFailed("watch", "the kinds", err)
		}
	}
	for _, info := range sortedKinds(w.kinds) {
		if !set.serves(info) {
			w.out.add(graph.Event{Type: graph.KindVanished, Kind: info})
			delete(w.kinds, info)
		}
	}
	infos := set.infos()
	var sick []graph.Event // the new kinds of a watch that stands still
	for _, info := range infos {
		if w.kinds[info.Kind] == nil {
			w.kinds[info.Kind] = &watched{}
			if w.stands.sick != "" {
				sick = append(sick, graph.Event{Type: graph.KindSick, Kind: info.Kind, Reason: w.stands.sick})
			}
		}
	}
	w.set = set
	w.out.add(graph.Event{Type: graph.KindsKnown, Kinds: infos})
	for _, e := range sick {
		w.out.add(e)
	}
	return nil
}
