package measure

import "time"

// Moment is a moment on two clocks: that of the wall, and that of the thread, which
// stands still while the thread does not run. Two moments of one step have to be of one
// thread. See runtime.LockOSThread.
type Moment struct {
	wall   time.Time
	thread time.Duration
}

// Span is the time of one step on both clocks.
type Span struct{ Wall, Thread time.Duration }

// Now returns the present moment.
func Now() Moment {
	thread := threadTime() // first: it is the slower one, and no part of the wall's time
	return Moment{time.Now(), thread}
}

// Span returns the time since a moment.
func (m Moment) Span() Span {
	wall := time.Since(m.wall)
	return Span{wall, threadTime() - m.thread}
}

// Sub returns the time since an earlier moment.
func (m Moment) Sub(before Moment) Span {
	return Span{m.wall.Sub(before.wall), m.thread - before.thread}
}
