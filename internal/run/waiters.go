package run

import "github.com/ownergraph/ownergraph/policy"

// Waiters are the callers that wait for one kind of condition. The driver looks at them after
// each step, and ends the waits that are over. The driver's lock guards a Waiters and its
// conditions. The zero value is empty.
type Waiters struct{ all map[*Waiter]struct{} }

// Waiter is one wait under way.
type Waiter struct {
	// Since is the moment from which the wait counts, for its condition. The driver's lock
	// guards it.
	Since policy.Moment
	over  func(since policy.Moment) bool
	done  chan struct{}
}

// Done returns a channel that is closed when the wait is over.
func (w *Waiter) Done() <-chan struct{} { return w.done }

// Len returns the number of waits.
func (ws *Waiters) Len() int { return len(ws.all) }

// Join begins a wait. The condition may keep a result for the caller when it is met. It is not
// asked again after that.
func (ws *Waiters) Join(over func(since policy.Moment) bool) *Waiter {
	w := &Waiter{over: over, done: make(chan struct{})}
	if ws.all == nil {
		ws.all = map[*Waiter]struct{}{}
	}
	ws.all[w] = struct{}{}
	return w
}

// Leave gives a wait up. It reports whether the wait was still under way.
func (ws *Waiters) Leave(w *Waiter) bool {
	_, waits := ws.all[w]
	delete(ws.all, w)
	return waits
}

// Again sets the moment of all waits to a later one.
func (ws *Waiters) Again(since policy.Moment) {
	for w := range ws.all {
		w.Since = since
	}
}

// Try ends a wait under way if its condition is met. It reports whether that is so.
func (ws *Waiters) Try(w *Waiter) bool {
	if !w.over(w.Since) {
		return false
	}
	delete(ws.all, w)
	close(w.done)
	return true
}

// End tries all waits. It reports whether some of them go on.
func (ws *Waiters) End() bool {
	for w := range ws.all {
		ws.Try(w)
	}
	return len(ws.all) > 0
}
