package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/run"
)

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
	switch {
	case err == nil:
		return at, nil
	case err == ErrClosed:
		return at, err
	}
	return at, fmt.Errorf("wait for selections by labels: %w", err)
}
