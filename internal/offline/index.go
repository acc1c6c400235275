package offline

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Index finds parts of a content by owner references. It is safe for concurrent use while the
// content does not change.
type Index struct {
	content    Content
	first      map[graph.UID]int
	next       []int // the next object with the same UID, or -1
	dependents map[graph.UID][]int
	contents   contents
}

// Index returns an index of the objects.
func (c *Content) Index() *Index {
	x := &Index{
		content: *c, first: make(map[graph.UID]int, len(c.Objects)), next: make([]int, len(c.Objects)),
		dependents: make(map[graph.UID][]int, len(c.Objects)/4),
	}
	for i := range c.Objects {
		o := &c.Objects[i]
		x.next[i] = -1
		if before, is := x.first[o.UID]; is {
			x.next[i] = before
		}
		x.first[o.UID] = i
		for j := range o.Owners {
			x.dependents[o.Owners[j].UID] = append(x.dependents[o.Owners[j].UID], i)
		}
	}
	x.contents = newContents(c)
	return x
}

// same calls do for each object with a UID.
func (x *Index) same(uid graph.UID, do func(int)) {
	i, is := x.first[uid]
	for ; is && i >= 0; i = x.next[i] {
		do(i)
	}
}

// Below returns the object with the key and all objects below it, in the order of the
// content. A dependent counts by the UID of its owner, and the members of a container count.
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
	x.same(key.UID, add)
	for n := 0; n < len(list); n++ {
		o := &x.content.Objects[list[n]]
		if !up {
			for _, d := range x.dependents[o.UID] {
				add(d)
			}
			for _, m := range x.contents.membersOf(o) {
				add(m)
			}
			continue
		}
		for i := range o.Owners {
			x.same(o.Owners[i].UID, add)
		}
	}
	return list
}

func (x *Index) objects(list []int) (out []graph.Object) {
	slices.Sort(list)
	for _, i := range slices.Compact(list) {
		out = append(out, x.content.Objects[i])
	}
	return out
}
