package run

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// constrainer is ownergraph.Constrainer.
type constrainer interface {
	Constraints(ctx context.Context) ([]graph.Constraint, error)
}

// ReadConstraints asks a store for the rules of its database, for a time. The text says why they
// are not known. A panic of the store is such a cause.
//
//test:by ownergraph.TestPlanConstraintsUnread
func ReadConstraints(ctx context.Context, store constrainer, within time.Duration) (list []graph.Constraint, unread string) {
	defer func() {
		if v := recover(); v != nil {
			list, unread = nil, fmt.Sprintf("panic: %v", v)
		}
	}()
	ctx, end := context.WithTimeout(ctx, within)
	defer end()
	list, err := store.Constraints(ctx)
	if err != nil {
		return nil, err.Error()
	}
	return list, ""
}
