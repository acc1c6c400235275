package forecast

import (
	"context"

	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/plan"
)

// A verdict counts the objects that go because its root goes. So it comes from the plan of that
// root alone, and leaves out the objects that go without the deletion, too.

// findVerdicts judges each guarded target of a request, once the forecast has come to rest. With
// several targets each one has a plan of its own, on its part of the copy: an object that goes
// only with two of them counts for neither, and one that goes with each of them counts for each.
//
//test:by ownergraph.TestVerdictOfEachTarget ownergraph.TestVerdictBesideTargets
func (f *forecast) findVerdicts(ctx context.Context) error {
	for _, t := range f.req.Delete {
		i, _ := f.links.index.Of(t.Key) // findTargets has found it
		if !f.judged(i) {
			continue
		}
		g, at := f, i
		if len(f.req.Delete) > 1 {
			var err error
			if g, err = f.alone(ctx, i, []plan.Target{t}); err != nil {
				return err
			}
			at, _ = g.links.index.Of(t.Key)
		}
		if err := g.findAnyway(ctx, at); err != nil {
			return err
		}
		if v, ok := g.verdict(at, g.mayEnd()); ok {
			f.verdicts = append(f.verdicts, v)
			if g != f && !v.Refused() { // the engine counts for the last target what goes only with all
				all, _ := f.verdict(i, f.mayEnd())
				f.open[t.Key] = all.Refused()
			}
		}
	}
	return nil
}

// judged reports whether the plan has a verdict about a target, or is for an approval of it.
func (f *forecast) judged(target int32) bool {
	g, _ := f.fork.GuardOf(&f.Parts[target].Object)
	return g != nil || f.approving
}

// findAnyway notes the objects below a target that go without its deletion: they were marked
// before. A marked object that goes only after the target counts.
//
//test:by ownergraph.TestVerdictLeavesMarked
func (f *forecast) findAnyway(ctx context.Context, target int32) error {
	marked := false
	below := f.under(target)
	for _, i := range below {
		marked = marked || f.Parts[i].Object.Deleting
	}
	if !marked {
		return nil
	}
	g, err := f.alone(ctx, target, nil)
	if err != nil {
		return err
	}
	possible := g.mayEnd()
	f.anyway = map[int32]bool{}
	for _, i := range below {
		at, ok := g.links.index.Of(f.Parts[i].Object.Key)
		f.anyway[i] = ok && !possible[at] && g.isEnding(at)
	}
	return nil
}

// alone returns the forecast of other deletions on the part of the copy that concerns a target,
// which has come to rest. The target is not judged in it.
func (f *forecast) alone(ctx context.Context, target int32, del []plan.Target) (*forecast, error) {
	req, facts, by := f.req, f.Seed, f.beside
	req.Delete, facts.Parts = del, draft.PartsOf(target, f.Parts, f.links.index, f.links.below, f.links.within)
	if len(del) > 0 || f.nested == nil { // otherwise a root below another one would be judged again and again
		by.nested = draft.NewNested(plan.Target{Key: f.Parts[target].Object.Key})
	}
	g, err := newForecast(f.cfg, req, facts, by)
	if err == nil {
		err = g.run(ctx)
	}
	return g, err
}
