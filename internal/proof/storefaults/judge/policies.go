package judge

import (
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// mayDelete reports whether the end of the owner can delete the dependent (RULES, E1).
func mayDelete(r graph.Owner) bool {
	return r.OnDelete == graph.OnDeleteUnset || r.OnDelete == graph.OnDeleteCascade
}

// isGarbage reports whether a cascade owner is gone, or all unset owners are.
func isGarbage(o graph.Object, gone func(graph.Owner) bool) bool {
	unset, left := false, false
	for _, r := range o.Owners {
		switch {
		case r.OnDelete == graph.OnDeleteCascade && gone(r):
			return true
		case r.OnDelete == graph.OnDeleteUnset:
			unset, left = true, left || !gone(r)
		}
	}
	return unset && !left
}

// lives reports whether the owner lives unmarked at the end.
func (j *judging) lives(r graph.Owner) bool {
	o, ok := j.live[r.UID]
	return ok && !o.Deleting
}

// keeper returns a living owner of an object that is gone, if no owner explains the end: no cascade
// owner, and not the unset ones together.
func (j *judging) keeper(certain, possible []graph.Owner) (graph.Key, bool) {
	var keeper graph.Key
	unset, kept := false, false
	for _, r := range possible {
		switch {
		case r.OnDelete == graph.OnDeleteCascade && !j.lives(r):
			return graph.Key{}, false
		case r.OnDelete == graph.OnDeleteCascade:
			keeper = r.Key
		case r.OnDelete == graph.OnDeleteUnset:
			unset = true
		}
	}
	for _, r := range certain {
		if r.OnDelete == graph.OnDeleteUnset && j.lives(r) {
			keeper, kept = r.Key, true
		}
	}
	return keeper, kept || !unset
}

// restricts reports whether an object keeps another one from getting a mark.
func restricts(d graph.Object, owner graph.UID) bool {
	return !d.Deleting && slices.ContainsFunc(d.Owners, func(r graph.Owner) bool {
		return r.UID == owner && r.OnDelete == graph.OnDeleteRestrict
	})
}

// Restricting returns the unmarked objects that hold a deletion, sorted: they restrict an object that is
// marked or has to go, or that holds a deletion itself. Users delete them, so that the database comes to
// rest.
//
//test:by TestRestricting
func Restricting(objects []graph.Object) (keys []graph.Key) {
	live := map[graph.UID]graph.Object{}
	for _, o := range objects {
		live[o.UID] = o
	}
	goneOrWaits := func(r graph.Owner) bool {
		owner, exists := live[r.UID]
		return !r.Unresolved && (!exists || owner.Waiting())
	}
	goes := func(o graph.Object) bool {
		return o.Deleting || isGarbage(o, goneOrWaits) || slices.Contains(keys, o.Key)
	}
	for before := -1; before < len(keys); {
		before = len(keys)
		for _, o := range objects {
			if !goes(o) {
				continue
			}
			for _, d := range objects {
				if restricts(d, o.UID) && !slices.Contains(keys, d.Key) {
					keys = append(keys, d.Key)
				}
			}
		}
	}
	slices.SortFunc(keys, graph.Key.Compare)
	return keys
}

// restricted judges the mark or the end of an object: no object restricts it. States are those before
// the change.
func (j *judging) restricted(states map[graph.UID]graph.Object, c Change) {
	old, was := states[c.Object.UID]
	if !was || old.Deleting || !c.Gone && !c.Object.Deleting {
		return
	}
	for _, uid := range slices.Sorted(maps.Keys(states)) {
		if restricts(states[uid], old.UID) {
			j.add("strict", "%s restricts %s, which got its mark or its end", states[uid], old)
		}
	}
}
