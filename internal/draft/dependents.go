package draft

import (
	"cmp"
	"github.com/ownergraph/ownergraph/internal/inside"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/excerpt"
	"github.com/ownergraph/ownergraph/plan"
)

// Dependents returns the indexes of each part's dependents, in order. A part with several
// references to one owner comes several times. A part that orphans has dependents with its UID
// at other coordinates, too. The targets have the deletions of the user.
//
// Below has also the dependents that go with their owner alone: a reference has the UID of a
// living part and other coordinates. Such a dependent neither blocks its owner nor goes before
// it. Below shares the lists of dependents if no part has such a reference.
//
//test:by TestDependents
func (x *Index) Dependents(targets []plan.Target, reading *graph.Config) (dependents, below [][]int32) {
	asked := make(map[graph.Key]graph.Propagation, len(targets))
	for _, t := range targets {
		asked[t.Key] = t.Propagation
	}
	dependents = make([][]int32, len(x.parts))
	add := func(lists [][]int32, owner, i int32) {
		if owner >= 0 && owner != i {
			lists[owner] = append(lists[owner], i)
		}
	}
	for i := range x.parts {
		d := &x.parts[i].Object
		for j := range d.Owners {
			owner, top := x.leads(d, &d.Owners[j], asked, reading)
			if below == nil && owner != top {
				below = make([][]int32, len(dependents))
				for n := range dependents {
					below[n] = slices.Clone(dependents[n])
				}
			}
			add(dependents, owner, int32(i))
			if below != nil {
				add(below, top, int32(i))
			}
		}
	}
	if below == nil {
		below = dependents
	}
	return dependents, below
}

// leads returns the part whose dependent an object is by a reference, and the part with which the
// object goes. Each is -1 without one.
func (x *Index) leads(d *graph.Object, r *graph.Owner, asked map[graph.Key]graph.Propagation, reading *graph.Config) (owner, top int32) {
	owner, top = -1, -1
	if o, ok := x.Of(r.Key); ok {
		owner, top = o, o
	}
	live, alive := x.OfUID(r.UID)
	switch {
	case r.Unresolved:
		if owner, top = -1, -1; alive {
			owner, top = live, live
		}
	case alive && x.parts[live].Object.Key == d.Key: // it leads back
		if top >= 0 && x.parts[top].State != excerpt.Exists {
			owner, top = -1, -1
		}
	case alive && x.parts[live].Object.UID != d.UID: // its own coordinates count, with two exceptions
		k := &x.parts[live].Object
		if top != live && graph.Inside(inside.Key{}).IsKeptBy(reading, d.Scope, r.Key, k.Key) && (top < 0 || x.parts[top].State != excerpt.Exists) {
			top = live
		}
		if cmp.Or(asked[k.Key], k.Propagation()) == graph.Orphan && graph.Inside(inside.Key{}).IsOrphanedBy(reading, d.Scope, r.Key, k.Key) {
			owner, top = live, live
		}
	}
	return owner, top
}

// OwnerOf returns the part to which a reference of the i-th part leads, by either list of its
// dependents.
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
