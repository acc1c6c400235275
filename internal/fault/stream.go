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

// mostQueued bounds how far the inner watch may run ahead of the sink.
const mostQueued = 1024

// stream is one watch. What the inner watch reports goes into a queue, out of
// which the watch's own goroutine serves the sink: so that events can wait for
// each other. The store's lock guards all of it.
type stream struct {
	s     *Store
	crash Fault // CrashAmid or CrashAfter, of the watch itself

	queue []ownergraph.Event
	kinds []ownergraph.KindInfo // as the inner watch said last
	lines map[ownergraph.Kind]*line
	// tickets are the fences that were asked for while the stream runs, newest
	// last.
	tickets []*ticket
	todo    []func(context.Context) // for the watch's goroutine, before the next event

	cut    context.CancelFunc // ends the inner watch
	again  bool               // the inner watch has to begin anew
	anew   bool               // it has, and has not told the kinds yet
	ended  error              // why the stream is over, or nil
	filled chan struct{}      // something happened that the watch's goroutine has to look at
	room   chan struct{}      // the queue has become shorter
}

var errAgain = errors.New("begins anew")

// Watch is the inner store's, with faults. A panic of the inner store is
// returned as an error.
func (s *Store) Watch(ctx context.Context, sink func(ownergraph.Event) error) error {
	c := call{site: atWatch, verb: "watch"}
	f := s.meet(c)
	if f == CrashBefore {
		s.conf.Crash()
		return fmt.Errorf("%s: %w", c, ErrNoAnswer)
	}
	ctx, stop := context.WithCancel(ctx)
	st := &stream{
		s: s, crash: f, lines: map[ownergraph.Kind]*line{},
		filled: make(chan struct{}, 1), room: make(chan struct{}, 1),
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

// follow runs the inner watch until it ends, again and again if that is wanted.
func (st *stream) follow(ctx context.Context) {
	s := st.s
	for {
		inner, cut := context.WithCancel(ctx)
		s.mu.Lock()
		st.cut, st.again = cut, false
		s.mu.Unlock()
		err := st.watch(inner)
		cut()
		s.mu.Lock()
		if !st.again || ctx.Err() != nil || st.ended != nil {
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
	return st.s.inner.Watch(ctx, func(ev ownergraph.Event) error { return st.take(ctx, ev) })
}

// take takes an event of the inner watch, once there is room for it.
func (st *stream) take(ctx context.Context, ev ownergraph.Event) error {
	for {
		st.s.mu.Lock()
		switch {
		case st.ended != nil:
			st.s.mu.Unlock()
			return st.ended
		case st.again:
			st.s.mu.Unlock()
			return errAgain
		case len(st.queue) < mostQueued:
			st.meet(ev)
			st.s.mu.Unlock()
			return nil
		}
		st.s.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-st.room:
		}
	}
}

// serve hands events to the sink until the stream or the context ends.
func (st *stream) serve(ctx context.Context, sink func(ownergraph.Event) error) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		n := st.next(time.Now())
		switch {
		case n.err != nil:
			return n.err
		case n.do != nil:
			n.do(ctx)
			continue
		case n.ok:
			if err := sink(n.event); err != nil {
				return fmt.Errorf("watch: sink: %w", err)
			}
			st.delivered(n.event)
			continue
		case !n.at.IsZero():
			timer.Reset(time.Until(n.at))
		}
		select {
		case <-ctx.Done():
		case <-st.filled:
		case <-timer.C:
		}
	}
	return ctx.Err()
}

// turn is what the watch's goroutine has to do: end, an errand, an event, or to
// wait, until a time if there is one.
type turn struct {
	err   error
	do    func(context.Context)
	event ownergraph.Event
	ok    bool
	at    time.Time
}

func (st *stream) next(now time.Time) (n turn) {
	st.s.mu.Lock()
	defer st.s.mu.Unlock()
	if len(st.todo) > 0 {
		n.do, st.todo = st.todo[0], st.todo[1:]
		return n
	}
	if st.ended != nil {
		return turn{err: st.ended}
	}
	for i, ev := range st.queue {
		if barrier(ev) && i > 0 {
			break
		}
		if until := st.heldUntil(ev, now); !until.IsZero() {
			if n.at.IsZero() || until.Before(n.at) {
				n.at = until
			}
			continue
		}
		st.queue = slices.Delete(st.queue, i, i+1)
		st.overtake(ev)
		signal(st.room)
		return turn{event: ev, ok: true}
	}
	return n
}

// barrier reports whether nothing may overtake the event, nor be overtaken by it.
func barrier(ev ownergraph.Event) bool {
	return ev.Type == graph.KindsKnown || ev.Type == graph.Rewound
}

// delivered has the watch's own crash happen.
func (st *stream) delivered(ev ownergraph.Event) {
	amid := st.crash == CrashAmid && (ev.Type == graph.Put || ev.Type == graph.ListEnded)
	if amid || st.crash == CrashAfter && ev.Type == graph.ListEnded {
		st.crash = Unset
		st.s.conf.Crash()
	}
}

// push queues an event. The lock is held, as in all that follows.
func (st *stream) push(ev ownergraph.Event) {
	st.queue = append(st.queue, ev)
	signal(st.filled)
}

// ask has the watch's goroutine do something that calls the inner store.
func (st *stream) ask(do func(context.Context)) {
	st.todo = append(st.todo, do)
	signal(st.filled)
}

func (st *stream) end(err error) {
	if st.ended == nil {
		st.ended = err
	}
	signal(st.filled)
	signal(st.room)
}

// restart begins the inner watch anew. What it reports until then is lost.
func (st *stream) restart() {
	if st.again || st.cut == nil || st.ended != nil {
		return
	}
	st.again, st.anew = true, true
	for _, l := range st.lines {
		l.open(lossy)
	}
	st.cut()
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
