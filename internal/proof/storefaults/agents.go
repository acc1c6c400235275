package main

import (
	"context"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// hasGrace reports whether the foreground deletions of a round have grace periods.
func hasGrace(seed uint64) bool { return seed%4 < 2 }

// agents end the grace periods of objects until stop is closed. The rest of the round ends those that
// are left.
func (r *round) agents(ctx context.Context, stop <-chan struct{}) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if objects, err := r.site.objects(ctx); err == nil {
			r.user.endPeriods(ctx, objects)
		}
		select {
		case <-stop:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// endPeriods ends the grace periods of marked objects. The history of users
// has no such call: a mark without a cause stays a breach. A call that fails comes again.
func (u *crowd) endPeriods(ctx context.Context, objects []graph.Object) {
	for _, o := range objects {
		if !o.Deleting || o.GraceSeconds == 0 {
			continue
		}
		one, cancel := context.WithTimeout(ctx, u.timeout)
		_ = u.store.Delete(one, o.Key, graph.DeleteOptions{Precondition: graph.Precondition{UID: o.UID}, GraceSeconds: new(int64)})
		cancel()
	}
}
