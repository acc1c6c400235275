// Package lineage finds the objects below and above an object, among objects as data.
//
// A reference leads to each object with its UID. Its kind, scope and name do not count, since a
// wrong place of an owner may become a right one. So the objects below are all that a deletion may
// concern. A graph.Graph counts the whole coordinates, and takes no object without a UID.
package lineage

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Index finds objects by owner references and by containers. An object is its index among the
// objects. It is safe for concurrent use while the objects do not change.
type Index struct {
	objects    []graph.Object
	first      map[graph.UID]int
	next       []int // the next object with the same UID, or -1
	dependents map[graph.UID][]int
	contents   contents
}

// New returns an index of the objects, which it keeps.
func New(kinds []graph.KindInfo, objects []graph.Object) *Index {
	x := &Index{
		objects: objects, first: make(map[graph.UID]int, len(objects)), next: make([]int, len(objects)),
		dependents: make(map[graph.UID][]int, len(objects)/4), contents: newContents(kinds, objects),
	}
	for i := range objects {
		o := &objects[i]
		x.next[i] = -1
		if before, is := x.first[o.UID]; is {
			x.next[i] = before
		}
		x.first[o.UID] = i
		for j := range o.Owners {
			x.dependents[o.Owners[j].UID] = append(x.dependents[o.Owners[j].UID], i)
		}
	}
	return x
}

// First returns an object with a UID.
func (x *Index) First(uid graph.UID) (int, bool) {
	i, is := x.first[uid]
	return i, is
}

// Same calls do for each object with a UID.
func (x *Index) Same(uid graph.UID, do func(int)) {
	i, is := x.first[uid]
	for ; is && i >= 0; i = x.next[i] {
		do(i)
	}
}

// Dependents returns the objects with a reference to a UID, one for each reference. The caller
// changes nothing in it.
func (x *Index) Dependents(uid graph.UID) []int { return x.dependents[uid] }

// Below returns the objects with the UID of the key and all objects below them, ascending. The
// members of a container are below it.
//
//test:by TestBelow
func (x *Index) Below(key graph.Key) []int {
	return x.reach(key, func(i int, add func(int)) {
		for _, d := range x.dependents[x.objects[i].UID] {
			add(d)
		}
		for _, m := range x.Members(i) {
			add(m)
		}
	})
}

// Above returns the objects with the UID of the key and all owners above them, ascending.
//
//test:by TestBelow
func (x *Index) Above(key graph.Key) []int {
	return x.reach(key, func(i int, add func(int)) {
		for j := range x.objects[i].Owners {
			x.Same(x.objects[i].Owners[j].UID, add)
		}
	})
}

// reach returns the objects that steps lead to, from those with the UID of the key on.
func (x *Index) reach(key graph.Key, step func(i int, add func(int))) (list []int) {
	seen := map[int]bool{}
	add := func(i int) {
		if !seen[i] {
			seen[i] = true
			list = append(list, i)
		}
	}
	x.Same(key.UID, add)
	for n := 0; n < len(list); n++ {
		step(list[n], add)
	}
	slices.Sort(list)
	return list
}
