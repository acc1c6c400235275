package draft

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// ErrNoContext is the error for a nil context.
var ErrNoContext = fmt.Errorf("plan: context: nil: %w", graph.ErrInvalid)

// maxTargets bounds the targets of one request.
const maxTargets = 10_000

// CheckRequest returns a copy of a sound request. An error wraps graph.ErrInvalid
// and names the field.
func CheckRequest(ctx context.Context, req plan.Request) (plan.Request, error) {
	bad := func(field string, i int, cause string) error {
		return fmt.Errorf("plan: %s[%d]: %s: %w", field, i, cause, graph.ErrInvalid)
	}
	switch {
	case ctx == nil:
		return req, ErrNoContext
	case req.Limit < 0:
		return req, fmt.Errorf("plan: Limit: negative: %w", graph.ErrInvalid)
	case len(req.Delete) > maxTargets:
		return req, fmt.Errorf("plan: Delete: %d objects, more than %d: %w", len(req.Delete), maxTargets, graph.ErrInvalid)
	}
	seen := make(map[graph.Key]bool, len(req.Delete))
	req.Delete, req.Removed, req.Failing = slices.Clone(req.Delete), slices.Clone(req.Removed), slices.Clone(req.Failing)
	for i, t := range req.Delete {
		switch {
		case t.Key.Kind == "" || t.Key.Name == "":
			return req, bad("Delete", i, "the key has no kind or no name")
		case t.Propagation > graph.Orphan:
			return req, bad("Delete", i, fmt.Sprintf("propagation %s", t.Propagation))
		case seen[t.Key]:
			return req, bad("Delete", i, t.Key.String()+": twice")
		}
		seen[t.Key] = true
	}
	for i, name := range req.Removed {
		if name == graph.FinalizerForeground || name == graph.FinalizerOrphan || name == "" || graph.IsGuardFinalizer(name) {
			return req, bad("Removed", i, fmt.Sprintf("%q is no foreign finalizer", name))
		}
	}
	if i := slices.Index(req.Failing, ""); i >= 0 {
		return req, bad("Failing", i, "empty")
	}
	return req, nil
}
