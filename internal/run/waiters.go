package run

// Waiters are the callers that wait for one condition. Each waits for something since a
// moment S, and gets a result R. The driver looks at the condition after each step, and
// ends the waits that are over. The driver's lock guards a Waiters. The zero value is
// empty.
type Waiters[S, R any] struct{ all map[*Waiter[S, R]]struct{} }

// Waiter is one wait under way.
type Waiter[S, R any] struct {
	// Since is the moment. The driver's lock guards it.
	Since  S
	done   chan struct{}
	result R // written once, before done is closed
}

// Done returns a channel that is closed when the wait is over.
func (w *Waiter[S, R]) Done() <-chan struct{} { return w.done }

// Result returns the result of a wait that is over. It needs no lock.
func (w *Waiter[S, R]) Result() R { return w.result }

// Len returns the number of waits.
func (ws *Waiters[S, R]) Len() int { return len(ws.all) }

// Join begins a wait.
func (ws *Waiters[S, R]) Join(since S) *Waiter[S, R] {
	w := &Waiter[S, R]{Since: since, done: make(chan struct{})}
	if ws.all == nil {
		ws.all = map[*Waiter[S, R]]struct{}{}
	}
	ws.all[w] = struct{}{}
	return w
}

// Leave gives a wait up. It has no effect on one that is over.
func (ws *Waiters[S, R]) Leave(w *Waiter[S, R]) { delete(ws.all, w) }

// Again has all of them wait for something since a later moment.
func (ws *Waiters[S, R]) Again(since S) {
	for w := range ws.all {
		w.Since = since
	}
}

// End ends the waits that are over, each with its result.
func (ws *Waiters[S, R]) End(over func(since S) bool, result func() R) {
	for w := range ws.all {
		if over(w.Since) {
			w.result = result()
			delete(ws.all, w)
			close(w.done)
		}
	}
}
