package evidence

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// TestDanglingAlone: a refused cascade takes the references to absent owners off, if no owner is left.
func TestDanglingAlone(t *testing.T) {
	gone, waits := policy.OwnerFacts{Class: graph.Dangling}, policy.OwnerFacts{Class: graph.Waiting}
	self := policy.OwnerFacts{Class: graph.Solid, Self: true}
	cascade := policy.OwnerFacts{Class: graph.Dangling, OnDelete: graph.OnDeleteCascade}
	for _, c := range []struct {
		reason string
		owners []policy.OwnerFacts
		want   []int
	}{
		{"without an owner there is none", nil, nil},
		{"all owners are gone", []policy.OwnerFacts{gone, gone}, []int{0, 1}},
		{"the object is no owner of its own", []policy.OwnerFacts{self, gone}, []int{1}},
		{"a user can delete an owner that waits again, with orphan", []policy.OwnerFacts{gone, waits}, nil},
		{"a dangling cascade reference decides beside a solid owner", []policy.OwnerFacts{{Class: graph.Solid}, gone, cascade}, []int{2}},
		{"so do two", []policy.OwnerFacts{cascade, gone, cascade}, []int{0, 2}},
		{"an absence that a fence has still to confirm drops nothing", []policy.OwnerFacts{cascade, {Class: graph.Dangling, OnDelete: graph.OnDeleteCascade, Unconfirmed: true}}, []int{0}},
		{"release and restrict delete nothing", []policy.OwnerFacts{gone, {Class: graph.Dangling, OnDelete: graph.OnDeleteRelease}, {Class: graph.Dangling, OnDelete: graph.OnDeleteRestrict}}, []int{0}},
		{"a cascade owner that waits may be deleted again, too", []policy.OwnerFacts{gone, {Class: graph.Waiting, OnDelete: graph.OnDeleteCascade}}, nil},
		{"a solid owner keeps the object", []policy.OwnerFacts{{Class: graph.Solid}, gone}, nil},
	} {
		in := &policy.Facts{Owners: c.owners, References: len(c.owners)}
		if refs := DanglingAlone(in); !slices.Equal(refs, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, refs, c.want)
		}
		in.Flawed = true
		if refs := DanglingAlone(in); refs != nil {
			t.Errorf("%s: %v of a flawed object, want none", c.reason, refs)
		}
	}
}

// TestIsUnproven: an owner that is observed, or proven absent since the last rewind, is proven.
func TestIsUnproven(t *testing.T) {
	for _, c := range []struct {
		objects string
		absent  seq.Stamp // of the owner o
		want    bool
		reason  string
	}{
		{"b/d#1", 0, false, "the object has no owner"},
		{"a/o#1; b/d#1 -> a/o", 0, false, "the owner is observed"},
		{"b/d#1 -> a/o", 0, true, "nothing is known of the owner"},
		{"b/d#1 -> a/o", late, false, "the owner is proven absent"},
		{"b/d#1 -> a/o", early, true, "the proof is from before the rewind"},
	} {
		r := newRig(t, c.objects)
		if c.absent != 0 {
			r.v.Edit(r.id("o")).Absent = c.absent
		}
		if got := IsUnproven(r.v.Nodes, r.v.Node(r.id("d")), known); got != c.want {
			t.Errorf("%s: %s: %t, want %t", c.objects, c.reason, got, c.want)
		}
	}
	r := newRig(t, "b/d#1 -> a/o")
	if IsUnproven(r.v.Nodes, r.v.Node(r.id("o")), known) {
		t.Error("an owner that only a reference names is unproven itself, and not an object with owners")
	}
}
