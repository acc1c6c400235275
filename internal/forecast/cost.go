package forecast

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
)

// sweepConfig is the declaration of a sweep.
type sweepConfig = guard.Sweep

// varies reports whether the number of writes depends on the order of the writes although
// the ends do not: an object with two owners that go may be trimmed of one of them first.
func (f *forecast) varies() bool {
	for i := range f.Parts {
		if !f.Parts[i].Member {
			continue
		}
		going := 0
		for _, r := range f.Parts[i].Object.Owners {
			if o, ok := f.links.index.Of(r.Key); ok && o != int32(i) && (f.Parts[o].State != excerpt.Exists || f.links.last[o] > 0) {
				going++
			}
		}
		if going > 1 {
			return true
		}
	}
	return f.mayGoEither()
}

// mayGoEither reports whether an object is deleted in the foreground or in the background
// by the order of the writes. Its owner then may end before the delete of the object, and
// a foreground deletion costs a write more.
func (f *forecast) mayGoEither() bool {
	for i := range f.Parts {
		if f.links.last[i] == 0 || len(f.links.dependents[i]) == 0 || f.target[i] {
			continue
		}
		for _, r := range f.Parts[i].Object.Owners {
			if o, ok := f.links.index.Of(r.Key); ok && f.waited[o] && !r.Block {
				return true
			}
		}
	}
	return false
}

// boundCost raises the reads and fences to upper bounds for every order of the writes. Each
// owner that waits may be read for each dependent, and so may the other owners of the
// dependent on a store without fences. Each unknown owner may be read, too. Each mark with a
// propagation may need a fence of its own. So may the sweep of a holder, a verdict, or a read.
//
//test:by ownergraph.TestPlanFencesOfGuards
func (f *forecast) boundCost(c *plan.Cost) {
	for i := range f.Parts {
		switch {
		case f.waited[int32(i)]:
			c.Fences++
			c.Reads += len(f.links.dependents[i])
			for _, d := range f.links.dependents[i] {
				if f.cfg.Level < engine.Level2 {
					c.Reads += len(f.Parts[d].Object.Owners)
				}
			}
		case f.Parts[i].State == excerpt.Unknown:
			c.Fences++
			c.Reads++
		}
		if f.links.last[i] > 0 && f.mayHold(&f.Parts[i].Object) {
			c.Fences++
			c.Reads++
		}
		c.Fences += f.judgements(int32(i))
	}
}

// judgements returns the most fences for the verdict about a part: one for its mark, and
// another one for a mark that is repeated in the foreground. Roots that are judged at one time in
// the forecast share a fence there, and elsewhere may not.
func (f *forecast) judgements(i int32) int {
	g, _ := f.fork.GuardOf(&f.Parts[i].Object)
	_, again := f.fork.Again(&f.Parts[i].Object)
	switch {
	case g == nil || f.links.last[i] == 0:
		return 0
	case again, len(g.Phases) > 0:
		return 2
	}
	return 1
}

// assumptions returns the assumptions of the forecast, sorted.
func (f *forecast) assumptions() (out []plan.Assumption) {
	for _, k := range f.store.Assumed() {
		f.assume(plan.OwnerAbsent, string(k.Kind))
	}
	for _, k := range f.store.Unknown() {
		f.assume(plan.OwnerUnknown, string(k.Kind))
	}
	f.assumeStays()
	for t, names := range f.waits {
		for name, count := range names {
			out = append(out, plan.Assumption{Type: t, Name: name, Count: count})
		}
	}
	for _, k := range f.Kinds {
		switch {
		case k.Part && k.Sick != "":
			out = append(out, plan.Assumption{Type: plan.KindSick, Name: string(k.Kind), Detail: k.Sick})
		case k.Part && !k.Listed:
			out = append(out, plan.Assumption{Type: plan.KindUnlisted, Name: string(k.Kind)})
		}
	}
	out = slices.Concat(out, f.pauses(), f.constraints(), f.cascades())
	slices.SortFunc(out, func(a, b plan.Assumption) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Detail, b.Detail))
	})
	return out
}

// assumeStays notes the foreign finalizers of the marked objects that stay, and the bounds of sweeps.
func (f *forecast) assumeStays() {
	for i := range f.Parts {
		o, lives := f.store.At(f.Parts[i].Object.Key)
		if lives && !o.Deleting || !f.Parts[i].Member || f.Parts[i].State != excerpt.Exists {
			continue
		}
		if f.fork.BoundsSweep(f.Parts[i].Object) {
			f.assumeUncounted(plan.SweepInScope, f.Parts[i].Object.PlaceString())
		}
		for _, name := range o.Finalizers {
			if name != graph.FinalizerForeground && name != graph.FinalizerOrphan && !graph.IsGuardFinalizer(name) && f.stays(name) && f.cfg.Handlers[name] == nil {
				f.assume(plan.FinalizerStays, name)
			}
		}
	}
}

// pauses has the pauses that cover an object of the plan. The forecast goes on without them.
func (f *forecast) pauses() (out []plan.Assumption) {
	for _, x := range f.Pauses {
		n := 0
		for i := range f.Parts {
			if f.Parts[i].Member && f.Parts[i].State == excerpt.Exists && x.What.Covers(f.Parts[i].Object.Kind, f.Parts[i].Object.Scope) {
				n++
			}
		}
		if n > 0 {
			out = append(out, plan.Assumption{Type: plan.EnginePaused, Name: x.What.String(), Count: n, Detail: x.Unread})
		}
	}
	return out
}
