package ownergraph_test

import (
	"testing"

	"github.com/ownergraph/ownergraph"
)

// TestExplainRestricted: the chain of a restricted object leads to the objects that restrict it, and
// ends in a ring if they restrict each other (RULES, X2, E4).
func TestExplainRestricted(t *testing.T) {
	for _, c := range []struct {
		objects string
		off     bool
		want    string
		reason  string
	}{
		{"a#1 -> r; b#1 -> a:restrict", true, "exists wait Restricted; r dangling watch-saw-go; b: ObjectFlawed user [validate b: owners[0].onDelete: restrict, and Config.Policies is off: invalid]; stuck",
			"a policy that does not act restricts all the same"},
		{"a#1 -> r; b#1 -> a:restrict", false, "exists wait Restricted; r dangling watch-saw-go; b: NoOwnerDeletes user; pending", "a user deletes b, or drops the reference"},
		{"a#1 -> r; b#1 -> a:restrict, c; c#1", false, "exists wait Restricted; r dangling watch-saw-go; c: NoOwners user; pending", "c keeps b, which restricts a"},
		{"a#1 -> r; c#1 -> a:restrict; b#1 -> a:restrict", false, "exists wait Restricted; r dangling watch-saw-go; b: NoOwnerDeletes user; c: NoOwnerDeletes user; pending",
			"each restricting object is named, in the order of the keys"},
		{"a#1 -> r, b:restrict; b#1 -> a:restrict, r", false, "exists wait Restricted; r dangling watch-saw-go; b solid watch-saw; a: Restricted ring a b; stuck", "a and b restrict each other"},
		{"a#1~[foreground] -> c; b#1 -> a:restrict; c#1", false, "exists wait Restricted; c solid watch-saw; b: NoOwnerDeletes user; pending", "the mark counts for no dependent below level 3"},
		{"a#1 -> r:cascade, c; c#1", false, "exists wait NeedFence; r dangling watch-saw-go; c solid watch-saw; a: NeedFence work [a fence]; moving", "one cascade reference decides, behind the first fence"},
		{"a#1 -> r:release, c; c#1", false, "exists trim OwnerReleases; r dangling watch-saw-go; c solid watch-saw; a: OwnerReleases work [its turn in the queue]; moving", "a release reference goes"},
		{"a#1 -> c:release, b:restrict; b#1; c#1", false, "exists keep NoOwnerDeletes; c solid watch-saw; b solid watch-saw; a: NoOwnerDeletes user; resting", "neither reference deletes"},
		{"a#1 -> c:cascade, b; b#1; c#1", false, "exists keep OwnerSolid; c solid watch-saw; b solid watch-saw; b: NoOwners user; resting", "the cascade owner does not keep it"},
	} {
		s := newStepped(t, ownergraph.Config{Policies: !c.off}, "r", "a", "b", "c")
		s.put("r#1; " + c.objects)
		s.see(gone("r"))
		if got := s.explains("a"); got != c.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s\n%s", c.objects, got, c.want, c.reason)
		}
	}
}
