package plan_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
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

// TestCompare: each difference of outcomes or facts is told, and no other one.
func TestCompare(t *testing.T) {
	for _, c := range []struct {
		edit         func(*plan.Plan)
		want, reason string
	}{
		{func(*plan.Plan) {}, "", "the same plan"},
		{func(p *plan.Plan) { p.Cost.Reads++; p.Request.Limit = 9 }, "", "neither cost nor limit is an outcome"},
		{func(p *plan.Plan) { p.Objects = p.Objects[:3] }, "plan changed: set/shop/web@9e34 is gone (was removed)", "an object is gone"},
		{func(p *plan.Plan) { p.Objects, p.Truncated = p.Objects[:3], 1 }, "", "the limit leaves an object out"},
		{func(p *plan.Plan) { p.Fingerprint = "01" }, "plan changed: facts of the decisions have changed", "the outcomes rest on other facts"},
		{func(p *plan.Plan) { p.Objects[1].Possible = true }, "plan changed: pod/shop/a@1 was removed, is removed (possible)", "the outcome is no longer sure"},
		{func(p *plan.Plan) { p.Objects = append(p.Objects, plan.Object{Key: key("z"), Outcome: plan.Held}) }, "plan changed: z is new (held)", "an object is new"},
	} {
		got := shop()
		c.edit(&got)
		err, text := plan.Compare(shop(), got), ""
		if err != nil {
			text = err.Error()
		}
		if text != c.want || (err != nil) != errors.Is(err, plan.ErrChanged) {
			t.Errorf("got %q, want %q: %s", text, c.want, c.reason)
		}
	}
	other := shop()
	other.Request.Removed = []string{"x"}
	if err := plan.Compare(shop(), other); !errors.Is(err, graph.ErrInvalid) || errors.Is(err, plan.ErrChanged) {
		t.Errorf("another request: %v", err)
	}
	var changed *plan.ChangedError
	if err := plan.Compare(wide(0), wide(100)); !errors.As(err, &changed) || len(changed.Differences) != 32 || changed.More != 68 {
		t.Errorf("100 differences: %v", err)
	}
}

// TestUnmet: definite outcomes are compared with the store, and possible ones are not.
func TestUnmet(t *testing.T) {
	a, b := key("a"), key("b")
	for _, c := range []struct {
		object       plan.Object
		left         string
		want, reason string
	}{
		{plan.Object{Outcome: plan.Removed}, "", "[]", "it is absent"},
		{plan.Object{Outcome: plan.Removed}, "a'", "[]", "another incarnation is another object"},
		{plan.Object{Outcome: plan.Removed}, "a", "[a was removed, is present]", "it stayed"},
		{plan.Object{Outcome: plan.Removed, Possible: true}, "a", "[]", "it may stay"},
		{plan.Object{Outcome: plan.Kept}, "", "[a was kept, is absent]", "it must stay"},
		{plan.Object{Outcome: plan.Orphaned}, "a", "[]", "the reference is gone"},
		{plan.Object{Outcome: plan.Orphaned}, "a -> b", "[a was orphaned, is owned by b]", "the reference is there"},
	} {
		c.object.Key = a
		p := plan.Plan{Objects: []plan.Object{c.object}, Steps: []plan.Step{{Action: policy.Orphan, Key: a, Owners: []graph.Key{b}}}}
		left, err := graph.Parse(c.left)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(p.Unmet(left)); got != c.want {
			t.Errorf("left %q: %s, want %s: %s", c.left, got, c.want, c.reason)
		}
	}
}
