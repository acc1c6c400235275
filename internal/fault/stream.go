package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// maxQueued bounds the number of events that the inner watch may run ahead of the
// sink.
const maxQueued = 1024

// stream is one watch. The events of the inner watch go into a queue. The watch's
// own goroutine serves the sink from the queue, so that events can wait for each
// other. The store's lock guards all fields.
type stream struct {
	s     *Store
	crash Fault // CrashAmid or CrashAfter, of the watch itself

	queue  []ownergraph.Event
	batch  []ownergraph.Event    // for the sink
	kinds  []ownergraph.KindInfo // as the inner watch reported them last
	states map[ownergraph.Kind]*kindState
	// fences are the fences that began while the stream runs, newest last.
	fences   []*fence
	early    []ownergraph.Event      // reports of tokens that no call has returned yet, newest last
	requests []func(context.Context) // for the watch's goroutine, before the next event

	cut          context.CancelFunc // ends the inner watch
	restarting   bool               // the inner watch has to restart
	kindsPending bool               // the inner watch has restarted, and has not reported the kinds yet
	ended        error              // the reason why the stream is over, or nil
	changed      chan struct{}      // a change that the watch's goroutine has to look at
	shorter      chan struct{}      // the queue has become shorter
}

var errAgain = errors.New("begins anew")

// Watch is the inner store's, with faults. A panic of the inner store is returned
// as an error. The batches are not those of the inner store: the plan's seed gives
// the bound of each. One array serves for all of them.
func (s *Store) Watch(ctx context.Context, sink func(batch []ownergraph.Event) error) error {
	c := call{site: atWatch, verb: "watch"}
	f := s.startCall(c)
	if f == CrashBefore {
		s.conf.Crash()
		return fmt.Errorf("%s: %w", c, ErrNoAnswer)
	}
	ctx, stop := context.WithCancel(ctx)
	st := &stream{
		s: s, crash: f, states: map[ownergraph.Kind]*kindState{},
		changed: make(chan struct{}, 1), shorter: make(chan struct{}, 1),
	}
	s.mu.Lock()
	s.streams[st] = struct{}{}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		st.follow(ctx)
	}()
	err := st.serve(ctx, sink)
	s.mu.Lock()
	delete(s.streams, st)
	st.end(ErrBroken)
	s.mu.Unlock()
	stop()
	<-done
	return err
}

// follow runs the inner watch until it ends. If the stream has to restart, follow
// runs it again.
func (st *stream) follow(ctx context.Context) {
	s := st.s
	for {
		inner, cut := context.WithCancel(ctx)
		s.mu.Lock()
		st.cut, st.restarting = cut, false
		s.mu.Unlock()
		err := st.watch(inner)
		cut()
		s.mu.Lock()
		if !st.restarting || ctx.Err() != nil || st.ended != nil {
			if err == nil {
				err = errors.New("the inner watch ended without an error")
			}
			st.end(err)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

func (st *stream) watch(ctx context.Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("watch: panic: %v", v)
		}
	}()
	return st.s.inner.Watch(ctx, func(batch []ownergraph.Event) error {
		for _, ev := range batch {
			if err := st.accept(ctx, ev); err != nil {
				return err
			}
		}
		return nil
	})
}

// accept takes an event of the inner watch as soon as the queue has space for it.
func (st *stream) accept(ctx context.Context, ev ownergraph.Event) error {
	for {
		st.s.mu.Lock()
		switch {
		case st.ended != nil:
			st.s.mu.Unlock()
			return st.ended
		case st.restarting:
			st.s.mu.Unlock()
			return errAgain
		case len(st.queue) < maxQueued:
			st.receive(ev)
			st.s.mu.Unlock()
			return nil
		}
		st.s.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-st.shorter:
		}
	}
}

