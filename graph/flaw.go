package graph

import (
	"fmt"
	"slices"
)

// flaw returns what makes an object that is already in a store unfit to be
// judged: such an object is held and reported, and counts as a dependent all
// the same. It is milder than Validate, which stands at the store's door: a
// self-reference never counts, and one and the same reference written twice
// counts once, so neither is a flaw.
func flaw(o *Object, l Limits) error {
	if err := l.sizes(o); err != nil {
		return err
	}
	controller := UID("")
	first := firstWithUID(o.Owners)
	for i, r := range o.Owners {
		if r.UID == "" || r.Kind == "" || r.Name == "" {
			return flawed(*o, fmt.Sprintf("owners[%d]", i), "kind, name or uid is empty")
		}
		if !o.Owners[first(i)].Same(r) {
			return flawed(*o, fmt.Sprintf("owners[%d].uid", i), "stands at two coordinates")
		}
		if r.Controller && controller != "" && controller != r.UID {
			return flawed(*o, "owners", "2 controllers")
		}
		if r.Controller {
			controller = r.UID
		}
	}
	return nil
}

// areSound reports whether neither the name of a kind nor that of a scope is a flaw.
func (l Limits) areSound(k Kind, scope string) bool {
	return k != "" && l.text(string(k)) == "" && l.text(scope) == ""
}

// isSound reports whether what is known already shows that a new object has no
// flaw, which is to say of most: kind and scope are those of others, UID and
// version are no text, and its one owner is sound. So only its name is looked at.
func (g *Graph) isSound(id NodeID, o *Object) bool {
	x := g.at(id)
	if x.is(textUID|textVersion|wideMark) || len(o.Owners) > 1 || len(o.Finalizers) > 0 || limit(g.cfg.Limits.Text) < uuidLen {
		return false
	}
	return g.places[x.place].sound && g.cfg.Limits.text(o.Name) == "" &&
		(x.owner == 0 || g.isSoundOwner(x.owner, &o.Owners[0]))
}

// isSoundOwner is that for a plain reference, which leads to the node.
func (g *Graph) isSoundOwner(id NodeID, r *Owner) bool {
	x := g.at(id)
	if x.state() == Observed {
		return !x.is(flawedMark)
	}
	return !x.is(textUID) && g.places[x.place].sound && r.Name != "" && g.cfg.Limits.text(r.Name) == ""
}

// fewOwners is how many references are compared one with another; more are
// looked up, so that the work stays linear.
const fewOwners = 8

// firstWithUID returns a function that gives the index of the first reference
// with the UID of the i-th. It is to be called for each i in order.
func firstWithUID(owners []Owner) func(i int) int {
	if len(owners) <= fewOwners {
		return func(i int) int {
			return slices.IndexFunc(owners, func(r Owner) bool { return r.UID == owners[i].UID })
		}
	}
	seen := make(map[UID]int, len(owners))
	return func(i int) int {
		j, ok := seen[owners[i].UID]
		if !ok {
			j = i
			seen[owners[i].UID] = i
		}
		return j
	}
}
