package exhaustive

import (
	"testing"
	"time"
)

// TestPolicies: no rule breaks in the scopes with policies. Without -whole each has a share of its
// graphs.
func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		oneIn  int
		stage  Stage
		reason string
	}{
		{1, Stage{Objects: 2, Scope: Scope{Actions: 2, Policies: true}}, "two objects"},
		{2, Stage{Objects: 2, Scope: Scope{Actions: 2, Policies: true, Strict: true, Users: Rebinding, Late: true}}, "a late engine, and policies that change, at level 3"},
		{120, Stage{Objects: 3, Scope: Scope{Actions: 1, Policies: true, Strict: true, Users: Rebinding}}, "three objects, at level 3"},
		{60, Stage{Objects: 3, Scope: Scope{Actions: 1, Policies: true, Users: Deleting, Late: true}}, "three objects, a late engine"},
		{1, Stage{Objects: 2, Every: 3, Scope: Scope{Actions: 1, Crashes: 1, Policies: true, Strict: true, Users: Deleting}}, "a crash"},
	} {
		row := some(c.oneIn, c.stage).run(2, time.Time{})
		if row.Broken != nil {
			short := Shorten(*row.Broken)
			t.Errorf("%s, graph %d, %s (%s): %v\n%s", short.Graph, row.Number, row.Stage, c.reason, short.Broken, short.History)
		}
		t.Log("\n" + row.String())
	}
}
