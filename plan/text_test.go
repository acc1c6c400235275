package plan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// wide has a root with n pods below it.
func wide(n int) plan.Plan {
	root := key("set/s@r")
	p := plan.Plan{Request: plan.Request{Delete: []plan.Target{{Key: root}}}, Objects: []plan.Object{{Key: root, Outcome: plan.Removed, Root: true}}}
	for i := range n {
		p.Objects = append(p.Objects, plan.Object{
			Key: graph.Key{Kind: "pod", Name: fmt.Sprintf("p%06d", i), UID: graph.UID(fmt.Sprint(i))}, Parent: root, Outcome: plan.Removed,
		})
	}
	return p
}

// TestText: a text has each fact that a reader needs.
func TestText(t *testing.T) {
	for _, c := range []struct {
		plan         plan.Plan
		want, reason string
	}{
		{plan.Plan{}, "without a deletion: no objects\n", "an empty request asks for the writes that are due"},
		{plan.Plan{Truncated: 7}, "... and 7 more objects left out by the limit\n", "never silently"},
		{plan.Plan{StepsTruncated: 1}, "... and 1 more step left out by the limit\n", "never silently"},
		{plan.Plan{BestEffort: true}, "best effort", "the store has no fences"},
		{plan.Plan{Torn: true}, "not of one instant", "the copy is of several instants"},
		{plan.Plan{Busy: true}, "the collector had work under way", "the plan includes that work"},
		{plan.Plan{Cost: plan.Cost{Writes: 1, Varies: true}}, "about 1 write,", "the number depends on the order"},
		{plan.Plan{Cost: plan.Cost{Handlers: 3}}, ", 3 runs of handlers\n", "handlers cost too"},
		{plan.Plan{Objects: []plan.Object{{Key: key("a"), Outcome: plan.Removed, Possible: true}}}, "a removed (possible)\n", "a possible end is marked"},
		{plan.Plan{Objects: []plan.Object{{Key: key("a"), Outcome: plan.Kept, Owners: []graph.Key{key("b")}}}}, "a/a kept; by b/b\n", "the owner that keeps it"},
		{plan.Plan{Objects: []plan.Object{{Key: key("a"), Outcome: plan.Held, Causes: []string{"x\n\x1b[2J"}}}}, `a held ("x\n\x1b[2J")`, "a name cannot break a line"},
		{plan.Plan{Objects: []plan.Object{{Key: key("a"), Outcome: plan.Removed, Wave: 3, Phase: 2}}}, "a/a removed; wave 3; phase 2\n", "the phase of a guard's order"},
		{plan.Plan{Objects: []plan.Object{{Key: key("a"), Outcome: plan.Removed, Phase: 1, Forward: true}}}, "a/a removed; phase 1, moved forward\n", "ownership goes before order"},
		{plan.Plan{Objects: []plan.Object{{Key: key("a"), Outcome: plan.Removed, Parent: key("gone")}}}, "\na/a removed\n", "an absent parent puts the object at the top"},
	} {
		if got := c.plan.Text(); !strings.Contains(got, c.want) {
			t.Errorf("%q is not in\n%s: %s", c.want, got, c.reason)
		}
	}
}

// TestTextFolds: like siblings share a line, and held ones come first.
func TestTextFolds(t *testing.T) {
	p := wide(500)
	p.Objects[500].Outcome, p.Objects[500].Reason = plan.Held, policy.NeedFinalizers
	got := p.Text()
	lines := strings.Split(got, "\n")
	if !strings.Contains(lines[2], "p000499") || !strings.Contains(got, "  ... and 480 more pod removed\n") || len(lines) > 45 {
		t.Errorf("%d lines:\n%s", len(lines), got)
	}
}

// TestTextRings: parents in a ring, and a deep chain, end, and each object is counted once.
func TestTextRings(t *testing.T) {
	ring := plan.Plan{Objects: []plan.Object{
		{Key: key("a"), Parent: key("c")}, {Key: key("b"), Parent: key("a")}, {Key: key("c"), Parent: key("b")}, {Key: key("d"), Parent: key("a")}, {Key: key("e"), Parent: key("e")},
	}}
	if got := ring.Text(); strings.Count(got, " unset\n") != 5+1 || !strings.HasPrefix(got, "without a deletion: 5 unset\n") {
		t.Errorf("ring:\n%s", got)
	}
	chain := wide(5000)
	for i := 1; i < len(chain.Objects); i++ {
		chain.Objects[i].Parent = chain.Objects[i-1].Key
	}
	if got := chain.Text(); !strings.Contains(got, "... and 4969 more objects: 4969 removed\n") {
		t.Errorf("chain:\n%s", got)
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

func BenchmarkText(b *testing.B) {
	p := wide(100_000)
	for b.Loop() {
		_ = p.Text()
	}
}

// TestTextCounts: the lines at the begin have the sums of the kinds. An object that is below no
// deleted one has a line too, since a reader compares the numbers with the rows.
func TestTextCounts(t *testing.T) {
	p := wide(2)
	p.Objects = append(p.Objects, plan.Object{Key: key("garbage"), Outcome: plan.Removed}, plan.Object{Key: key("stuck"), Outcome: plan.Held, Parent: key("garbage")})
	const want = "delete set/s: 3 removed\nnot below the deleted objects: 1 removed, 1 held\n"
	if got := p.Text(); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant the begin %s", got, want)
	}
	if got := wide(2).Text(); strings.Contains(got, "not below") {
		t.Errorf("all are below:\n%s", got)
	}
	p.Truncated = 1
	if got := p.Text(); strings.Contains(got, "not below") {
		t.Errorf("the parent may be left out:\n%s", got)
	}
}
