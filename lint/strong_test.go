package lint

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestStrong compares the search with the reach of each node.
func TestStrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "nodes")
		edges := make([][]int, n)
		for i := range edges {
			edges[i] = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, "edges")
		}
		reach := make([][]bool, n)
		for i := range edges {
			reach[i] = make([]bool, n)
			for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
				for _, to := range edges[queue[0]] {
					if !reach[i][to] {
						reach[i][to] = true
						queue = append(queue, to)
					}
				}
			}
		}
		var want [][]int
		for i := range edges {
			var ring []int
			for j := range edges {
				if i == j || reach[i][j] && reach[j][i] {
					ring = append(ring, j)
				}
			}
			if len(ring) > 1 && ring[0] == i {
				want = append(want, ring)
			}
		}
		if got := strong(edges); !slices.EqualFunc(got, want, slices.Equal[[]int]) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
