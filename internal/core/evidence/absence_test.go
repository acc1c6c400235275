package evidence

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestDanglingAlone: a refused cascade takes the references to absent owners off, if no owner is left.
func TestDanglingAlone(t *testing.T) {
	gone, waits := policy.OwnerFacts{Class: graph.Dangling}, policy.OwnerFacts{Class: graph.Waiting}
	self := policy.OwnerFacts{Class: graph.Solid, Self: true}
	for _, c := range []struct {
		reason string
		owners []policy.OwnerFacts
		want   []int
	}{
		{"without an owner there is none", nil, nil},
		{"all owners are gone", []policy.OwnerFacts{gone, gone}, []int{0, 1}},
		{"the object is no owner of its own", []policy.OwnerFacts{self, gone}, []int{1}},
		{"a user can delete an owner that waits again, with orphan", []policy.OwnerFacts{gone, waits}, nil},
		{"a solid owner keeps the object", []policy.OwnerFacts{{Class: graph.Solid}, gone}, nil},
	} {
		in := &policy.Facts{Owners: c.owners, References: len(c.owners)}
		if refs := DanglingAlone(in); !slices.Equal(refs, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, refs, c.want)
		}
	}
}
