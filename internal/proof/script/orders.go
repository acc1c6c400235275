package script

import (
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// guard parses a kind of roots with its phases, as in "tenant:phase=pod+job:phase=claim".
func guard(text string) finalizer.Guard {
	flags := strings.Split(text, ":")
	g := finalizer.Guard{Name: flags[0], Kinds: []graph.Kind{graph.Kind(flags[0])}}
	for _, f := range flags[1:] {
		if name, value, _ := strings.Cut(f, "="); name == "phase" {
			g.Phases = append(g.Phases, finalizer.Phase{Name: value, Kinds: kindList(strings.ReplaceAll(value, "+", ","))})
		}
	}
	return g
}

// orders prints the cascades in phases.
func (r *runner) orders(string) error {
	for _, o := range r.w.Sides[r.side].Engine.Orders(maxHeld) {
		line := fmt.Sprintf("order of %s: %d open, %d moved forward", o.Root, o.Open, o.MovedForward)
		for _, p := range o.Phases {
			line += fmt.Sprintf("; %s: %d left", p.Name, p.Left)
			if p.Waves > 0 {
				line += fmt.Sprintf(", %d waves", p.Waves)
			}
		}
		r.printf("%s", line)
	}
	return nil
}
