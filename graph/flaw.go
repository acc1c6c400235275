package graph

import (
	"fmt"
	"slices"
)

// Flaw returns the first rule of the model that a stored object breaks, nil if it breaks
// none. The engine judges no flawed object: it holds and reports the object, which still
// counts as a dependent of its owners.
//
// Flaw is milder than Validate, which a store calls before it stores an object. Flaw
// accepts a self-reference, because that never counts. It accepts the same reference
// twice, because that counts once. An error is as that of Validate.
//
//test:by TestFlaw TestUnreadable TestFlawedOwner
func Flaw(o Object, l Limits) error {
	if cause := o.unreadable(); cause != "" {
		return flawed(o, "value", cause)
	}
	if err := l.sizes(&o); err != nil {
		return err
	}
	controller := UID("")
	first := firstWithUID(o.Owners)
	for i, r := range o.Owners {
		if r.Flawed() {
			return flawed(o, fmt.Sprintf("owners[%d]", i), r.Name)
		}
		if r.UID == "" || r.Kind == "" || r.Name == "" {
			return flawed(o, fmt.Sprintf("owners[%d]", i), "kind, name or uid is empty")
		}
		if !o.Owners[first(i)].Same(r) {
			return flawed(o, fmt.Sprintf("owners[%d].uid", i), "stands at two coordinates")
		}
		if cause := wrongPolicy(r.OnDelete, o.Owners[first(i)].OnDelete); cause != "" {
			return flawed(o, fmt.Sprintf("owners[%d].onDelete", i), cause)
		}
		if r.Controller && controller != "" && controller != r.UID {
			return flawed(o, "owners", "2 controllers")
		}
		if r.Controller {
			controller = r.UID
		}
	}
	return nil
}

// wrongPolicy returns the fault of the policy of a reference, "" for none. First is the policy of the
// first reference with the same UID: two policies for one owner contradict each other (RULES, E1).
func wrongPolicy(p, first OnDelete) string {
	switch {
	case !p.known():
		return p.String() + " is unknown"
	case p != first:
		return fmt.Sprintf("%s, and %s in another reference with this uid", p, first)
	}
	return ""
}

// flaw is Flaw by the settings of the graph. Without Config.Policies a policy is a flaw.
func (g *Graph) flaw(o Object) error {
	err := Flaw(o, g.cfg.Limits)
	if err != nil || g.cfg.Policies {
		return err
	}
	for i, r := range o.Owners {
		if r.OnDelete != OnDeleteUnset {
			return flawed(o, fmt.Sprintf("owners[%d].onDelete", i), r.OnDelete.String()+", and Config.Policies is off")
		}
	}
	return nil
}

// fewOwners bounds the references that are compared one with another. More references are
// looked up, so that the work stays linear.
const fewOwners = 8

// firstWithUID returns a function that gives the index of the first reference with the
// UID of the i-th. Its caller passes each i in order.
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
