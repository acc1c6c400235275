package plan_test

import (
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/plan"
)

// TestAssumptions: each assumption is a plain sentence, with the number of its objects.
func TestAssumptions(t *testing.T) {
	for _, c := range []struct {
		assumption   plan.Assumption
		want, reason string
	}{
		{plan.Assumption{Type: plan.HandlerSucceeds, Name: "x.io/f", Count: 1}, "the handler of the finalizer x.io/f succeeds (1 object)", "a handler of this program"},
		{plan.Assumption{Type: plan.HandlerFails, Name: "x.io/f", Count: 2}, "the handler of the finalizer x.io/f fails (2 objects)", "the request says so"},
		{plan.Assumption{Type: plan.FinalizerStays, Name: "x.io/f", Count: 1}, "no controller takes the finalizer x.io/f off (1 object)", "a foreign finalizer"},
		{plan.Assumption{Type: plan.FinalizerRemoved, Name: "x.io/f", Count: 6}, "the controller of the finalizer x.io/f takes it off (6 objects)", "the request says so"},
		{plan.Assumption{Type: plan.GracePasses, Count: 2}, "the grace period passes (2 objects)", "time passes"},
		{plan.Assumption{Type: plan.OwnerAbsent, Name: "apps/Set", Count: 1}, "1 owner of the kind Set.apps does not exist, because the listing of the kind has no such object", "one"},
		{plan.Assumption{Type: plan.OwnerAbsent, Name: "apps/Set", Count: 2}, "2 owners of the kind Set.apps do not exist, because the listing of the kind has no such object", "several"},
		{plan.Assumption{Type: plan.OwnerUnknown, Name: "k", Count: 1}, "1 owner of the kind k is unknown, so the dependents stay", "one"},
		{plan.Assumption{Type: plan.OwnerUnknown, Name: "k", Count: 2}, "2 owners of the kind k are unknown, so the dependents stay", "several"},
		{plan.Assumption{Type: plan.KindSick, Name: "k", Detail: "forbidden"}, "the kind k cannot be observed: forbidden", "the detail says why"},
		{plan.Assumption{Type: plan.KindUnlisted, Name: "k"}, "the kind k is not listed yet", "a kind as a whole"},
		{plan.Assumption{Type: plan.PropagationAssumed, Count: 1}, "the deletion is in the background where the request does not say it (1 object)", "the store chooses"},
		{plan.Assumption{Type: plan.LabelsUnknown, Name: "k"}, "the labels of the kind k are not known, so its objects may be members of a sweep", "a kind as a whole"},
		{plan.Assumption{Type: plan.EnginePaused, Name: "everything", Count: 3}, "the pause everything ends (3 objects)", "a user ends it"},
		{plan.Assumption{Type: plan.MembersRemoved, Name: "the namespace controller", Count: 1}, "the namespace controller deletes 1 member of containers that go", "an actor"},
		{plan.Assumption{Type: plan.SweepInScope, Name: "t/s/x"}, "the sweep of t/s/x covers the members in its own scope alone", "others stay"},
		{plan.Assumption{Type: plan.KindSick, Detail: "\x1b[2J"}, `the kind "" cannot be observed: "\x1b[2J"`, "a text controls no terminal"},
		{plan.Assumption{Type: plan.RemovalsAllowed, Name: "team", Count: 1, Detail: "projects.team_id refers to teams.id (ON DELETE NO ACTION)"},
			"no row that is still there refers to the row of the kind team (1 object), else the database refuses: projects.team_id refers to teams.id (ON DELETE NO ACTION)", "a foreign key"},
		{plan.Assumption{Type: plan.RowsKept, Name: "team", Count: 2}, "no row of a dependent that needs it goes with the row of the kind team (2 objects)", "a cascade of the database"},
		{plan.Assumption{Type: plan.OnlyDependentsRefer, Name: "team", Count: 1}, "only rows of dependents refer to the row of the kind team (1 object)", "the dependents go first"},
		{plan.Assumption{Type: plan.ConstraintsUnread, Detail: "no answer"}, "no foreign key of the database refuses, because its constraints could not be read: no answer", "the catalog is out of reach"},
		{plan.Assumption{Type: plan.CascadesMeant, Name: "task", Count: 3}, "each cascade reference of the kind task is meant (3 objects), since one wrong reference suffices to lose an object", "no other owner keeps them"},
		{plan.Assumption{Type: plan.CascadesMeant + 1, Name: "x", Count: 1}, "assumption(20) x (1 object)", "an unknown value has a line"},
	} {
		if got := c.assumption.String(); got != c.want {
			t.Errorf("got %q, want %q: %s", got, c.want, c.reason)
		}
	}
}

// TestDetails: the details have each fact that the text leaves out.
func TestDetails(t *testing.T) {
	a := key("a/s/a@1")
	for _, c := range []struct {
		plan         plan.Plan
		want, reason string
	}{
		{shop(), "no steps\ndeploy: 1 goes\npod: 1 goes, 1 is held\nset: 1 goes\n3 waves: 4 writes, at most 2 reads and 1 fence\nfingerprint 00\n", "all of them"},
		{plan.Plan{Steps: make([]plan.Step, 1)}, "1. wave 0: ", "the steps"},
		{plan.Plan{StepsTruncated: 1}, "... and 1 more step left out by the limit\n", "never silently"},
		{plan.Plan{Cost: plan.Cost{Writes: 1, Varies: true}}, "0 waves: about 1 write,", "the number depends on the order"},
		{plan.Plan{Cost: plan.Cost{Handlers: 3}}, ", 3 runs of handlers\n", "handlers cost too"},
		{plan.Plan{Verdicts: []plan.Verdict{{Root: a, Guard: "g", Ends: 1}}}, "guard g lets the deletion of a/s/a pass: 1 object ends\n", "a guard that lets it pass"},
		{plan.Plan{Verdicts: make([]plan.Verdict, 101)}, "... and 1 more verdict\n", "the text is bounded"},
		{plan.Plan{Totals: make([]plan.Total, 102)}, "... and 2 more kinds\n", "the text is bounded"},
		{plan.Plan{Totals: []plan.Total{{Kind: "k", Orphaned: 1, Kept: 2, Possible: 1, Affected: 4}}}, "k: 1 loses an owner, 2 stay, 1 has no end, 1 is not certain\n", "each count"},
		{plan.Plan{Objects: []plan.Object{{Phase: 2, Forward: true}, {Phase: 1}, {Phase: 2}}}, "phase 1: 1 object\nphase 2: 2 objects, 1 moved forward by ownership\n", "ownership goes before order"},
	} {
		if got := c.plan.Details(); !strings.Contains(got, c.want) {
			t.Errorf("%q is not in\n%s: %s", c.want, got, c.reason)
		}
	}
}
