package sim

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPoliciesApart: one world in five has policies, and each other world has the history that it has
// without them.
func TestPoliciesApart(t *testing.T) {
	with, off, refs := 0, 0, map[graph.OnDelete]int{}
	const worlds = 200
	for seed := range uint64(worlds) {
		s, err := begin(History{Seed: *firstSeed + seed, Steps: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !s.o.has(policies) {
			if slices.ContainsFunc(s.w.Store.Objects(), func(o graph.Object) bool {
				return slices.ContainsFunc(o.Owners, func(r graph.Owner) bool { return r.OnDelete != 0 })
			}) {
				t.Errorf("seed %d has a reference with a policy, and no policies", s.o.seed)
			}
			continue
		}
		with++
		if s.o.unpolicied != noEngine {
			off++
		}
		for _, o := range s.start {
			for _, r := range o.Owners {
				refs[r.OnDelete]++
			}
		}
	}
	if with < worlds/10 || with > worlds/3 || off == 0 || off == with {
		t.Errorf("%d of %d worlds have policies, and in %d of them one engine is without, want one in five, and some", with, worlds, off)
	}
	for d := graph.OnDeleteUnset; d <= graph.OnDeleteCascade; d++ {
		if refs[d] == 0 {
			t.Errorf("no reference of %d worlds has the policy %s", with, d)
		}
	}
	for seed := range uint64(20) {
		h := History{Seed: *firstSeed + seed, Steps: 200}
		drawn := h.Record(nil, nil)
		h.Without = "policies"
		without := h.Record(nil, nil)
		if s, err := begin(History{Seed: h.Seed, Steps: 1}); err != nil || !s.o.has(policies) && drawn.Digest != without.Digest {
			t.Errorf("%s: digest %x, and %x with policies of other worlds, error %v", h, without.Digest, drawn.Digest, err)
		}
	}
}
