package sim

import (
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	planning "github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/share"
)

// gap is a known reason for which a plan may differ from its end. Such a plan is carried
// out, and is not compared.
type gap uint8

const (
	noGap gap = iota
	// sweepMemory: an engine goes on with a sweep whose holder is gone, or has ended the
	// sweep of an unguarded holder that stays. Another engine that plans does not know it.
	sweepMemory
	// orphanMemory: an engine has ended the orphaning of an owner that stays, and orphans
	// its later dependents too. Another engine that plans does not know it.
	orphanMemory
	// guardRefusal: a guard refuses the deletion, or has refused it before. The plan is made
	// as if it had passed.
	guardRefusal
	// otherGuards: the engines have different guards or protections.
	otherGuards
	// otherPolicies: the policies of references act for some engines and not for others.
	otherPolicies
	// restrictRefusal: the store refuses the deletion of a restricted target.
	restrictRefusal
	// brakeHolds: a brake may hold the cascade, and a plan may not know that.
	brakeHolds
	numGaps
)

var gapNames = [...]string{"none", "sweeps", "orphaning", "refusals", "guards", "policies", "restricted", "brakes"}

// gap returns the reason for which the plan may differ, if there is one.
func (c *comparison) gap() gap {
	switch {
	case c.refuses():
		return guardRefusal
	case c.s.o.has(brakes) && c.s.o.braking.brakes(c.s.o.engines):
		return brakeHolds
	case c.s.guardsDiffer() || c.s.shields != nil && slices.Contains(c.plan.Request.Removed, handled): // the others may withhold the mark, and run no handler
		return otherGuards
	case c.s.policiesDiffer():
		return otherPolicies
	case c.restricted():
		return restrictRefusal
	case len(c.s.w.Sides) == 1: // the plan has the memory of the only engine
		return noGap
	case c.s.remembersSweeps():
		return sweepMemory
	case c.anyOwner(c.remembered):
		return orphanMemory
	}
	return noGap
}

// sweepsOutside reports whether sweeps may delete objects that the plan does not have. Their
// labels are unknown to the plan, or their holder is gone. An engine without a share has selected no
// labels for its runs. A collector selects before a plan.
func (c *comparison) sweepsOutside() bool {
	if c.s.parts != nil && c.s.parts[c.side].set == share.None() {
		return true
	}
	assumed := func(a planning.Assumption) bool { return a.Type == planning.LabelsUnknown }
	return c.goneHolder || slices.ContainsFunc(c.plan.Assumptions, assumed)
}

// anyOwner reports whether the condition is met for a reference of an object.
func (c *comparison) anyOwner(is func(graph.Object, graph.Owner) bool) bool {
	return slices.ContainsFunc(c.before, func(o graph.Object) bool {
		return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return is(o, r) })
	})
}

// remembered reports whether a reference names a planned object whose orphaning has ended.
func (c *comparison) remembered(_ graph.Object, r graph.Owner) bool {
	p, planned := c.plan.At(r.Key)
	return planned && c.s.spared[r.Key] && (p.Outcome == planning.Removed || p.Possible)
}

// goesOn reports whether an engine goes on with a sweep whose holder is gone.
func (s *sim) goesOn() bool {
	return slices.ContainsFunc(s.w.Sides, func(side *world.Side) bool {
		return slices.ContainsFunc(side.Engine.Sweeps(len(s.pool)), func(x engine.SweepStatus) bool { return x.Gone })
	})
}

// remembersSweeps reports whether an engine has memory of sweeps that a plan lacks.
func (s *sim) remembersSweeps() bool {
	if s.sweeps == nil {
		return false
	}
	for _, side := range s.w.Sides {
		for _, x := range side.Engine.Sweeps(len(s.pool)) {
			o, ok := s.w.Store.At(x.Holder)
			if x.Gone || s.o.tenancy.unguarded && ok && !o.HasFinalizer(x.Finalizer) {
				return true
			}
		}
	}
	return false
}
