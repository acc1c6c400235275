package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Retiring has the calls that take finalizers off objects. Patch is under the object's UID and version.
type Retiring struct {
	Patch func(ctx context.Context, o graph.Object, change graph.Change) error
	Read  func(ctx context.Context, key graph.Key) (graph.Object, error)
	// Tries bounds the writes after the first one that are in conflict.
	Tries int
}

// Retire takes finalizers off one object. It returns false for a marked root with hold, because that would approve its
// cascade. The error names the object.
//
//test:by ownergraph.TestRetire
func (r Retiring) Retire(ctx context.Context, o graph.Object, names []string) (bool, error) {
	for _, name := range names {
		for try := 0; o.HasFinalizer(name); try++ {
			if o.Deleting && graph.IsGuardFinalizer(name) && o.HasFinalizer(graph.FinalizerHold) {
				return false, nil
			}
			err := r.Patch(ctx, o, graph.Change{DropFinalizer: name})
			switch {
			case errors.Is(err, graph.ErrNotFound):
				return true, nil
			case err != nil && (!errors.Is(err, graph.ErrConflict) || try == r.Tries):
				return false, fmt.Errorf("%s: %w", o.Key, err)
			}
			now, err := r.Read(ctx, o.Key)
			switch {
			case errors.Is(err, graph.ErrNotFound) || err == nil && now.UID != o.UID:
				return true, nil
			case err != nil:
				return false, fmt.Errorf("%s: %w", o.Key, err)
			}
			o = now
		}
	}
	return true, nil
}
