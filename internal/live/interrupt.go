package live

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns a context that the first interrupt of the user ends, so that a run
// ends in order. A second interrupt ends the process. The caller calls stop.
func Interruptible(ctx context.Context) (_ context.Context, stop func()) {
	ctx, end := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	release := context.AfterFunc(ctx, end)
	return ctx, func() { release(); end() }
}