// serve hands events to the sink until the stream or the context ends.
func (st *stream) serve(ctx context.Context, sink func(batch []ownergraph.Event) error) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		// A timer that has fired is never left for the select: in a bubble of synctest with
		// the race detector, two such timers at once crash Go 1.26.
		timer.Stop()
		n := st.next(time.Now())
		switch {
		case n.err != nil:
			return n.err
		case n.do != nil:
			n.do(ctx)
			continue
		case len(n.batch) > 0:
			err := sink(n.batch)
			if clear(n.batch); err != nil {
				return fmt.Errorf("watch: sink: %w", err)
			}
			if n.crash {
				st.s.conf.Crash()
			}
			continue
		case !n.at.IsZero():
			timer.Reset(time.Until(n.at))
		}
		select {
		case <-ctx.Done():
		case <-st.changed:
		case <-timer.C:
		}
	}
	return ctx.Err()
}

// action is the next action of the watch's goroutine: end, run a call, hand over a
// batch, or wait. It waits until a time, if there is one.
type action struct {
	err   error
	do    func(context.Context)
	batch []ownergraph.Event
	crash bool // after the batch
	at    time.Time
}

func (st *stream) next(now time.Time) (n action) {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	if len(st.requests) > 0 {
		n.do, st.requests = st.requests[0], st.requests[1:]
		return n
	}
	if st.ended != nil {
		return action{err: st.ended}
	}
	st.batch = st.batch[:0]
	for limit := st.s.maxBatch(); len(st.batch) < limit && !n.crash; {
		ev, at, ok := st.pop(now)
		if !ok {
			n.at = at
			break
		}
		st.batch = append(st.batch, ev)
		n.crash = st.crashes(ev)
	}
	if n.batch = st.batch; len(n.batch) > 0 {
		st.s.batches++
	}
	return n
}

// pop takes the next event for the sink out of the queue. If every event has to wait,
// pop returns the time until which the first of them waits. The caller has the lock.
func (st *stream) pop(now time.Time) (next ownergraph.Event, at time.Time, ok bool) {
	for i, ev := range st.queue {
		if barrier(ev) && i > 0 {
			break
		}
		if until := st.delayedUntil(ev, now); !until.IsZero() {
			if at.IsZero() || until.Before(at) {
				at = until
			}
			continue
		}
		st.queue = slices.Delete(st.queue, i, i+1)
		st.overtake(ev)
		signal(st.shorter)
		return ev, time.Time{}, true
	}
	return ownergraph.Event{}, at, false
}

// maxBatch bounds the next batch. It is a power of two up to 128. The caller has the lock.
func (s *Store) maxBatch() int { return 1 << (mix(s.conf.Plan.Seed, s.batches) % 8) }

// barrier reports whether the event keeps its place in the order. No event may
// overtake it, and it overtakes none.
func barrier(ev ownergraph.Event) bool {
	return ev.Type == graph.KindsKnown || ev.Type == graph.Rewound
}

// crashes reports whether the watch's own crash comes after the event. The batch ends
// there, so the crash may fall between two events of one page.
func (st *stream) crashes(ev ownergraph.Event) bool {
	amid := st.crash == CrashAmid && (ev.Type == graph.Put || ev.Type == graph.ListEnded)
	if amid || st.crash == CrashAfter && ev.Type == graph.ListEnded {
		st.crash = Unset
		return true
	}
	return false
}

// push queues an event. The caller has the lock, as in the following functions.
func (st *stream) push(ev ownergraph.Event) {
	st.queue = append(st.queue, ev)
	signal(st.changed)
}

// request asks the watch's goroutine for a call of the inner store.
func (st *stream) request(do func(context.Context)) {
	st.requests = append(st.requests, do)
	signal(st.changed)
}

func (st *stream) end(err error) {
	if st.ended == nil {
		st.ended = err
	}
	signal(st.changed)
	signal(st.shorter)
}

// restart restarts the inner watch. The stream loses the events of the former run.
func (st *stream) restart() {
	if st.restarting || st.cut == nil || st.ended != nil {
		return
	}
	st.restarting, st.kindsPending = true, true
	for _, l := range st.states {
		l.widen(untilListing)
	}
	st.cut()
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
