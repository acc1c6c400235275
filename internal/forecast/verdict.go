package forecast

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/internal/core/garbage"
	"github.com/ownergraph/ownergraph/internal/core/guards"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/draft"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// Judge returns the verdict that a CallJudge asks for, from a copy of the engine's state: see
// ownergraph.Judge. It changes nothing.
func Judge(ctx context.Context, e engine.Driver, c *engine.Call) (plan.Verdict, error) {
	if c.Type != engine.CallJudge {
		return plan.Verdict{}, fmt.Errorf("judge %s: Type: the call is a %s: %w", c, c.Type, graph.ErrInvalid)
	}
	if !e.IsObserved(c.Key) {
		return plan.Verdict{}, fmt.Errorf("judge %s: Key: not observed: %w", seed.PlaceText(c.Key), graph.ErrNotFound)
	}
	return judge(ctx, e, c.Key, draft.NewNested(plan.Target{Key: c.Key}))
}

// judge is Judge for a key, inside of other judgements.
func judge(ctx context.Context, e engine.Driver, root graph.Key, in *draft.Nested) (plan.Verdict, error) {
	c, s, err := copyAtOnce(e, e.Now(), plan.Request{Delete: []plan.Target{{Key: root}}})
	if err != nil {
		return plan.Verdict{}, err
	}
	return verdict(ctx, e.Settings(), c, s, in)
}

// Verdict returns the verdict about the only target of an ended copy. It needs no lock.
func Verdict(ctx context.Context, cfg engine.Config, c *seed.Copy, s seed.Seed) (plan.Verdict, error) {
	return verdict(ctx, cfg, c, s, draft.NewNested(plan.Target{Key: c.Request().Delete[0].Key}))
}

func verdict(ctx context.Context, cfg engine.Config, c *seed.Copy, s seed.Seed, in *draft.Nested) (v plan.Verdict, err error) {
	root := c.Request().Delete[0].Key
	defer run.CatchFunction(&err, "judge "+root.String())
	f, err := begin(ctx, cfg, c, s, beside{nested: in})
	if err != nil {
		return plan.Verdict{}, err
	}
	i, _ := f.links.index.Of(root) // newForecast has found it
	if err := f.findAnyway(ctx, i); err != nil {
		return plan.Verdict{}, err
	}
	v, ok := f.verdict(i, f.mayEnd())
	switch {
	case !ok:
		err = fmt.Errorf("judge %s: Guards: none selects it, or it has passed: %w", v.Root, graph.ErrInvalid)
	case f.Torn:
		err = fmt.Errorf("judge %s: the objects kept changing during the copy", v.Root)
	case v.Always || len(v.Protected)+len(v.Restricted) > 0 || v.Above && v.Ends > v.Limit || f.isCut(): // refused, whatever is unknown
	case f.unselected():
		maps.Copy(in.Labels, f.waits[plan.LabelsUnknown])
		err = fmt.Errorf("judge %s: %w", v.Root, guards.ErrUnselected)
	case (v.Above || f.asksProtected(i)) && f.unlabelled(i):
		err = fmt.Errorf("judge %s: %w", v.Root, guards.ErrUnlabelled)
	}
	return v, err
}

// unselected reports whether members of sweeps are missing, here or below a nested root.
func (f *forecast) unselected() bool {
	return len(f.waits[plan.LabelsUnknown]) > 0 || f.nested != nil && len(f.nested.Labels) > 0
}

// asksProtected reports whether the guard of the target refuses protected objects.
func (f *forecast) asksProtected(target int32) bool {
	g, _ := f.fork.GuardOf(&f.Parts[target].Object)
	return g.Protected
}

// unlabelled reports whether labels may protect an object below the target, and no selection has
// told. Then the objects that go are not counted either.
func (f *forecast) unlabelled(target int32) bool {
	if f.nested != nil && f.nested.Unlabelled {
		return true
	}
	return slices.ContainsFunc(f.under(target), func(i int32) bool { return f.reasonOf(i) == policy.ProtectionUnknown })
}

// verdict returns the verdict about a target of the forecast, if a guard selects it.
func (f *forecast) verdict(target int32, possible []bool) (plan.Verdict, bool) {
	was := &f.Parts[target].Object
	g, name := f.fork.GuardOf(was)
	if g == nil || was.Deleting && !was.HasFinalizer(graph.FinalizerHold) { // it has passed, or was never guarded
		return plan.Verdict{Root: was.Key}, false
	}
	v := plan.Verdict{Root: was.Key, Guard: name, Always: g.Always, Unknown: f.unselected() || f.isCut()}
	if g.Above != nil {
		v.Above, v.Limit = true, *g.Above
	}
	below, ends := f.endings(target, possible)
	for _, i := range below {
		if g.Protected && (f.reasonOf(i) == policy.Protected || f.meetsLater(i, target, ends) || f.losesProtected(i)) {
			v.Protected = append(v.Protected, f.Parts[i].Object.Key)
		}
	}
	for _, i := range append(below, target) {
		if f.isRestricted(i, target, ends) {
			v.Restricted = append(v.Restricted, f.Parts[i].Object.Key)
		}
	}
	v.Ends = f.count(below, ends)
	v.Protected, v.ProtectedMore = firstKeys(v.Protected)
	v.Restricted, v.RestrictedMore = firstKeys(v.Restricted)
	return v, true
}

