package relocate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ownergraph/ownergraph/internal/proof/mutants"
)

// survivors gives each argued survivor that is no longer a mutant the id of the mutant at the same
// place of its new declaration.
func (r *runner) survivors(ctx context.Context, out io.Writer) error {
	argued, err := mutants.LoadSurvivors(r.Root)
	if err != nil {
		return err
	}
	changed, left := map[string]mutants.Survivor{}, 0
	for _, s := range argued {
		_, _, fits, err := mutantIn(r.source, s)
		if err != nil {
			return err
		}
		if fits {
			continue
		}
		m, err := r.heir(ctx, s)
		switch {
		case errors.Is(err, errByHand):
			left++
			fmt.Fprintf(out, "survivor %s BY HAND: %s: %s\n  %v\n", s.ID, s.Decl, s.Argument, err)
		case err != nil:
			return err
		default:
			changed[s.ID] = mutants.Survivor{ID: m.ID, Decl: m.Decl}
			fmt.Fprintf(out, "survivor %s is %s: %s: %s\n  %s\n", s.ID, m.ID, m.Decl, m.Operator, s.Argument)
		}
	}
	fmt.Fprintf(out, "survivors: %d fit, %d with a new id, %d by hand\n", len(argued)-len(changed)-left, len(changed), left)
	if !r.Dry && len(changed) > 0 {
		if err := mutants.RewriteSurvivors(r.Root, changed); err != nil {
			return err
		}
	}
	if left > 0 {
		return fmt.Errorf("%w: %d survivors", ErrLeft, left)
	}
	return nil
}

// heir returns the mutant that a survivor has become.
func (r *runner) heir(ctx context.Context, s mutants.Survivor) (mutants.Mutant, error) {
	old, o, err := r.past.mutant(ctx, s)
	if err != nil {
		return old, err
	}
	r.Names.origin(o)
	l := &lost{origin: o, found: r.index.candidates(o)}
	best, err := r.best(l)
	if err != nil {
		return old, err
	}
	from, to := best.partners[o.first], best.partners[o.after-1]
	all, err := mutants.Mutate(best.File, best.Src)
	if err != nil {
		return old, err
	}
	var found, near []mutants.Mutant
	for _, m := range all {
		if m.Decl != best.Decl || m.Operator != old.Operator {
			continue
		}
		at, end := m.Span()
		switch first, after := span(best.units, at-best.From, end-best.From); {
		case first == from && after == to+1:
			found = append(found, m)
		case (first == from || after == to+1) && alike(o.units[o.first:o.after], best.units[first:after]):
			near = append(near, m)
		}
	}
	if len(found) == 0 { // a name may have become a call
		found = near
	}
	if len(found) != 1 {
		return old, fmt.Errorf("%w: %d mutants are in its place in %s", errByHand, len(found), best.Decl)
	}
	return found[0], nil
}

// alike reports whether two texts share most of their units.
func alike(a, b []unit) bool {
	var like, all float32
	for i, j := range align(a, b) {
		all += a[i].weight()
		if j >= 0 {
			like += likeness(a[i], b[j])
		}
	}
	return 3*like >= 2*all
}

// mutant returns a survivor as a mutant of the newest commit that has it.
func (h *history) mutant(ctx context.Context, s mutants.Survivor) (mutants.Mutant, *origin, error) {
	for _, commit := range h.commits {
		v, err := h.version(ctx, commit)
		if err != nil {
			return mutants.Mutant{}, nil, err
		}
		m, p, ok, err := mutantIn(v.source, s)
		if err != nil {
			return mutants.Mutant{}, nil, err
		}
		if ok {
			at, end := m.Span()
			return m, originAt(p, at, end), nil
		}
	}
	return mutants.Mutant{}, nil, fmt.Errorf("%w: it is a mutant of none of %d commits", errByHand, len(h.commits))
}

// mutantIn returns a survivor as a mutant of a source, and its declaration, or false.
func mutantIn(source *mutants.Source, s mutants.Survivor) (mutants.Mutant, mutants.Place, bool, error) {
	places, err := source.Find(s.Decl)
	if err != nil {
		return mutants.Mutant{}, mutants.Place{}, false, nil
	}
	for _, p := range places {
		all, err := mutants.Mutate(p.File, p.Src)
		if err != nil {
			return mutants.Mutant{}, p, false, err
		}
		for _, m := range all {
			if m.ID == s.ID {
				return m, p, true, nil
			}
		}
	}
	return mutants.Mutant{}, mutants.Place{}, false, nil
}
