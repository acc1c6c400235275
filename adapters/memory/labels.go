package memory

import (
	"context"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// Label replaces the labels of the object at key's coordinates, if pre is met, and
// returns the object with its new version. Equal labels change nothing. A new object
// has no labels, and the labels go when the object is removed.
//
// Errors:
//   - ErrKindUnknown, ErrNotFound.
//   - ErrConflict if pre is not met.
//   - ErrRefused and ErrInvalid for more than 256 labels, or for a label or value that
//     Kubernetes does not allow.
//
//test:by internal/replica.TestLabel
func (s *Store) Label(ctx context.Context, key graph.Key, pre graph.Precondition, labels map[string]string) (graph.Object, error) {
	return s.write(ctx, func() (replica.Commit, error) { return s.state.Label(key, pre, labels) })
}

// Select returns a page of the objects of a kind whose labels match, in order of their
// keys (ownergraph.LabelSelector). Errors: ErrKindUnknown, ErrRefused and
// ErrInvalid for an invalid selector or page.
//
//test:by TestSelectPages
func (s *Store) Select(ctx context.Context, q ownergraph.SelectRequest) (ownergraph.SelectPage, error) {
	if err := ctx.Err(); err != nil {
		return ownergraph.SelectPage{}, err
	}
	matches, err := s.view().Select(q.Kind, q.Selector, q.After)
	if err != nil {
		return ownergraph.SelectPage{}, err
	}
	var out ownergraph.SelectPage
	for m := range matches {
		if q.Limit > 0 && len(out.Objects) == q.Limit {
			out.More = out.Objects[q.Limit-1].Key.String()
			break
		}
		out.Objects = append(out.Objects, graph.LabelMatch{Key: m.Key, Version: m.Version, Value: m.Labels[q.Label]})
	}
	return out, nil
}
