package ownergraph

import (
	"context"

	"github.com/ownergraph/ownergraph/finalizer"
)

// bare returns what a run of a handler failed with, without the names of the
// finalizer and the object: logs and Held give them already. A handler that only says
// that its context has ended is said to be late, if it is.
func bare(ctx context.Context, err error) error {
	run, ok := err.(*finalizer.RunError)
	if !ok {
		return err
	}
	if run.Err == ctx.Err() {
		return context.Cause(ctx)
	}
	return run.Err
}
