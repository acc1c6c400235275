package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// waitSelected waits until the labels are known as of an instant after the call: of protected
// objects, and of the members of sweeps. It returns the moment of the call. Without a rule by
// labels it waits for nothing.
func (c *Collector) waitSelected(ctx context.Context) (at seq.Stamp, err error) {
	var w *observedWait
	c.locked(func(e engine.Driver, now time.Time) {
		at = e.Mark(now)
		if !e.TrySelect(at) {
			w = c.selected.Join(at)
		}
	})
	if w == nil {
		return at, nil
	}
	c.wake()
	defer c.locked(func(engine.Driver, time.Time) { c.selected.Leave(w) })
	select {
	case <-w.Done():
		return at, nil
	case <-c.ended:
		return at, ErrClosed
	case <-ctx.Done():
		return at, fmt.Errorf("wait for selections by labels: %w", context.Cause(ctx))
	}
}

// letSelectedGo ends the waits for labels that are over. It reports whether others go on.
func (c *Collector) letSelectedGo() bool {
	if c.selected.Len() == 0 {
		return false
	}
	c.selected.End(c.engine.TrySelect, func() struct{} { return struct{}{} })
	return c.selected.Len() > 0
}
