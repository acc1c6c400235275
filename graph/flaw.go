package graph

import "fmt"

// flaw returns what makes an object that is already in a store unfit to be
// judged: such an object is held and reported, and counts as a dependent all
// the same. It is milder than Validate, which stands at the store's door: a
// self-reference never counts, and one and the same reference written twice
// counts once, so neither is a flaw.
func flaw(o Object, l Limits) error {
	if err := l.sizes(o); err != nil {
		return err
	}
	controllers := 0
	var places map[UID]Owner
	if len(o.Owners) > 1 { // most objects have one
		places = make(map[UID]Owner, len(o.Owners))
	}
	for i, r := range o.Owners {
		if r.UID == "" || r.Kind == "" || r.Name == "" {
			return flawed(o, fmt.Sprintf("owners[%d]", i), "kind, name or uid is empty")
		}
		if first, ok := places[r.UID]; ok && !first.Same(r) {
			return flawed(o, fmt.Sprintf("owners[%d].uid", i), "stands at two coordinates")
		} else if !ok && r.Controller {
			controllers++
		}
		if places != nil {
			places[r.UID] = r
		}
	}
	if controllers > 1 {
		return flawed(o, "owners", fmt.Sprintf("%d controllers", controllers))
	}
	return nil
}
