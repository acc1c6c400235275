package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

// ErrOtherShare is the cause of the end of a handler's context. A run that ends with it has not failed.
var ErrOtherShare = errors.New("the object has left the share of this collector")

// Handling has the contexts of the handlers under way. The context of a handler ends when its
// object leaves the share, or the share ends. The zero value has none, and the share is all. It is
// safe for concurrent use.
//
//test:by TestHandling TestHandlingEnds
type Handling struct {
	mu      sync.Mutex
	set     share.Set
	changes int // of the share so far
	timer   *time.Timer
	runs    map[*handling]struct{}
}

// handling is one run of a handler.
type handling struct {
	uid  graph.UID
	stop context.CancelCauseFunc
}

// Run makes a run for an object. Its error is that of Cause, or ErrOtherShare if the run has failed after
// the object left the share.
func (h *Handling) Run(ctx context.Context, uid graph.UID, do func(context.Context) error) error {
	ctx, end := h.begin(ctx, uid)
	defer end()
	err := Cause(ctx, do(ctx))
	if err != nil && hasLeft(ctx) {
		return ErrOtherShare
	}
	return err
}

// begin returns the context of a run for an object. The caller calls end after the run.
func (h *Handling) begin(ctx context.Context, uid graph.UID) (_ context.Context, end func()) {
	ctx, stop := context.WithCancelCause(ctx)
	x := &handling{uid, stop}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runs == nil {
		h.runs = map[*handling]struct{}{}
	}
	h.runs[x] = struct{}{}
	h.check(x)
	return ctx, func() {
		stop(nil)
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.runs, x)
	}
}

// SetShare ends the contexts of the runs for objects of other shares. The set is none from until on,
// unless another SetShare comes before. The zero time is no end.
func (h *Handling) SetShare(set share.Set, until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.set = set
	h.changes++
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
	if at := h.changes; !until.IsZero() {
		h.timer = time.AfterFunc(time.Until(until), func() { h.expire(at) })
	}
	h.checkAll()
}

// expire ends the share that has come with a change, if it is in force.
func (h *Handling) expire(change int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changes == change {
		h.set = share.None()
		h.checkAll()
	}
}

// hasLeft reports whether the context of a run has ended because its object has left the share.
func hasLeft(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrOtherShare) }

func (h *Handling) checkAll() {
	for x := range h.runs {
		h.check(x)
	}
}

func (h *Handling) check(x *handling) {
	if !h.set.Has(x.uid) {
		x.stop(ErrOtherShare)
	}
}
