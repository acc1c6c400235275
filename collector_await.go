package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/run"
)

// Await waits until each object is gone, with all objects that are removed with it, and
// then returns nil. Each key may leave out the UID, as for Follow. Await waits for the
// deletion of an object that is not marked. Objects count that are removed with one which
// went before the call, as for Follow. The cost is in proportion to the keys and the objects,
// and an object below several keys counts once.
//
// On a store of level 2 a fence that began after the last end has passed then. So no object
// that was created below one of them before is left. Below level 2 no client can tell
// whether events are still on the way. Await makes no other request.
//
// The errors are those of Follow. If the context ends, the error wraps the cause. It names
// at most 8 of the objects that are left, each with the cause that holds it and for how
// long, and counts the others.
//
//test:by TestAwait TestAwaitAll TestAwaitFence TestAwaitSaysWhy TestAwaitErrors TestFollowUnderWay
func (c *Collector) Await(ctx context.Context, keys ...Key) error {
	if len(keys) == 0 {
		return fmt.Errorf("await: no key: %w", ErrInvalid)
	}
	x, err := c.beginFollow(ctx, keys...)
	if err != nil {
		return fmt.Errorf("await: %w", err)
	}
	defer c.endFollow(x)
	for {
		if err := c.awaitEnds(ctx, x); err != nil {
			return fmt.Errorf("await: %w", err)
		}
		if err := c.waitObserved(ctx); err != nil {
			if !errors.Is(err, ErrClosed) {
				err = c.stillWaiting(ctx, x)
			}
			return fmt.Errorf("await: %w", err)
		}
		if over, _, err := c.stepAwait(x); err != nil || over { // no object has come meanwhile
			return err
		}
	}
}

// awaitEnds waits until all are gone.
func (c *Collector) awaitEnds(ctx context.Context, x *following) error {
	for {
		over, walked, err := c.stepAwait(x)
		switch {
		case err != nil || over:
			return err
		case ctx.Err() != nil:
			return c.stillWaiting(ctx, x)
		case !walked:
			continue
		}
		if err := c.until(ctx, x.wake); err == ErrClosed {
			return err
		}
	}
}

// stepAwait does a slice of the walk. It reports whether all are gone, and whether the walk
// has ended.
func (c *Collector) stepAwait(x *following) (over, walked bool, err error) {
	c.locked(func(e engine.Driver, _ time.Time) {
		if err = e.Err(); err == nil {
			walked = x.Step(e.FollowView(), followSlice)
			_, over = c.countFollow(x)
		}
	})
	return over, walked, err
}

// waitObserved waits until every commit before the call is observed. The error is ErrClosed, or
// the cause of the context.
func (c *Collector) waitObserved(ctx context.Context) error {
	return c.wait(ctx, &c.observed, c.engine.TryObserve, c.fromNow)
}

// stillWaiting returns the error of a wait whose context has ended.
func (c *Collector) stillWaiting(ctx context.Context, x *following) error {
	var why []string
	c.locked(func(e engine.Driver, now time.Time) {
		for _, id := range x.Sample(e.FollowView(), run.MaxNames, true) {
			why = append(why, e.WhyLeft(id, now))
		}
		if left := x.Counts(e.FollowView()).Left; left > len(why) {
			why = append(why, fmt.Sprintf("%d more", left-len(why)))
		}
		why = append(why, c.waitsFor(now)...)
	})
	if len(why) == 0 {
		why = []string{"the fence of this call"}
	}
	return fmt.Errorf("still waiting for: %s: %w", strings.Join(why, ", "), context.Cause(ctx))
}

// waitSelected waits until the labels are known as of an instant after the call: of protected
// objects, and of the members of sweeps. It returns the moment of the call. Without a rule by
// labels it waits for nothing.
func (c *Collector) waitSelected(ctx context.Context) (at seq.Stamp, err error) {
	err = c.wait(ctx, &c.selected, c.engine.TrySelect, func(w *run.Waiter, now time.Time) {
		at = c.engine.Mark(now)
		if w.Since = at; !c.selected.Try(w) {
			c.wake()
		}
	})
	if err == nil || err == ErrClosed {
		return at, err
	}
	return at, fmt.Errorf("wait for selections by labels: %w", err)
}
