package sim

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	planning "github.com/ownergraph/ownergraph/plan"
)

// One world in planShare has plans.
const planShare = 2

// foreignFinalizer is the finalizer of a controller that is no engine.
const foreignFinalizer = freeFinalizer

// wish is the deletion that a user plans. It follows from the seed and the world.
type wish struct {
	targets []planning.Target
	removed []string // finalizers that their controllers remove
	moves   int      // made in a random order, before the rest
	salt    uint64   // of that order
}

// String returns the wish in one line.
func (x wish) String() string {
	var b strings.Builder
	for i, t := range x.targets {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", t.Propagation, t.Key)
	}
	if len(x.removed) > 0 {
		fmt.Fprintf(&b, "; removed %s", strings.Join(x.removed, ", "))
	}
	fmt.Fprintf(&b, "; %d moves of order %d", x.moves, x.salt)
	return b.String()
}

// foresee makes plans in a world that has converged. Before each plan users act a few
// times, and engines begin anew, so the moment is random. Note gets every step.
func (s *sim) foresee(note func(step)) error {
	if !s.o.has(plans) || s.o.has(duplicateUIDs) { // a plan takes UIDs to be unique, as the store promises
		return nil
	}
	s.rng = rand.New(rand.NewPCG(s.o.seed, 0xf04f))
	do := func(st step) error {
		note(st)
		return s.do(st)
	}
	note(step{op: opConverge})
	for range 1 + s.rng.IntN(2) {
		for range s.rng.IntN(8) {
			if err := do(s.user()); err != nil {
				return err
			}
		}
		if s.rng.IntN(4) == 0 {
			if err := do(step{op: opCrash, side: int8(s.rng.IntN(len(s.w.Sides)))}); err != nil {
				return err
			}
		}
		if err := s.makeQuiet(); err != nil {
			return err
		}
		if len(s.w.Store.Objects()) == 0 {
			continue
		}
		if err := do(s.drawPlan()); err != nil {
			return err
		}
	}
	if err := s.calm(); err != nil {
		return err
	}
	return s.checkRest()
}

// drawPlan draws deletions in the present store, and the engine that plans them.
func (s *sim) drawPlan() step {
	objects, r := s.w.Store.Objects(), s.rng
	x := &wish{moves: []int{0, 4, 16, 64}[r.IntN(4)], salt: r.Uint64()}
	for range 1 + max(0, r.IntN(5)-2) {
		t := planning.Target{Key: s.target(objects).Key, Propagation: graph.Propagation(r.IntN(int(graph.Orphan) + 1))}
		if !slices.ContainsFunc(x.targets, func(u planning.Target) bool { return u.Key == t.Key }) {
			x.targets = append(x.targets, t)
		}
	}
	st := step{op: opPlan, side: int8(r.IntN(len(s.w.Sides))), wish: x}
	if r.IntN(3) == 0 && s.sweeps == nil { // the members of a sweep may depend on that finalizer
		x.removed = append(x.removed, foreignFinalizer)
	}
	if s.o.tuning.bare[st.side] { // another engine has the handler
		x.removed = append(x.removed, handled)
	}
	return st
}

// simpler yields the history with fewer moves after its last plan, fewest first, each with
// one target and with all.
func (p plan) simpler() iter.Seq[plan] {
	return func(yield func(plan) bool) {
		last := len(p.steps) - 1
		if last < 0 || p.steps[last].op != opPlan {
			return
		}
		x := *p.steps[last].wish
		for moves := range x.moves + 1 {
			for only := range len(x.targets) + 1 {
				y := x
				if y.moves = moves; only < len(x.targets) {
					y.targets = x.targets[only : only+1]
				}
				q := p
				q.steps = slices.Clone(p.steps)
				q.steps[last].wish = &y
				if !yield(q) {
					return
				}
			}
		}
	}
}

// verb returns the action of a user that deletes an object as a target says. Without a
// propagation the object's own one applies, and otherwise background.
func verb(p graph.Propagation, o graph.Object) oracle.Verb {
	if p == graph.Unset {
		p = o.Propagation()
	}
	switch p {
	case graph.Foreground:
		return oracle.Foreground
	case graph.Orphan:
		return oracle.Orphan
	}
	return oracle.Background
}
