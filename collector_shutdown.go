package ownergraph

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// shutDown gives the prefetched calls back and waits for everything under way, for
// Config.ShutdownTimeout at most.
func (c *Collector) shutDown() error {
	c.locked(func(_ *Engine, now time.Time) { c.giveBack(now) })
	done := make(chan struct{})
	go func() {
		c.work.Wait()
		close(done)
	}()
	limit := time.NewTimer(c.cfg.ShutdownTimeout)
	defer limit.Stop()
	select {
	case <-done:
		return nil
	case <-limit.C:
		return c.leaveBehind()
	}
}

// leaveBehind drops the results of the calls that are still under way, and names the
// calls.
func (c *Collector) leaveBehind() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = true
	names := c.engine.underWay()
	if c.watch != nil {
		names = append(names, "watch")
	}
	slices.Sort(names)
	return fmt.Errorf("stop collector: %s: %w", strings.Join(names[:min(len(names), maxNamed)], ", "), ErrStuck)
}
