package run

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Late is the cause of the end of a call by its timeout. It wraps
// context.DeadlineExceeded.
type Late time.Duration

// Error says how long the call has taken.
func (l Late) Error() string { return fmt.Sprintf("no answer within %v", time.Duration(l)) }

// Unwrap returns context.DeadlineExceeded.
func (Late) Unwrap() error { return context.DeadlineExceeded }

// Deadline is the context of one call. It is a context.WithTimeoutCause that is made
// when the call waits for it or asks for its values. A store in the same process
// answers before that, and its context was half of the cost of such a call. From
// then on all methods are those of the real context. Use NewDeadline.
//
//test:by TestDeadline TestDeadlineOfParent TestDeadlineBegins
type Deadline struct {
	parent context.Context
	within time.Duration

	mu    sync.Mutex
	at    time.Time
	begun bool            // by BeginCall
	real  context.Context // nil until it is asked for
	stop  context.CancelFunc
	ended bool
}

// NewDeadline returns a context that ends with its parent, or after a time with Late
// as its cause. The caller ends it by End.
func NewDeadline(parent context.Context, within time.Duration) *Deadline {
	return &Deadline{parent: parent, within: within, at: time.Now().Add(within)}
}

// End cancels the context, as a CancelFunc does.
func (d *Deadline) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.stop != nil {
		d.stop()
	}
}

// deadlineKey is the key under which a Deadline is a value of the contexts made of it.
type deadlineKey struct{}

// BeginCall begins the timeout of a call anew, once. A store calls it when a call that waited for
// others gets its turn. It reports whether ctx is a Deadline, or is made of one. A context that has
// ended stays so. The contexts that were made of it before with an end of their own keep the former
// end.
func BeginCall(ctx context.Context) bool {
	d, ok := ctx.Value(deadlineKey{}).(*Deadline)
	if ok && d.Err() == nil {
		d.begin()
	}
	return ok
}

func (d *Deadline) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begun || d.ended {
		return
	}
	d.begun, d.at = true, time.Now().Add(d.within)
	if first := d.stop; first != nil {
		real, stop := context.WithDeadlineCause(d.parent, d.at, Late(d.within))
		d.real, d.stop = real, func() { first(); stop() }
	}
}

func (d *Deadline) context() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.real != nil:
	case d.ended: // before its time
		d.real, d.stop = context.WithCancel(d.parent)
		d.stop()
	default:
		d.real, d.stop = context.WithDeadlineCause(d.parent, d.at, Late(d.within))
	}
	return d.real
}

// Deadline returns the earlier of the call's own deadline and the parent's.
func (d *Deadline) Deadline() (time.Time, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, ok := d.parent.Deadline(); ok && at.Before(d.at) {
		return at, true
	}
	return d.at, true
}

// String names the context as those of the standard library do. Without it, printing
// the context would read guarded fields.
func (d *Deadline) String() string { return fmt.Sprintf("%v.WithTimeout(%v)", d.parent, d.within) }

// Done returns the channel of the real context.
func (d *Deadline) Done() <-chan struct{} { return d.context().Done() }

// Value returns a value of the real context, or the Deadline itself for BeginCall.
func (d *Deadline) Value(key any) any {
	if key == (deadlineKey{}) {
		return d
	}
	return d.context().Value(key)
}

// Err returns the error of the context. While the context has not ended it does not make
// the real one.
func (d *Deadline) Err() error {
	d.mu.Lock()
	open := d.real == nil && !d.ended && d.parent.Err() == nil && time.Now().Before(d.at)
	d.mu.Unlock()
	if open {
		return nil
	}
	return d.context().Err()
}
