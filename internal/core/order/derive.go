package order

import "slices"

// Derive returns the delete phases of objects that go with one root, from the objects' own
// phases. Owners has the indexes of the owners of each object that go as well, and members those
// of the members of each object that is the holder of a sweep. It is the definition that a walk
// follows in steps, for a plan.
//
//test:by TestDerive
func Derive(own []int, owners, members [][]int) (phases []int) {
	dependents := make([][]int, len(own))
	for h, list := range members {
		dependents[h] = slices.Clone(list)
	}
	for x, list := range owners {
		for _, o := range list {
			dependents[o] = append(dependents[o], x)
		}
	}
	return spread(spread(own, dependents), owners)
}

// spread lowers the phase of each object to that of the earliest object from which the edges
// lead to it.
func spread(phases []int, edges [][]int) []int {
	out, last := make([]int, len(phases)), 0
	for x, p := range phases {
		out[x], last = p, max(last, p)
	}
	for p := range last + 1 {
		var todo []int
		for x := range out {
			if out[x] == p {
				todo = append(todo, x)
			}
		}
		for len(todo) > 0 {
			x := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, y := range edges[x] {
				if out[y] > p {
					out[y] = p
					todo = append(todo, y)
				}
			}
		}
	}
	return out
}
