package reads

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestMisplaced: each dependent waits once, within the bound, until its owner is gone. A copy keeps its
// own.
func TestMisplaced(t *testing.T) {
	m := Misplaced{}
	for _, id := range []graph.NodeID{3, 1, 3, 2} {
		m.Add("o", id, 2)
	}
	m.Add("p", 4, 2)
	c := m.Clone()
	if got := m.Take("o"); !slices.Equal(got, []graph.NodeID{1, 3}) {
		t.Errorf("dependents %v, want the first two, sorted", got)
	}
	if got := m.Take("o"); len(got) != 0 {
		t.Errorf("dependents %v after they were taken", got)
	}
	if got := c.Take("o"); len(got) != 2 || len(c) != 1 || len(m) != 1 {
		t.Errorf("the copy has %v, and %d and %d owners are left", got, len(c), len(m))
	}
}
