package evidence

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestWithhold: an object whose delete waits drops its release references, and asks for the evidence that
// such a drop needs.
func TestWithhold(t *testing.T) {
	gone := policy.OwnerFacts{Class: graph.Dangling, OnDelete: graph.OnDeleteCascade}
	release := func(c graph.Class) policy.OwnerFacts {
		return policy.OwnerFacts{Class: c, OnDelete: graph.OnDeleteRelease, Mark: 3}
	}
	del := policy.Decision{Action: policy.Delete, Reason: policy.CascadeOwnerGone}
	wait := policy.Decision{Action: policy.Wait, Reason: policy.NeedPhase}
	for _, c := range []struct {
		owners  []policy.OwnerFacts
		d, wait policy.Decision
		want    policy.Reason
		reason  string
	}{
		{[]policy.OwnerFacts{gone}, del, wait, policy.NeedPhase, "the object releases nothing"},
		{[]policy.OwnerFacts{gone, release(graph.Dangling)}, del, wait, policy.OwnerReleases, "the owner is absent"},
		{[]policy.OwnerFacts{gone, release(graph.Waiting)}, del, wait, policy.NeedFence, "a fence shows that the owner waits"},
		{[]policy.OwnerFacts{gone, release(graph.Solid)}, del, wait, policy.NeedPhase, "the owner lives"},
		{[]policy.OwnerFacts{gone, release(graph.Dangling)}, policy.Decision{Action: policy.Delete, Reason: policy.HolderDeleted}, wait, policy.NeedPhase, "a sweep deletes the object"},
		{[]policy.OwnerFacts{gone, release(graph.Dangling)}, policy.Decision{Action: policy.Release, Reason: policy.DependentsGone}, wait, policy.NeedPhase, "the end of a deletion waits"},
		{[]policy.OwnerFacts{gone, release(graph.Dangling)}, del, policy.Decision{Action: policy.Wait, Reason: policy.CascadeOwnerGone}, policy.CascadeOwnerGone, "a count is under way"},
		{[]policy.OwnerFacts{gone, release(graph.Dangling)}, del, del, policy.CascadeOwnerGone, "the delete goes out"},
	} {
		in := &policy.Facts{Known: 2, References: len(c.owners), Owners: c.owners, Fence: policy.Fence{Exact: true, Passed: 1}}
		if d := Withhold(in, policy.Settings{}, nil, c.d, c.wait); d.Reason != c.want || in.Protected {
			t.Errorf("%s: got %s, want %s", c.reason, d.Reason.Code(), c.want.Code())
		}
	}
}
