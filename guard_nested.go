package ownergraph

import (
	"context"
	"errors"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/plan"
)

// judge answers the judgement of a guarded root below a target. A root that is below itself counts
// as refused. If the target has more such roots than the bound, all of them count as refused. So does
// the target, because the objects that go are then unknown.
//
//test:by TestNestedRoots TestManyNestedRoots TestTooManyNestedRoots TestManyRootsOneTree
func (f *forecast) judge(ctx context.Context, root Key) (plan.Verdict, error) {
	if f.nested == nil {
		f.nested = draft.NewNested(f.req.Delete...)
	}
	n := f.nested
	if !n.Begun { // without a plan, if there are too many from the start
		n.Begun, n.Cut = true, f.unjudged() > draft.MaxNested
	}
	if v, ended := n.Begin(root); ended {
		return v, nil
	}
	v, err := f.engine.judge(ctx, root, n)
	missing := errors.Is(err, errUnselected) || errors.Is(err, errUnlabelled)
	n.Unlabelled = n.Unlabelled || errors.Is(err, errUnlabelled)
	if v = n.End(root, v, missing, err == nil); missing {
		err = nil
	}
	return v, err
}

// unjudged counts the marked roots of the copy that wait for a verdict, beside the targets.
func (f *forecast) unjudged() (n int) {
	for i := range f.parts {
		o := &f.parts[i].Object
		if f.target[i] || f.parts[i].State != excerpt.Exists || !o.Deleting || !o.HasFinalizer(graph.FinalizerHold) || !o.HasFinalizer(graph.FinalizerNew) {
			continue
		}
		if g, _ := f.engine.guards.Of(o); g != nil {
			n++
		}
	}
	return n
}

// isCut reports whether a guarded root was not planned, because there are too many. Then the
// forecast takes it as refused, and may lack objects that go.
func (f *forecast) isCut() bool { return f.nested != nil && f.nested.Cut }
