package live

import (
	"context"
	"errors"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

// progressEvery is the time between two samples of the progress. The display shows some
// of them.
const progressEvery = 100 * time.Millisecond

// Since returns the difference between two states of a collector.
func Since(base, now engine.Stats) terminal.Progress {
	return terminal.Progress{
		Gone: now.Gone - base.Gone,
		Held: uint64(now.Held()), Blocked: uint64(now.ByStatus.Of(engine.StatusBlocked)),
		Reads:  now.Calls.Of(engine.CallRead) - base.Calls.Of(engine.CallRead),
		Writes: now.Calls.Of(engine.CallDelete) + now.Calls.Of(engine.CallPatch) - base.Calls.Of(engine.CallDelete) - base.Calls.Of(engine.CallPatch),
		Fences: now.Calls.Of(engine.CallFence) - base.Calls.Of(engine.CallFence),
	}
}

// Waiter waits until no work is left, and returns the held objects.
type Waiter func(ctx context.Context) ([]engine.Held, error)

// Watch waits until the collector is idle, and shows the progress since began
// meanwhile and at the end.
func Watch(ctx context.Context, out *terminal.Output, began time.Time, wait Waiter, now func() terminal.Progress) ([]engine.Held, error) {
	line := out.Line(began)
	var held []engine.Held
	done := make(chan error)
	go func() {
		var err error
		held, err = wait(ctx)
		done <- err
	}()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case at := <-tick.C:
			p := now()
			p.Held, p.Blocked = 0, 0 // a waiting object need not be held at the end
			p.Elapsed = at.Sub(began)
			line.Update(at, p)
		case err := <-done:
			p := now()
			if err != nil {
				p.Held, p.Blocked = 0, 0
			}
			p.Elapsed = time.Since(began)
			return held, errors.Join(err, line.End(p))
		}
	}
}
