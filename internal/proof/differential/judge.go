package main

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// judge tells the deviations of histories from each other. It runs them with run.
type judge struct {
	run func(history) (outcome, error)
}

// attempts is the number of runs of a history after which Kubernetes is taken to be
// steady.
const attempts = 10

// witness is a history with its wrong outcome.
type witness struct {
	history
	outcome
	wrong string
}

func (w witness) String() string {
	return fmt.Sprintf("%s\n  %s\n  done   %v\n  ours   %s\n  theirs %s", w.history, w.wrong, w.done, w.ours, w.theirs)
}

// verdict is the finding about a history: its classes of deviations, and the
// differences that none of them explains.
type verdict struct {
	classes []string
	bad     *witness
}

// judge runs the history. A difference is explained if the smallest history that still
// shows it is of a class. The history without the subject of that class goes through
// the same again.
func (j judge) judge(h history) (v verdict, err error) {
	for {
		out, err := j.run(h)
		if err != nil {
			return v, fmt.Errorf("%s: %w", h, err)
		}
		switch ends := permitted(h, out, false); {
		case !slices.Contains(ends, out.ours):
			v.bad = j.smallest(h, out, "ours is not permitted", func(h history, out outcome) bool {
				return !slices.Contains(permitted(h, out, false), out.ours)
			})
			return v, nil
		case out.equal():
			return v, nil
		case slices.Contains(ends, out.theirs):
			v.classes = append(v.classes, "permitted")
			return v, nil
		}
		name, cured, bad := j.explain(h, out)
		if bad != nil {
			v.bad = bad
			return v, nil
		}
		v.classes = append(v.classes, name)
		if name == unsteady {
			return v, nil
		}
		h = cured
	}
}

// unsteady is the class of a behaviour that Kubernetes shows in some runs only. It has
// no cure.
const unsteady = "unsteady"

// explain returns the class of a history whose end in Kubernetes is another, and not
// permitted. It also returns the history without the subject of that class.
func (j judge) explain(h history, out outcome) (name string, cured history, bad *witness) {
	w := j.smallest(h, out, "a difference of no class", func(h history, out outcome) bool {
		return !out.equal() && !slices.Contains(permitted(h, out, false), out.theirs)
	})
	if !slices.Contains(permitted(w.history, w.outcome, false), w.ours) {
		w.wrong = "ours is not permitted"
		return "", h, w
	}
	for _, c := range classes() {
		if !c.is(w.history, w.outcome) {
			continue
		}
		if cured = c.cure(h); cured.String() == h.String() {
			w.wrong = fmt.Sprintf("of class %s, of which nothing is in %s", c.name, h)
			return "", h, w
		}
		return c.name, cured, nil
	}
	if j.unsteady(w.history) {
		return unsteady, h, nil
	}
	return "", h, w
}

// smallest returns the smallest history of which it is wrong. The behaviour of
// Kubernetes may depend on which of its workers is first, so each history is run a few
// times.
func (j judge) smallest(h history, out outcome, what string, wrong func(history, outcome) bool) *witness {
	h = shrink(h, func(h history) bool {
		for range tries {
			if o, err := j.run(h); err == nil && wrong(h, o) {
				out = o
				return true
			}
		}
		return false
	})
	return &witness{h, out, what}
}

const tries = 3

// unsteady reports whether Kubernetes sometimes ends as ours does, since its workers
// race.
func (j judge) unsteady(h history) bool {
	for range attempts {
		if out, err := j.run(h); err == nil && out.equal() {
			return true
		}
	}
	return false
}

// permitted returns the ends that the specification permits after the done actions.
func permitted(h history, out outcome, override bool) []string {
	return oracle.EndsQuiet(h.start, out.done, oracle.Config{Scope: oracle.ScopeAbsent, OwnerName: oracle.NameAbsent, Override: override})
}
