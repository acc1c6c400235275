package live

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestUnlistedDoubt: a doubt about an owner of an unlisted kind is that the kind is not listed.
// Another doubt stays.
func TestUnlistedDoubt(t *testing.T) {
	u := Unlisted{{Kind: "batch/Job"}, {Kind: "x/Y"}}
	job := graph.Owner{Key: graph.Key{Kind: "batch/Job", Name: "a"}}
	open := graph.Owner{Key: graph.Key{Kind: "x/Y", Name: "a"}, Unresolved: true}
	pod := graph.Owner{Key: graph.Key{Kind: "Pod", Name: "a"}, Unresolved: true}
	for _, c := range []struct {
		doubt, want graph.Doubt
		owners      []graph.Owner
		reason      string
	}{
		{graph.UnservedKind, graph.Unlisted, []graph.Owner{job}, "the copy has no kind of it"},
		{graph.UnresolvedScope, graph.Unlisted, []graph.Owner{open}, "the dump does not have the scope"},
		{graph.UnresolvedScope, graph.UnresolvedScope, []graph.Owner{pod}, "the dump has the kind"},
		{graph.UnresolvedScope, graph.UnresolvedScope, []graph.Owner{open, pod}, "one of two owners is not resolved in any case"},
		{graph.UnservedKind, graph.Unlisted, []graph.Owner{job, pod}, "the other owner has another doubt"},
		{graph.Misplaced, graph.Misplaced, []graph.Owner{job}, "the UID lives at another place"},
		{graph.UnservedKind, graph.UnservedKind, nil, "no owner"},
	} {
		if got := u.Doubt(c.doubt, c.owners); got != c.want {
			t.Errorf("%s of %v: %s, want %s: %s", c.doubt, c.owners, got, c.want, c.reason)
		}
	}
}
