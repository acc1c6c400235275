package live

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Reach returns the indexes of root and of all objects below it: root first, and then the
// others, ascending. A dependent names the UID of its owner. The other fields of the
// reference do not matter. Reach returns nil if root is not there.
//
// Held by TestReach.
func Reach(objects []graph.Object, root graph.Key) []int {
	start := slices.IndexFunc(objects, func(o graph.Object) bool { return o.Key == root })
	if start < 0 {
		return nil
	}
	dependents := make(map[graph.UID][]int)
	for i := range objects {
		for _, ref := range objects[i].Owners {
			dependents[ref.UID] = append(dependents[ref.UID], i)
		}
	}
	all, seen := []int{start}, map[int]bool{start: true}
	for i := 0; i < len(all); i++ {
		for _, d := range dependents[objects[all[i]].UID] {
			if !seen[d] {
				seen[d] = true
				all = append(all, d)
			}
		}
	}
	slices.Sort(all[1:])
	return all
}