// firstKeys returns the first keys in order, and the number of the others.
func firstKeys(keys []graph.Key) (first []graph.Key, more int) {
	slices.SortFunc(keys, graph.Key.Compare)
	n := min(len(keys), run.MaxNames)
	return keys[:n:n], len(keys) - n
}

// isRestricted reports whether another object withholds the end of a part that has to go, now or
// after its owners (RULES, E4).
func (f *forecast) isRestricted(i, target int32, ends []bool) bool {
	if f.reasonOf(i) == policy.Restricted {
		return true
	}
	n, ok := f.fork.Node(f.Parts[i].Object.Key)
	return ok && i != target && n.Restricted() && f.losesOwners(i, target, ends)
}

// ending counts the objects below the target that go because it goes.
func (f *forecast) ending(target int32, possible []bool) int {
	return f.count(f.endings(target, possible))
}

// count counts the objects that end. It leaves out those that go without the target's deletion,
// see findAnyway and waitsForOthers.
func (f *forecast) count(below []int32, ends []bool) (n int) {
	for _, i := range below {
		if ends[i] && !f.anyway[i] && !f.waitsForOthers(i) {
			n++
		}
	}
	return n
}

// waitsForOthers reports whether a part was marked before, and has finalizers of others alone. Its
// end then waits for them and for no object, so a deletion in the foreground or not is the same for
// it.
func (f *forecast) waitsForOthers(i int32) bool {
	o := &f.Parts[i].Object
	return o.Deleting && len(o.Finalizers) > 0 && !slices.ContainsFunc(o.Finalizers, func(name string) bool {
		return !f.stays(name) && !slices.Contains(f.req.Removed, name)
	})
}

// endings returns the parts below the target, and which of them leave the store, get a mark, or may
// do so. A foreign finalizer keeps an owner in the forecast, and its dependents with it. They go
// once it is off, without another verdict, so they end too.
//
//test:by ownergraph.TestGuardCountsBehindFinalizers TestEndLater
func (f *forecast) endings(target int32, possible []bool) (below []int32, ends []bool) {
	below, ends = f.under(target), make([]bool, len(f.Parts))
	ends[target] = true
	for _, i := range below {
		ends[i] = possible[i] && !f.isKept(i) || f.isEnding(i)
	}
	draft.EndLater(below, ends, draft.Later{
		May:     f.mayEndLater,
		Keepers: func(i int32) iter.Seq2[int32, bool] { return f.keepers(i, target, ends) },
		Alone:   func(i int32) iter.Seq[int32] { return f.cascadeOwners(i, target) },
	})
	return below, ends
}

// mayEndLater reports whether an unmarked part goes once its owners have gone. A part that was
// marked before goes without them.
func (f *forecast) mayEndLater(i int32) bool {
	return f.isOwned(i) && !f.isKept(i) && f.rule(i) == "" && !f.isFlawed(f.Parts[i].Object.Key)
}

// isOwned reports whether an unmarked part still has a reference that may delete it.
func (f *forecast) isOwned(i int32) bool {
	o, ok := f.store.At(f.Parts[i].Object.Key)
	return ok && !f.Parts[i].Object.Deleting && slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return garbage.Counts(r.OnDelete) })
}

// losesProtected reports whether the actor of a container ends a protected part. The engine ends
// none.
func (f *forecast) losesProtected(i int32) bool {
	return f.contents.ContainerOf(i) >= 0 && f.isEnding(i) && f.rule(i) != ""
}

// meetsLater reports whether a protected part stays after owners that end.
func (f *forecast) meetsLater(i, target int32, ends []bool) bool {
	return f.rule(i) != "" && f.losesOwners(i, target, ends)
}

// losesOwners reports whether each owner of an unmarked part ends that is left, or the owner of a
// cascade reference.
func (f *forecast) losesOwners(i, target int32, ends []bool) bool {
	for owner := range f.cascadeOwners(i, target) {
		if ends[owner] {
			return f.isOwned(i)
		}
	}
	for range f.keepers(i, target, ends) {
		return false
	}
	return f.isOwned(i)
}

