package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
)

// watcher runs one watch of the store, and keeps what it reports. Its methods
// are for the law's goroutine; sink is called by the store.
type watcher struct {
	t      *trial
	cancel context.CancelFunc
	ended  chan struct{} // closed when Watch has returned
	err    error         // and this is why

	mu      sync.Mutex
	events  []ownergraph.Event
	wake    chan struct{} // closed by the next event
	calls   int           // of the sink that run now
	overlap bool          // two did at once
	seen    func(ownergraph.Event) error

	known *replica // after the first taken events; for the law's goroutine
	taken int

	// A held watch gives each event to arrived, and goes on by a token of next.
	// A store that calls the sink twice at once takes turns.
	arrived chan ownergraph.Event
	next    chan struct{}
	turn    chan struct{}
}

// watch starts a watch. It ends with the law.
func (t *trial) watch() *watcher { return t.newWatcher(&watcher{}) }

// watchHeld starts a watch that reports one event at each step.
func (t *trial) watchHeld() *watcher {
	return t.newWatcher(&watcher{arrived: make(chan ownergraph.Event), next: make(chan struct{}), turn: make(chan struct{}, 1)})
}

// watchWith starts a watch whose sink also calls seen with what it was given,
// and fails as seen does.
func (t *trial) watchWith(seen func(ownergraph.Event) error) *watcher {
	return t.newWatcher(&watcher{seen: seen})
}

func (t *trial) newWatcher(w *watcher) *watcher {
	ctx, cancel := context.WithCancel(t.Context())
	w.t, w.cancel, w.ended, w.wake = t, cancel, make(chan struct{}), make(chan struct{})
	store := t.Store // that of now: a restart changes it
	done := start(ctx, func(ctx context.Context) error {
		return store.Watch(ctx, func(e ownergraph.Event) error { return w.sink(ctx, e) })
	})
	go func() {
		w.err = <-done
		close(w.ended)
	}()
	t.Cleanup(func() {
		w.cancel()
		w.returns()
	})
	return w
}

func (w *watcher) sink(ctx context.Context, e ownergraph.Event) error {
	w.enter()
	defer w.leave()
	copied := cloneEvent(e)
	var err error
	if w.seen != nil {
		err = w.seen(e)
	}
	w.note(copied)
	if err != nil || w.arrived == nil {
		return err
	}
	return w.hold(ctx, copied)
}

// hold waits until somebody has taken the event, and until that lets it go on.
func (w *watcher) hold(ctx context.Context, e ownergraph.Event) error {
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case w.arrived <- e:
	case <-w.next: // closed: nobody steps any more
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-w.next:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *watcher) enter() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	w.overlap = w.overlap || w.calls > 1
}

func (w *watcher) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls--
}

// note keeps an event, and tells those who wait.
func (w *watcher) note(e ownergraph.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
	close(w.wake)
	w.wake = make(chan struct{})
}

// step lets a held watch go on until it reports its next event, and returns
// that, and whether there was one in time.
func (w *watcher) step() (ownergraph.Event, bool) {
	limit := time.NewTimer(w.t.patience)
	defer limit.Stop()
	select {
	case e := <-w.arrived:
		return e, true
	case <-w.ended:
	case <-limit.C:
	}
	return ownergraph.Event{}, false
}

// pass lets a held watch go on after the event that step returned.
func (w *watcher) pass() {
	select {
	case w.next <- struct{}{}:
	case <-w.ended:
	}
}

// holdAt steps a held watch until it reports such an event, and holds it there.
func (w *watcher) holdAt(what string, at func(ownergraph.Event) bool) {
	w.t.Helper()
	for {
		e, ok := w.step()
		if !ok {
			w.missing(what)
		}
		if at(e) {
			return
		}
		w.pass()
	}
}

// holdListed holds a watch at the end of the last listing with which it begins.
func (w *watcher) holdListed() {
	w.t.Helper()
	w.holdAt("the watch lists every kind", func(ownergraph.Event) bool {
		events, _ := w.look()
		return replay(events).listed()
	})
}

// free lets a held watch run.
func (w *watcher) free() { close(w.next) }

// stop ends the watch, and returns why it says that it ended, and whether it
// did so in time.
func (w *watcher) stop() (error, bool) {
	w.cancel()
	return w.returns()
}

func (w *watcher) returns() (error, bool) {
	limit := time.NewTimer(w.t.patience)
	defer limit.Stop()
	select {
	case <-w.ended:
		return w.err, true
	case <-limit.C:
		return nil, false
	}
}

// over reports whether the watch has ended.
func (w *watcher) over() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// look returns what has been reported so far, and what is closed by more.
func (w *watcher) look() ([]ownergraph.Event, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.events[:len(w.events):len(w.events)], w.wake
}

// until waits until what was reported so far satisfies the condition. It returns
// false if it does not in time, or if the watch has ended before.
func (w *watcher) until(ok func([]ownergraph.Event) bool) bool {
	limit := time.NewTimer(w.t.patience)
	defer limit.Stop()
	for {
		events, more := w.look()
		if ok(events) {
			return true
		}
		select {
		case <-more:
		case <-w.ended:
			events, _ = w.look()
			return ok(events)
		case <-limit.C:
			return false
		}
	}
}

// sees is until, by what a reader of the watch knows.
func (w *watcher) sees(ok func(*replica) bool) bool {
	return w.until(func(events []ownergraph.Event) bool { return ok(w.after(events)) })
}

// after is replay, which goes on from where it was.
func (w *watcher) after(events []ownergraph.Event) *replica {
	if w.known == nil {
		w.known = replay(nil)
	}
	for _, e := range events[w.taken:] {
		w.known.apply(e)
	}
	w.taken = len(events)
	return w.known
}

// mustSee breaks the law unless the reader gets to know it.
func (w *watcher) mustSee(what string, ok func(*replica) bool) {
	w.t.Helper()
	if !w.sees(ok) {
		events, _ := w.look()
		r := replay(events)
		ok(r)
		w.missed(what, r)
	}
}

// ready waits until every kind is listed.
func (w *watcher) ready() *watcher {
	w.t.Helper()
	w.mustSee("the watch lists every kind", (*replica).listed)
	return w
}

// missing breaks the law: the watch has not reported what it should have.
func (w *watcher) missing(what string) {
	w.t.Helper()
	w.missed(what, replay(nil))
}

// missed is missing for a reader who has compared what is known. It says what the
// difference is, or else what the watch has reported.
func (w *watcher) missed(what string, r *replica) {
	w.t.Helper()
	events, _ := w.look()
	seen := "the watch reported nothing"
	if len(events) > 0 {
		seen = "the watch reported " + sayAll(events)
	}
	if x := r.compared; x != nil {
		if lines := difference(x.want, r.all(x.kind)); lines != "" {
			seen = strings.ReplaceAll(lines, "\n", "\n          ")
		}
	}
	select {
	case <-w.ended:
		seen += fmt.Sprintf(", and ended: %v", w.err)
	default:
	}
	w.t.broken(what, seen)
}

func cloneEvent(e ownergraph.Event) ownergraph.Event {
	e.Object = e.Object.Clone()
	e.Kinds = append([]ownergraph.KindInfo(nil), e.Kinds...)
	return e
}

var errSink = errors.New("the sink has had enough")
