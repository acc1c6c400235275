package ownergraph

import (
	"context"
	"errors"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
)

// nested has the verdicts of one judgement, or of one plan, and of all guarded roots below. Each
// root is planned once.
type nested struct {
	verdicts   map[Key]plan.Verdict
	judging    map[Key]bool
	plans      int  // made so far
	begun      bool // a verdict was asked for
	cut        bool // a root was not planned, because there are too many
	unselected bool // a plan below lacks members of sweeps
	unlabelled bool // a plan below lacks labels that may protect
}

func newNested(roots ...Key) *nested {
	n := &nested{verdicts: map[Key]plan.Verdict{}, judging: map[Key]bool{}}
	for _, k := range roots {
		n.judging[k] = true
	}
	return n
}

// maxNested bounds the plans of guarded roots in one judgement. Each of them is as large as the
// judgement itself, and n marked roots over the same objects need n judgements.
const maxNested = 64

// judge answers the judgement of a guarded root below a target. A root that is below itself counts
// as refused. From one root too many on, all count as refused, and so does the target: the
// objects that go are not known.
//
// Held by TestNestedRoots, TestManyNestedRoots, TestTooManyNestedRoots and TestManyRootsOneTree.
func (f *forecast) judge(ctx context.Context, root Key) (plan.Verdict, error) {
	if f.nested == nil {
		f.nested = newNested()
		for _, t := range f.req.Delete {
			f.nested.judging[t.Key] = true
		}
	}
	n := f.nested
	if !n.begun { // without a plan, if there are too many from the start
		n.begun, n.cut = true, f.unjudged() > maxNested
	}
	if v, ok := n.verdicts[root]; ok {
		return v, nil
	}
	n.cut = n.cut || !n.judging[root] && n.plans == maxNested
	if n.cut || n.judging[root] {
		return plan.Verdict{Root: root, Unknown: true}, nil
	}
	n.plans++
	n.judging[root] = true
	v, err := f.engine.judge(ctx, root, n)
	delete(n.judging, root)
	switch {
	case errors.Is(err, errUnselected):
		n.unselected, v, err = true, plan.Verdict{Root: root, Unknown: true}, nil
	case errors.Is(err, errUnlabelled):
		n.unlabelled, v, err = true, plan.Verdict{Root: root, Unknown: true}, nil
	}
	if err == nil {
		n.verdicts[root] = v
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
func (f *forecast) isCut() bool { return f.nested != nil && f.nested.cut }
