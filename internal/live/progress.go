package live

import (
	"context"
	"errors"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// progressEvery is the time between two samples of the progress. The display shows some
// of them.
const progressEvery = 100 * time.Millisecond

// Since returns the difference between two states of a collector.
func Since(base, now ownergraph.Stats) terminal.Progress {
	return terminal.Progress{
		Gone:   now.Gone - base.Gone,
		Held:   uint64(now.Held() + now.ByStatus[ownergraph.StatusBlocked]),
		Reads:  now.Calls[ownergraph.CallRead] - base.Calls[ownergraph.CallRead],
		Writes: now.Calls[ownergraph.CallDelete] + now.Calls[ownergraph.CallPatch] - base.Calls[ownergraph.CallDelete] - base.Calls[ownergraph.CallPatch],
		Fences: now.Calls[ownergraph.CallFence] - base.Calls[ownergraph.CallFence],
	}
}

// Waiter waits until no work is left, and returns the held objects.
type Waiter func(ctx context.Context) ([]ownergraph.Held, error)

// Watch waits until the collector is idle, and shows the progress since began
// meanwhile and at the end.
func Watch(ctx context.Context, out *terminal.Output, began time.Time, wait Waiter, now func() terminal.Progress) ([]ownergraph.Held, error) {
	line := out.Line(began)
	var holds []ownergraph.Held
	done := make(chan error)
	go func() {
		var err error
		holds, err = wait(ctx)
		done <- err
	}()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case at := <-tick.C:
			p := now()
			p.Held = 0 // a waiting object need not be held at the end
			p.Elapsed = at.Sub(began)
			line.Update(at, p)
		case err := <-done:
			p := now()
			if err != nil {
				p.Held = 0
			}
			p.Elapsed = time.Since(began)
			return holds, errors.Join(err, line.End(p))
		}
	}
}
