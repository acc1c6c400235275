package draft

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/plan"
)

// Dependents returns the indexes of each part's dependents, in order. A part with several
// references to one owner comes several times. A part that orphans has dependents with its UID
// at other coordinates, too. The targets have the deletions of the user.
//
// Held by TestDependents.
func (x *Index) Dependents(targets []plan.Target, reading *observed.Config) [][]int32 {
	asked := make(map[graph.Key]graph.Propagation, len(targets))
	for _, t := range targets {
		asked[t.Key] = t.Propagation
	}
	out := make([][]int32, len(x.parts))
	for i := range x.parts {
		d := &x.parts[i].Object
		for j := range d.Owners {
			r := &d.Owners[j]
			o, ok := x.Of(r.Key)
			live, alive := x.OfUID(r.UID)
			if alive && !r.Unresolved { // its own coordinates count, unless the object orphans
				owner := &x.parts[live].Object
				alive = owner.UID != d.UID && cmp.Or(asked[owner.Key], owner.Propagation()) == graph.Orphan && reading.IsOrphanedBy(d.Scope, r.Key, owner.Key)
			}
			if alive || r.Unresolved {
				o, ok = live, alive
			}
			if ok && o != int32(i) {
				out[o] = append(out[o], int32(i))
			}
		}
	}
	return out
}

// OwnerOf returns the part to which a reference of the i-th part leads, by its dependents.
func (x *Index) OwnerOf(i int32, r *graph.Owner, dependents [][]int32) (int32, bool) {
	if live, ok := x.OfUID(r.UID); ok && IsDependent(i, dependents[live]) {
		return live, true
	}
	return x.Of(r.Key)
}

// IsDependent reports whether a part is in a list of dependents.
func IsDependent(i int32, dependents []int32) bool {
	_, ok := slices.BinarySearch(dependents, i)
	return ok
}
