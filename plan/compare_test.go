package plan_test

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// TestCompareTotals: the totals tell the outcomes of the objects that a limit leaves out.
func TestCompareTotals(t *testing.T) {
	cut := func(left int, totals ...plan.Total) plan.Plan {
		return plan.Plan{
			Objects:   []plan.Object{{Key: graph.Key{Kind: "a", Name: "a"}, Outcome: plan.Removed}},
			Truncated: left, Totals: append([]plan.Total{{Kind: "a", Removed: 1, Affected: 1}}, totals...),
		}
	}
	base := cut(2, plan.Total{Kind: "b", Removed: 2, Affected: 2})
	for _, c := range []struct {
		got          plan.Plan
		want, reason string
	}{
		{base, "", "the same plan"},
		{cut(2, plan.Total{Kind: "b", Removed: 1, Held: 1, Possible: 1, Affected: 2}), "plan changed: objects of b were 2 removed, are 1 removed, 1 held, 1 possible", "one of them stays"},
		{cut(2, plan.Total{Kind: "c", Removed: 2, Affected: 2}), "plan changed: objects of b were 2 removed, are 0; objects of c were 0, are 2 removed", "other objects go"},
		{cut(1, plan.Total{Kind: "b", Removed: 2, Affected: 2}), "plan changed: facts of the decisions have changed", "one of the texts is no plan"},
	} {
		err, text := plan.Compare(base, c.got), ""
		if err != nil {
			text = err.Error()
		}
		if text != c.want || (err != nil) != errors.Is(err, plan.ErrChanged) {
			t.Errorf("got %q, want %q: %s", text, c.want, c.reason)
		}
	}
}
