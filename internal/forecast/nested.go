package forecast

import (
	"context"
	"errors"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/plan"
)

// judge answers the judgement of a guarded root below a target. A root that is below itself counts
// as refused. If the target has more such roots than the bound, all of them count as refused. So does
// the target, because the objects that go are then unknown.
//
//test:by ownergraph.TestNestedRoots ownergraph.TestManyNestedRoots ownergraph.TestTooManyNestedRoots ownergraph.TestManyRootsOneTree
func (f *forecast) judge(ctx context.Context, root graph.Key) (plan.Verdict, error) {
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
	v, err := judge(ctx, f.fork.Driver, root, n)
	missing := errors.Is(err, guards.ErrUnselected) || errors.Is(err, guards.ErrUnlabelled)
	n.Unlabelled = n.Unlabelled || errors.Is(err, guards.ErrUnlabelled)
	if v = n.End(root, v, missing, err == nil); missing {
		err = nil
	}
	return v, err
}

// unjudged counts the marked roots of the copy that wait for a verdict, beside the targets.
func (f *forecast) unjudged() (n int) {
	for i := range f.Parts {
		o := &f.Parts[i].Object
		if f.target[i] || f.Parts[i].State != excerpt.Exists || !o.Deleting || !o.HasFinalizer(graph.FinalizerHold) || !o.HasFinalizer(graph.FinalizerNew) {
			continue
		}
		if g, _ := f.fork.GuardOf(o); g != nil {
			n++
		}
	}
	return n
}

// isCut reports whether a guarded root was not planned, because there are too many. Then the
// forecast takes it as refused, and may lack objects that go.
func (f *forecast) isCut() bool { return f.nested != nil && f.nested.Cut }
