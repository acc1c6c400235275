package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/policy"
)

// sync returns this moment, and sees to it that everything that was committed
// before it comes to be observed: a fence is wanted that begins after it.
func (e *Engine) sync(now time.Time) policy.Stamp {
	e.tick(now)
	t := e.next()
	if e.level >= Level2 {
		e.wantFence(t)
	}
	return t
}

// synced reports whether a fence that began after the moment has passed, as far
// as kinds are well: what holds it otherwise is for the outside to mend. Without
// fences that cannot be told, and is taken to be so.
func (e *Engine) synced(t policy.Stamp) bool {
	f := &e.fence
	return e.level < Level2 || f.passed > t || f.id != 0 && f.began > t && e.fenceHeld()
}
