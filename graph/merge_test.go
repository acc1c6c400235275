package graph

import (
	"cmp"
	"slices"
	"testing"
)

// TestMerging: a list of any length is sorted, one element at a time.
func TestMerging(t *testing.T) {
	for n := range 5*run + 2 {
		var m merging[int]
		for i := range n {
			m.add(i*7919%n, cmp.Compare)
		}
		m.seal(cmp.Compare)
		for steps := 0; !m.sorted(); steps++ {
			if m.step(cmp.Compare); steps > 4*n {
				t.Fatalf("%d elements: no end after %d steps", n, steps)
			}
		}
		if !slices.IsSorted(m.list) || len(m.list) != n || n > 0 && m.list[n-1] != n-1 {
			t.Errorf("%d elements: %v", n, m.list)
		}
	}
}
