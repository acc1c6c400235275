package script

import (
	"fmt"
)

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
