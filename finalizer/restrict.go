package finalizer

import "github.com/ownergraph/ownergraph/graph"

// Restricts reports whether the dependent restricts the owner: a store of level 3 then refuses each
// deletion that would mark or remove the unmarked owner, with every propagation (RULES, E4). The store
// refuses it with [graph.NewRestrictedError], and the look and the mark are one step.
//
//   - The dependent is another object, and has no mark. A mark that a guard holds is none (RULES, G3).
//   - It refers to the owner with OnDeleteRestrict, or has such a reference to its UID that is Unresolved.
//
//test:by TestRestricts
func Restricts(dependent, owner graph.Object) bool {
	if dependent.Key == owner.Key || dependent.Deleting && !dependent.MarkWithheld() {
		return false
	}
	for _, r := range dependent.Owners {
		if r.OnDelete == graph.OnDeleteRestrict && r.UID == owner.UID && (r.Unresolved || r.Key == owner.Key) {
			return true
		}
	}
	return false
}