// cascadeOwners yields the owners whose end alone ends a part, as far as they are there. One that
// orphans, or whose mark is held, ends no object.
func (f *forecast) cascadeOwners(i, target int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		o, _ := f.store.At(f.Parts[i].Object.Key)
		for _, r := range o.Owners {
			if r.OnDelete != graph.OnDeleteCascade {
				continue
			}
			if at, ok := f.links.index.OwnerOf(i, &r, f.links.below); ok {
				if _, lives := f.store.At(f.Parts[at].Object.Key); lives && !f.keepsForGood(at, target) && !yield(at) {
					return
				}
			}
		}
	}
}

// keepsForGood reports whether an owner keeps its dependents under each verdict: its mark is held, or
// it orphans. That of the target counts as passed.
func (f *forecast) keepsForGood(owner, target int32) bool {
	o, _ := f.store.At(f.Parts[owner].Object.Key)
	return o.MarkWithheld() && owner != target || o.Propagation() == graph.Orphan
}

// keepers yields the owners of unset references that keep a part, and whether each does so for good. An
// owner whose mark is held needs an approval of its own, and an orphaning one ends no object. Another one
// keeps the part until it ends. So does a target that is protected: it passes no other verdict. A part
// without an unset reference keeps itself: its cascade owners alone end it.
func (f *forecast) keepers(i, target int32, ends []bool) iter.Seq2[int32, bool] {
	return func(yield func(int32, bool) bool) {
		o, _ := f.store.At(f.Parts[i].Object.Key)
		counted := false
		for _, r := range o.Owners {
			if r.OnDelete != graph.OnDeleteUnset {
				continue
			}
			counted = true
			at, ok := f.links.index.OwnerOf(i, &r, f.links.below)
			if !ok {
				continue
			}
			_, lives := f.store.At(f.Parts[at].Object.Key)
			good := f.keepsForGood(at, target)
			if lives && (good || !ends[at]) && !yield(at, good) {
				return
			}
		}
		if !counted && len(o.Owners) > 0 {
			yield(i, true)
		}
	}
}

// under returns the objects below the target. An owner that is being deleted, and the other
// objects below it, are members of the plan. The deletion of the target ends none of them.
func (f *forecast) under(target int32) (out []int32) {
	seen, todo := make([]bool, len(f.Parts)), []int32{target}
	seen[target] = true
	for at := 0; at < len(todo); at++ {
		for _, i := range f.links.goWith(todo[at]) {
			if seen[i] {
				continue
			}
			seen[i], todo = true, append(todo, i)
			if f.Parts[i].Member && f.Parts[i].State == excerpt.Exists {
				out = append(out, i)
			}
		}
	}
	return out
}

// reasonOf returns the last reason of the fork about a part.
func (f *forecast) reasonOf(i int32) policy.Reason { return f.fork.ReasonOf(f.Parts[i].Object.Key) }

// isEnding reports whether the forecast has removed a part, or marked it.
func (f *forecast) isEnding(i int32) bool {
	was := &f.Parts[i].Object
	now, stays := f.store.At(was.Key)
	return !stays || now.Deleting && !was.Deleting
}

// pass takes the guard's hold off a target, as if its guard had passed. With phases, or a grace period
// that passes on, the deletion is repeated in the foreground before. A root that no guard selects stays held, except
// in the plan of an approval.
//
//test:by ownergraph.TestPlanGuardMissing ownergraph.TestApproveGuardMissing
func (f *forecast) pass(k graph.Key) {
	now, ok := f.store.At(k)
	if !ok || !now.Deleting || !now.HasFinalizer(graph.FinalizerHold) {
		return
	}
	g, _ := f.fork.GuardOf(&now)
	if g == nil && !f.approving {
		return
	}
	f.cost.Fences++ // that of the judgement
	if again, repeats := f.fork.Again(&now); repeats {
		out, err := f.store.Delete(k, graph.DeleteOptions{Propagation: again.Propagation, GraceSeconds: again.GraceSeconds})
		if err != nil {
			return
		}
		f.guardStep(plan.Step{Action: again.Action, Reason: again.Reason, Propagation: again.Propagation}, k, out)
	}
	out, err := f.store.Patch(k, graph.Precondition{}, graph.Change{DropFinalizer: graph.FinalizerHold})
	if err != nil {
		return
	}
	f.guardStep(plan.Step{Action: policy.Release, Reason: policy.VerdictPassed, Finalizer: graph.FinalizerHold}, k, out)
	f.others(out)
}

// guardStep notes a write of the guard to a target, and shows it to the fork.
func (f *forecast) guardStep(s plan.Step, k graph.Key, out finalizer.Outcome) {
	f.cost.Writes++
	s.Actor, s.Key, s.Removes = plan.Engine, k, out.Effect == finalizer.Removed
	f.addStep(s, f.links.own(k))
	f.report(out)
}
