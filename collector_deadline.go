package ownergraph

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// deadline is the context of one call. It is a context.WithTimeoutCause that is
// made when somebody waits for it or asks for its values: a store in the same
// process answers before it has to, and half of what such a call costs was its
// context. From then on all of its methods are that one's.
type deadline struct {
	parent context.Context
	within time.Duration
	at     time.Time

	mu    sync.Mutex
	real  context.Context // nil until it is asked for
	stop  context.CancelFunc
	ended bool
}

func newDeadline(parent context.Context, within time.Duration) *deadline {
	return &deadline{parent: parent, within: within, at: time.Now().Add(within)}
}

// end cancels the context, as the CancelFunc of another one does.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.stop != nil {
		d.stop()
	}
}

func (d *deadline) context() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.real != nil:
	case d.ended: // before its time
		d.real, d.stop = context.WithCancel(d.parent)
		d.stop()
	default:
		d.real, d.stop = context.WithDeadlineCause(d.parent, d.at, late(d.within))
	}
	return d.real
}

func (d *deadline) Deadline() (time.Time, bool) {
	if at, ok := d.parent.Deadline(); ok && at.Before(d.at) {
		return at, true
	}
	return d.at, true
}

// String is what all contexts of the standard library have: without it, printing one
// would read what is guarded.
func (d *deadline) String() string { return fmt.Sprintf("%v.WithTimeout(%v)", d.parent, d.within) }

func (d *deadline) Done() <-chan struct{} { return d.context().Done() }

func (d *deadline) Value(key any) any { return d.context().Value(key) }

// Err does not make the context while there is nothing to say.
func (d *deadline) Err() error {
	d.mu.Lock()
	open := d.real == nil && !d.ended && d.parent.Err() == nil && time.Now().Before(d.at)
	d.mu.Unlock()
	if open {
		return nil
	}
	return d.context().Err()
}
