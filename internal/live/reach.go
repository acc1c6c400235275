package live

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// reach returns the indexes of root and of all objects below it: root first, and then the
// others, ascending. A dependent names the UID of its owner. The other fields of the
// reference do not matter. The members of a container are below it. The result is nil if root
// is not there.
//
// Held by TestReach.
func (c *containers) reach(objects []graph.Object, root graph.Key) []int {
	start := slices.IndexFunc(objects, func(o graph.Object) bool { return o.Key == root })
	if start < 0 {
		return nil
	}
	dependents := make(map[graph.UID][]int)
	members := map[graph.Content][]int{}
	for i := range objects {
		for _, ref := range objects[i].Owners {
			dependents[ref.UID] = append(dependents[ref.UID], i)
		}
		if len(c.list) > 0 {
			for _, of := range c.contentsOf(&objects[i]) {
				members[of] = append(members[of], i)
			}
		}
	}
	all, seen := []int{start}, map[int]bool{start: true}
	add := func(list []int) {
		for _, d := range list {
			if !seen[d] {
				seen[d] = true
				all = append(all, d)
			}
		}
	}
	for i := 0; i < len(all); i++ {
		o := &objects[all[i]]
		add(dependents[o.UID])
		if kind := c.kinds[o.Kind]; kind != nil {
			if of := graph.ContentOf(kind, o.Name); of.Name != "" {
				add(members[of])
			}
		}
	}
	slices.Sort(all[1:])
	return all
}

// is reports whether an object of a kind is a container.
func (c *containers) is(key graph.Key) bool {
	kind := c.kinds[key.Kind]
	return kind != nil && kind.Container.Members != graph.MembershipUnset
}
