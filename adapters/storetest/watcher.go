package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
)

// watcher runs one watch of the store, and keeps its events. The store calls sink.
// The other methods are for the law's goroutine.
type watcher struct {
	t      *trial
	cancel context.CancelFunc
	ended  chan struct{} // closed when Watch has returned
	err    error         // the error of Watch

	mu      sync.Mutex
	events  []ownergraph.Event
	wake    chan struct{} // closed by the next event; nil while no law waits
	calls   int           // of the sink in progress
	overlap bool          // two calls overlapped
	altered string        // the first event of a batch that the store changed during a call
	seen    func(ownergraph.Event) error

	known   *replica // after the first applied events; for the law's goroutine
	applied int

	// A paused watch gives each event to arrived, and goes on by a token of next. A
	// store that calls the sink twice at once takes turns.
	arrived   chan ownergraph.Event
	next      chan struct{}
	exclusive chan struct{}
}

// watch starts a watch. It ends with the law.
func (t *trial) watch() *watcher { return t.newWatcher(&watcher{}) }

// watchStepped starts a watch that reports one event at each step.
func (t *trial) watchStepped() *watcher {
	return t.newWatcher(&watcher{arrived: make(chan ownergraph.Event), next: make(chan struct{}), exclusive: make(chan struct{}, 1)})
}

// watchWith starts a watch whose sink also calls seen with the event, and returns
// seen's error.
func (t *trial) watchWith(seen func(ownergraph.Event) error) *watcher {
	return t.newWatcher(&watcher{seen: seen})
}

func (t *trial) newWatcher(w *watcher) *watcher {
	ctx, cancel := context.WithCancel(t.Context())
	w.t, w.cancel, w.ended = t, cancel, make(chan struct{})
	store := t.Store // the present one, since a restart replaces it
	done := start(ctx, func(ctx context.Context) error {
		return store.Watch(ctx, func(batch []ownergraph.Event) error { return w.sink(ctx, batch) })
	})
	go func() {
		w.err = <-done
		close(w.ended)
	}()
	t.Cleanup(func() {
		w.cancel()
		w.waitEnd()
	})
	return w
}

// sink copies the batch at first, because seen may change the lists of an event.
func (w *watcher) sink(ctx context.Context, batch []ownergraph.Event) error {
	w.enter()
	defer w.leave()
	copied := cloneEvents(batch)
	w.reserve(len(copied))
	for i, e := range copied {
		var err error
		if w.seen != nil {
			err = w.seen(batch[i])
		}
		w.record(e)
		if err == nil && w.arrived != nil {
			err = w.pause(ctx, e)
		}
		if err != nil {
			return err
		}
	}
	w.compare(batch, copied)
	return nil
}

// compare notes a difference between a batch and its copy from the begin of the call. It
// ignores the lists of an event, because they are the caller's.
func (w *watcher) compare(batch, was []ownergraph.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range batch {
		if w.altered == "" && !alike(&batch[i], &was[i]) {
			w.altered = fmt.Sprintf("event %d of %d was %s, and is now %s", i, len(batch), formatEvents(was[i:i+1]), formatEvents(batch[i:i+1]))
		}
	}
}

// alike reports whether two events are about the same, without their lists.
func alike(a, b *ownergraph.Event) bool {
	return a.Type == b.Type && a.Kind == b.Kind && a.Key == b.Key && a.Version == b.Version && a.Fence == b.Fence &&
		a.Object.Key == b.Object.Key && a.Object.Version == b.Object.Version
}

// pause waits until the law has taken the event and lets the watch go on.
func (w *watcher) pause(ctx context.Context, e ownergraph.Event) error {
	select {
	case w.exclusive <- struct{}{}:
		defer func() { <-w.exclusive }()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case w.arrived <- e:
	case <-w.next: // closed: the watch is no longer paused
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

// reserve makes room for more events. The list doubles, because events are large and most
// of them are copied at each growth.
func (w *watcher) reserve(more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.events)+more > cap(w.events) {
		w.events = slices.Grow(w.events, max(more, len(w.events)))
	}
}

// record keeps an event, and wakes the waiting law.
func (w *watcher) record(e ownergraph.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
	if w.wake != nil {
		close(w.wake)
		w.wake = nil
	}
}

// step lets a paused watch go on until its next event. It returns the event, and
// whether there was one in time.
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

// pass lets a paused watch go on after the event that step returned.
func (w *watcher) pass() {
	select {
	case w.next <- struct{}{}:
	case <-w.ended:
	}
}

// pauseAt steps a paused watch up to such an event, and pauses it there.
func (w *watcher) pauseAt(what string, at func(ownergraph.Event) bool) {
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

// pauseListed pauses a watch at the end of the last listing of its beginning.
func (w *watcher) pauseListed() {
	w.t.Helper()
	w.pauseAt("the watch lists every kind", func(ownergraph.Event) bool {
		events, _ := w.reported()
		return replay(events).listed()
	})
}

// free lets a paused watch run.
func (w *watcher) free() { close(w.next) }

// stop ends the watch. It returns the error of Watch, and whether Watch returned in
// time.
func (w *watcher) stop() (error, bool) {
	w.cancel()
	return w.waitEnd()
}

func (w *watcher) waitEnd() (error, bool) {
	limit := time.NewTimer(w.t.patience)
	defer limit.Stop()
	select {
	case <-w.ended:
		return w.err, true
	case <-limit.C:
		return nil, false
	}
}

// hasEnded reports whether the watch has ended.
func (w *watcher) hasEnded() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// reported returns the events so far, and a channel that the next event closes.
func (w *watcher) reported() ([]ownergraph.Event, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wake == nil {
		w.wake = make(chan struct{})
	}
	return w.events[:len(w.events):len(w.events)], w.wake
}

func cloneEvents(batch []ownergraph.Event) []ownergraph.Event {
	out := make([]ownergraph.Event, len(batch))
	for i, e := range batch {
		out[i] = cloneEvent(e)
	}
	return out
}

func cloneEvent(e ownergraph.Event) ownergraph.Event {
	e.Object = e.Object.Clone()
	e.Kinds = append([]ownergraph.KindInfo(nil), e.Kinds...)
	return e
}

var errSink = errors.New("the sink has failed")
