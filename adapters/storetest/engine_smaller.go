package storetest

import (
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// smallerScenarios yields scenarios with less in them. The first ones have fewer
// faults, because faults are hardest to understand. Then come fewer actions, fewer
// objects, and simpler parts.
func smallerScenarios(p scenario) iter.Seq[scenario] {
	return func(yield func(scenario) bool) {
		for _, forms := range []func(scenario) iter.Seq[scenario]{fewerFaults, fewerActions, fewerObjects, simplerScenarios} {
			for c := range forms(p) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// with returns a changed copy.
func (s scenario) with(change func(*scenario)) scenario {
	s.objects, s.actions, s.plans = slices.Clone(s.objects), slices.Clone(s.actions), slices.Clone(s.plans)
	change(&s)
	return s
}

func fewerFaults(p scenario) iter.Seq[scenario] {
	return func(yield func(scenario) bool) {
		if len(p.plans) > 1 {
			for i := range p.plans {
				if !yield(p.with(func(x *scenario) { x.plans = slices.Delete(x.plans, i, i+1) })) {
					return
				}
			}
		}
		for i, plan := range p.plans {
			for rules := range without(plan.Rules) {
				if !yield(p.with(func(x *scenario) { x.plans[i].Rules = rules })) {
					return
				}
			}
		}
	}
}

func fewerActions(p scenario) iter.Seq[scenario] {
	return func(yield func(scenario) bool) {
		for rest := range without(p.actions) {
			// The objects that actions create are the last ones, in the order of
			// the actions.
			if !slices.ContainsFunc(p.actions, func(m userAction) bool { return m.verb == oracle.Create && !slices.Contains(rest, m) }) {
				if !yield(p.with(func(x *scenario) { x.actions = rest })) {
					return
				}
			}
		}
		// An action without effect may matter by its pause.
		for i := 1; i < len(p.actions); i++ {
			if p.actions[i-1].verb != oracle.Create && !yield(p.with(func(x *scenario) {
				x.actions[i].pause += x.actions[i-1].pause
				x.actions = slices.Delete(x.actions, i-1, i)
			})) {
				return
			}
		}
	}
}

// fewerObjects leaves out one object, with its references and actions, or two objects. An
// object without a part in the failure may still change the timing. Two of them may make up
// for each other.
func fewerObjects(p scenario) iter.Seq[scenario] {
	return func(yield func(scenario) bool) {
		for gone := len(p.objects) - 1; gone >= 0; gone-- {
			if len(p.objects) > 1 && !yield(p.with(func(x *scenario) { x.leaveOut(gone) })) {
				return
			}
		}
		for gone := len(p.objects) - 1; gone > 1; gone-- {
			for other := gone - 1; other >= 0; other-- {
				if !yield(p.with(func(x *scenario) { x.leaveOut(gone); x.leaveOut(other) })) {
					return
				}
			}
		}
	}
}

func (s *scenario) leaveOut(gone int) {
	earlier := func(i int) int {
		if i > gone {
			return i - 1
		}
		return i
	}
	s.objects = slices.Delete(s.objects, gone, gone+1)
	for i, a := range s.objects {
		a.owners = slices.DeleteFunc(slices.Clone(a.owners), func(c claim) bool { return c.to == gone })
		for j := range a.owners {
			a.owners[j].to = earlier(a.owners[j].to)
		}
		s.objects[i] = a
	}
	s.actions = slices.DeleteFunc(s.actions, func(m userAction) bool { return m.object == gone || m.refers() && m.to.to == gone })
	for i := range s.actions {
		s.actions[i].object = earlier(s.actions[i].object)
		s.actions[i].to.to = earlier(s.actions[i].to.to)
	}
}

func (m userAction) refers() bool {
	return m.verb == oracle.AddRef || m.verb == oracle.DropRef || m.verb == oracle.Flip
}

// simplerScenarios leaves out parts of an object or an action.
func simplerScenarios(p scenario) iter.Seq[scenario] {
	return func(yield func(scenario) bool) {
		more := true
		try := func(has bool, change func(*scenario)) {
			if more && has {
				more = yield(p.with(change))
			}
		}
		for i, a := range p.objects {
			try(a.foreignFinalizer, func(x *scenario) { x.objects[i].foreignFinalizer = false })
			try(a.goneAtStart, func(x *scenario) { x.objects[i].goneAtStart = false })
			for j, c := range a.owners {
				try(true, func(x *scenario) { x.objects[i].owners = slices.Delete(slices.Clone(a.owners), j, j+1) })
				try(c.block, func(x *scenario) { x.objects[i].owners = slices.Clone(a.owners); x.objects[i].owners[j].block = false })
			}
		}
		for i, m := range p.actions {
			try(m.verb == oracle.Foreground || m.verb == oracle.Orphan, func(x *scenario) { x.actions[i].verb = oracle.Background })
			try(m.pause > 0, func(x *scenario) { x.actions[i].pause = 0 })
		}
		for i, plan := range p.plans {
			for j, r := range plan.Rules {
				try(r.Times > 1, func(x *scenario) {
					x.plans[i].Rules = append([]fault.Rule(nil), plan.Rules...)
					x.plans[i].Rules[j].Times = 1
				})
			}
		}
		try(p.pause > 0, func(x *scenario) { x.pause = 0 })
	}
}
