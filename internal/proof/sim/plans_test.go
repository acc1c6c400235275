package sim

import (
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
	planning "github.com/ownergraph/ownergraph/plan"
)

// TestPlansHappen: some hundred seeds have plans with every end, and few that are not
// compared. Without -whole there are half as many.
func TestPlansHappen(t *testing.T) {
	var all Plans
	n := portion.Number(250, 500)
	for seed := range uint64(n) {
		h := History{Seed: seed + 1, Steps: 100}
		r := h.Run(nil)
		if r.Broken != nil {
			t.Errorf("%s\n%s", h, r.Explain())
		}
		all.add(r.Plans)
	}
	t.Log(all)
	if all.Plans*500 < n*180 || all.Costs*500 < n*40 || all.Judged*500 < n*50 {
		t.Errorf("%s: want more", all)
	}
	for o := planning.Removed; o <= planning.Held; o++ {
		if all.Ends[o] == 0 {
			t.Errorf("no object of a plan is %s", o)
		}
	}
	open := 0
	for gap, n := range all.Gaps {
		if gap != int(brakeHolds) { // no plan knows the deletes before it
			open += n
		}
	}
	if open*5 > all.Plans {
		t.Errorf("%s: too few plans are compared", all)
	}
}

// TestWrongPlansAreFound: a plan that differs from the end in one place is found.
func TestWrongPlansAreFound(t *testing.T) {
	const line = "a; b -> a; c -> b, d; d; e*; f -> e; g"
	for _, tc := range []struct {
		delete string
		forge  func(p *planning.Plan)
		want   string
	}{
		{"a", func(*planning.Plan) {}, ""},
		{"e", func(*planning.Plan) {}, ""},
		{"a", func(p *planning.Plan) { object(p, "b").Outcome = planning.Kept }, "b was kept, is absent"},
		{"e", func(p *planning.Plan) { object(p, "e").Outcome = planning.Removed }, "e was removed, is present"},
		{"a", func(p *planning.Plan) { object(p, "c").Outcome = planning.Kept }, "c as kept"},
		{"a", func(p *planning.Plan) { object(p, "c").Outcome = planning.Orphaned }, "c as orphaned"},
		{"a", func(p *planning.Plan) { object(p, "c").Outcome = planning.Held }, "c as held"},
		{"e", func(p *planning.Plan) { object(p, "e").Outcome = planning.Kept }, "e as kept"},
		{"a", func(p *planning.Plan) { p.Objects = slices.DeleteFunc(p.Objects, is("b")) }, "does not have b"},
		{"e", func(p *planning.Plan) { p.Objects = slices.DeleteFunc(p.Objects, is("e")) }, "does not have e"},
		{"a", func(p *planning.Plan) { p.Cost.Writes++ }, "writes"},
		{"a", func(p *planning.Plan) { object(p, "b").Possible, object(p, "b").Outcome = true, planning.Kept }, ""},
	} {
		c := carriedOut(t, line, tc.delete)
		tc.forge(&c.plan)
		switch err := c.compare(); {
		case tc.want == "" && err != nil:
			t.Errorf("delete %s: %v", tc.delete, err)
		case tc.want != "" && (err == nil || rule(err) != "P3" || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("delete %s: error %v, want P3 and %q", tc.delete, err, tc.want)
		}
	}
}

// carriedOut plans the deletion of an object of a world, and carries it out.
func carriedOut(t *testing.T, line, name string) *comparison {
	t.Helper()
	s := plainly(t, line)
	s.orphaned = map[graph.Key]bool{}
	c := &comparison{s: s, before: s.w.Store.Objects(), requests: s.w.Requests}
	at := slices.IndexFunc(c.before, func(o graph.Object) bool { return o.Name == name })
	var err error
	c.plan, err = s.planQuietly(0, planning.Request{Delete: []planning.Target{{Key: c.before[at].Key}}})
	if err == nil {
		err = s.carryOut(c, &wish{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func is(name string) func(planning.Object) bool {
	return func(o planning.Object) bool { return o.Key.Name == name }
}

func object(p *planning.Plan, name string) *planning.Object {
	return &p.Objects[slices.IndexFunc(p.Objects, is(name))]
}

// TestPlansOfSeeds has seeds whose plans once counted as wrong. An audit trims a reference
// to another place, which costs a write. A sweep whose holder is gone goes on beside the
// plan. A holder of unselected members blocks an object that waits for it. An engine remembers an
// orphaning whose end the store has undone, and another engine plans. An engine without a share does
// not know the labels that a holder waits for, or that contest a member. A sweep deletes an object in
// the background, before its owner's wait is known. The foreground of an owner with another finalizer ends
// before a release reference goes.
func TestPlansOfSeeds(t *testing.T) {
	for _, h := range []History{
		{Seed: 1612, Steps: 1000}, {Seed: 18756, Steps: 1000}, {Seed: 6721, Steps: 300}, {Seed: 34396, Steps: 1000},
		{Seed: 344, Steps: 400, With: "shares"}, {Seed: 2408, Steps: 400, With: "shares"}, {Seed: 201610, Steps: 1000},
		{Seed: 60401, Steps: 600, With: "policies"}, {Seed: 60731, Steps: 600, With: "policies"}, {Seed: 61432, Steps: 600, With: "policies"},
	} {
		if r := h.Run(nil); r.Broken != nil {
			t.Errorf("%s\n%s", h, r.Explain())
		}
	}
}

// TestPossibleAcrossScopes: an object keeps a blocking reference that it reads as unknown, also beside an owner that stays. So the
// owner that goes is held for ever if the engine deletes it while it waits, or goes if that is later.
func TestPossibleAcrossScopes(t *testing.T) {
	for _, c := range []struct {
		line   string
		want   bool
		reason string
	}{
		{"g/b; g/d; g/e -> g/d, p/t/c!; p/t/c -> g/b", true, "a global object names an owner with a scope"},
		{"g/b; p/t/d; p/t/e -> p/t/d, p/t/c!; p/t/c -> g/b", false, "the reference goes, because another owner stays"},
		{"g/b; g/d; g/e -> g/d, p/t/c; p/t/c -> g/b", false, "the reference does not block"},
	} {
		s := plainly(t, c.line)
		p, err := s.planQuietly(0, planning.Request{Delete: []planning.Target{{Key: at(t, s, "b"), Propagation: graph.Foreground}}})
		if err != nil {
			t.Fatal(err)
		}
		if o, planned := p.At(at(t, s, "c")); !planned || o.Possible != c.want {
			t.Errorf("%s: p/t/c is planned: %t, possible: %t, want %t: %s", c.line, planned, o.Possible, c.want, c.reason)
		}
	}
}

// at returns the key of the object with a name.
func at(t *testing.T, s *sim, name string) graph.Key {
	t.Helper()
	i := slices.IndexFunc(s.w.Store.Objects(), func(o graph.Object) bool { return o.Name == name })
	if i < 0 {
		t.Fatalf("no object has the name %s", name)
	}
	return s.w.Store.Objects()[i].Key
}

// TestChangesOutsideAreFound: an object that the plan does not have changes by a sweep, or
// the plan is wrong.
func TestChangesOutsideAreFound(t *testing.T) {
	for _, tc := range []struct {
		gone    bool
		assumed planning.AssumptionType
		wrong   bool
		reason  string
	}{
		{false, planning.FinalizerStays, true, "nothing else may change it"},
		{true, planning.FinalizerStays, false, "a sweep whose holder is gone goes on"},
		{false, planning.LabelsUnknown, false, "it may be a member by its labels"},
	} {
		c := carriedOut(t, "a; b -> a", "a")
		c.goneHolder, c.plan.Assumptions = tc.gone, []planning.Assumption{{Type: tc.assumed}}
		c.plan.Objects = slices.DeleteFunc(c.plan.Objects, is("b"))
		if err := c.compare(); (err != nil) != tc.wrong {
			t.Errorf("%v, want an error %t: %s", err, tc.wrong, tc.reason)
		}
	}
}
