package offline

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Index finds the objects below and above an object. It is safe for concurrent use while the
// content does not change.
type Index struct{ w walk }

// Index returns an index of the objects.
func (c *Content) Index() *Index {
	x := &Index{walk{objects: c.Objects}}
	x.w.index()
	return x
}

// Below returns the object with the key and all objects below it, in the order of the
// content. A dependent counts by the UID of its owner.
//
// Held by TestBelow.
func (x *Index) Below(key graph.Key) []graph.Object { return x.objects(x.reach(key, false)) }

// Lineage returns the object with the key, all objects below it, and all owners above it, in
// the order of the content. References count by UID.
//
// Held by TestBelow.
func (x *Index) Lineage(key graph.Key) []graph.Object {
	return x.objects(append(x.reach(key, false), x.reach(key, true)...))
}

// reach returns the indexes of the object and of those below or above it.
func (x *Index) reach(key graph.Key, up bool) (list []int) {
	seen := map[int]bool{}
	add := func(i int) {
		if !seen[i] {
			seen[i] = true
			list = append(list, i)
		}
	}
	x.w.same(key.UID, add)
	for n := 0; n < len(list); n++ {
		o := &x.w.objects[list[n]]
		if !up {
			for _, d := range x.w.dependents[o.UID] {
				add(d)
			}
			continue
		}
		for i := range o.Owners {
			x.w.same(o.Owners[i].UID, add)
		}
	}
	return list
}

func (x *Index) objects(list []int) (out []graph.Object) {
	slices.Sort(list)
	for _, i := range slices.Compact(list) {
		out = append(out, x.w.objects[i])
	}
	return out
}
