package guards

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/grace"
	"github.com/ownergraph/ownergraph/internal/core/selector"
)

// newMachine returns the machine of the guards of a configuration. An error wraps graph.ErrInvalid
// and names the field.
func newMachine(guards []guard.Guard, periods grace.Periods) (Machine, error) {
	for i := range guards {
		if err := checkGuard(fmt.Sprintf("configure engine: Guards[%d]", i), &guards[i], periods.Any()); err != nil {
			return Machine{}, err
		}
	}
	return Machine{guards: slices.Clone(guards), periods: periods, roots: map[graph.NodeID]root{}, bare: map[graph.NodeID]bool{}, over: map[graph.NodeID]bool{}}, nil
}

// checkGuard returns the first fault of a guard. With periods a guard may only repeat deletions in the
// foreground.
func checkGuard(at string, g *guard.Guard, periods bool) error {
	bad := func(field, cause string) error {
		return fmt.Errorf("%s.%s: %s: %w", at, field, cause, graph.ErrInvalid)
	}
	switch {
	case slices.Contains(g.Kinds, ""):
		return bad("Kinds", "an empty kind")
	case slices.Contains(g.Names, ""):
		return bad("Names", "an empty name")
	case len(g.Kinds)+len(g.Scopes)+len(g.Names) == 0 && g.Where == nil:
		return bad("Kinds", "no condition selects the roots")
	case g.Above != nil && *g.Above < 0:
		return bad("Above", "negative")
	case !g.Always && !g.Protected && g.Above == nil && len(g.Phases) == 0 && !periods:
		return bad("Always", "the guard refuses nothing and orders nothing")
	}
	return nil
}

// newRules returns the rules of protection. An error wraps graph.ErrInvalid and names the field.
func newRules(list []guard.Protection) (Rules, error) {
	r := Rules{list: slices.Clone(list)}
	for i := range list {
		p := &list[i]
		at := fmt.Sprintf("configure engine: Protect[%d]", i)
		bad := func(field, cause string) error {
			return fmt.Errorf("%s.%s: %s: %w", at, field, cause, graph.ErrInvalid)
		}
		switch {
		case slices.Contains(p.Kinds, ""):
			return r, bad("Kinds", "an empty kind")
		case slices.Contains(p.Names, ""):
			return r, bad("Names", "an empty name")
		case len(p.Kinds)+len(p.Scopes)+len(p.Names) == 0 && p.Where == nil && p.Selector == "":
			return r, bad("Kinds", "no condition selects the objects")
		}
		if p.Selector == "" {
			continue
		}
		s, err := selector.Parse(p.Selector)
		if err != nil {
			return r, fmt.Errorf("%s.Selector: %w", at, err)
		}
		if key := s.Impossible(); key != "" {
			return r, bad("Selector", fmt.Sprintf("it matches nothing: no object can have such a label %q", key))
		}
		r.labelled = append(r.labelled, i)
	}
	return r, nil
}

// ruleName returns the name of a rule or guard in reports.
func ruleName(name, list string, i int) string {
	if name != "" {
		return name
	}
	return fmt.Sprintf("%s[%d]", list, i)
}
