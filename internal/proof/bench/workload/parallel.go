package workload

import (
	"cmp"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Parallel returns the numbers of all objects in the order of listings that run at the
// same time, one of each kind, in pages of the given size. All listings end together.
// A page comes when its last object has been read. So a page of owners, which covers
// many trees, comes after most of their dependents.
func (w *World) Parallel(size int) []int {
	kinds := map[graph.Kind][]int{}
	for i := range w.n {
		k := w.shape.kind(i)
		kinds[k] = append(kinds[k], i)
	}
	type page struct {
		rank    int
		at      float64 // the share of its kind that has been read then
		numbers []int
	}
	var pages []page
	for rank, k := range []graph.Kind{Pod, ReplicaSet, Deployment} {
		all := kinds[k]
		for from := 0; from < len(all); from += size {
			to := min(from+size, len(all))
			pages = append(pages, page{rank, float64(to) / float64(len(all)), all[from:to]})
		}
	}
	slices.SortStableFunc(pages, func(a, b page) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
	})
	out := make([]int, 0, w.n)
	for _, p := range pages {
		out = append(out, p.numbers...)
	}
	return out
}
