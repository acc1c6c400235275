// Package run supports the Collector: prefetched calls and their revision, the context and
// the error of a call, and the handlers of finalizers. It has the Collector's own state
// machines, too: the runs of the watch, the pause between them, the callers that wait, and
// the lines of the log. It knows neither calls nor engines.
package run

import "sync/atomic"

// Revision is a number that its owner raises and that any goroutine may read.
//
// An engine raises its revision in the moment in which it revokes calls. A driver that
// has calls compares the revision before it begins one of them. The number is
// the only part of an engine that a second goroutine reads, so that a worker sees
// the revocation while the engine is still at work. Use NewRevision.
type Revision struct{ number *atomic.Uint64 }

// NewRevision returns a revision that stands at number.
func NewRevision(number uint64) Revision {
	r := Revision{new(atomic.Uint64)}
	r.number.Store(number)
	return r
}

// Raise adds one. Only the owner calls it.
func (r Revision) Raise() { r.number.Add(1) }

// Number returns the number. It is safe for concurrent use.
func (r Revision) Number() uint64 { return r.number.Load() }
