package storetest

import (
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/oracle"
)

// smallerPlots yields plots with less in them: first without faults, which cost
// most to think of, then with fewer moves and objects, then simpler ones.
func smallerPlots(p plot) iter.Seq[plot] {
	return func(yield func(plot) bool) {
		for _, forms := range []func(plot) iter.Seq[plot]{fewerFaults, fewerMoves, fewerActors, simplerPlots} {
			for c := range forms(p) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// plots yields what change makes of a copy, if it says that it has changed it.
func (p plot) with(change func(*plot)) plot {
	p.actors, p.moves, p.plans = slices.Clone(p.actors), slices.Clone(p.moves), slices.Clone(p.plans)
	change(&p)
	return p
}

func fewerFaults(p plot) iter.Seq[plot] {
	return func(yield func(plot) bool) {
		if len(p.plans) > 1 {
			for i := range p.plans {
				if !yield(p.with(func(x *plot) { x.plans = slices.Delete(x.plans, i, i+1) })) {
					return
				}
			}
		}
		for i, plan := range p.plans {
			for rules := range without(plan.Rules) {
				if !yield(p.with(func(x *plot) { x.plans[i].Rules = rules })) {
					return
				}
			}
		}
	}
}

func fewerMoves(p plot) iter.Seq[plot] {
	return func(yield func(plot) bool) {
		for moves := range without(p.moves) {
			// What is created later is at the end of the actors, in the moves' order.
			if !slices.ContainsFunc(p.moves, func(m move) bool { return m.verb == oracle.Create && !slices.Contains(moves, m) }) {
				if !yield(p.with(func(x *plot) { x.moves = moves })) {
					return
				}
			}
		}
		for i := 1; i < len(p.moves); i++ { // what a move without effect is good for is its pause
			if p.moves[i-1].verb != oracle.Create && !yield(p.with(func(x *plot) {
				x.moves[i].pause += x.moves[i-1].pause
				x.moves = slices.Delete(x.moves, i-1, i)
			})) {
				return
			}
		}
	}
}

// fewerActors leaves out one actor, with what refers to it and moves it.
func fewerActors(p plot) iter.Seq[plot] {
	return func(yield func(plot) bool) {
		for gone := len(p.actors) - 1; gone >= 0; gone-- {
			if len(p.actors) > 1 && !yield(p.with(func(x *plot) { x.leaveOut(gone) })) {
				return
			}
		}
	}
}

func (p *plot) leaveOut(gone int) {
	earlier := func(i int) int {
		if i > gone {
			return i - 1
		}
		return i
	}
	p.actors = slices.Delete(p.actors, gone, gone+1)
	for i, a := range p.actors {
		a.owners = slices.DeleteFunc(slices.Clone(a.owners), func(c claim) bool { return c.to == gone })
		for j := range a.owners {
			a.owners[j].to = earlier(a.owners[j].to)
		}
		p.actors[i] = a
	}
	p.moves = slices.DeleteFunc(p.moves, func(m move) bool { return m.actor == gone || m.refers() && m.to.to == gone })
	for i := range p.moves {
		p.moves[i].actor = earlier(p.moves[i].actor)
		p.moves[i].to.to = earlier(p.moves[i].to.to)
	}
}

func (m move) refers() bool {
	return m.verb == oracle.AddRef || m.verb == oracle.DropRef || m.verb == oracle.Flip
}

// simplerPlots leaves out what an object or a move can do without.
func simplerPlots(p plot) iter.Seq[plot] {
	return func(yield func(plot) bool) {
		more := true
		try := func(has bool, change func(*plot)) {
			if more && has {
				more = yield(p.with(change))
			}
		}
		for i, a := range p.actors {
			try(a.held, func(x *plot) { x.actors[i].held = false })
			try(a.ghost, func(x *plot) { x.actors[i].ghost = false })
			for j, c := range a.owners {
				try(true, func(x *plot) { x.actors[i].owners = slices.Delete(slices.Clone(a.owners), j, j+1) })
				try(c.block, func(x *plot) { x.actors[i].owners = slices.Clone(a.owners); x.actors[i].owners[j].block = false })
			}
		}
		for i, m := range p.moves {
			try(m.verb == oracle.Foreground || m.verb == oracle.Orphan, func(x *plot) { x.moves[i].verb = oracle.Background })
			try(m.pause > 0, func(x *plot) { x.moves[i].pause = 0 })
		}
		for i, plan := range p.plans {
			for j, r := range plan.Rules {
				try(r.Times > 1, func(x *plot) {
					x.plans[i].Rules = append([]fault.Rule(nil), plan.Rules...)
					x.plans[i].Rules[j].Times = 1
				})
			}
		}
		try(p.pause > 0, func(x *plot) { x.pause = 0 })
	}
}
