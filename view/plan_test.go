package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/view"
)

// TestPlanClasses: each end of an object has a class, and the words tell the end.
func TestPlanClasses(t *testing.T) {
	for _, tt := range []struct {
		object       plan.Object
		want, reason string
	}{
		{plan.Object{Outcome: plan.Removed, Reason: policy.OwnersGone, Wave: 2}, "goes in wave 2; all owners are gone", "an object that goes has its wave"},
		{plan.Object{Outcome: plan.Removed, Root: true, Wave: 1}, "goes in wave 1; deleted by the user", "the user's deletion shows"},
		{plan.Object{Outcome: plan.Removed, Possible: true, Wave: 1}, "goes (possible) in wave 1", "a possible end is no certain one"},
		{plan.Object{Outcome: plan.Orphaned, Reason: policy.OwnerOrphans, Wave: 1}, "stays; wave 1; orphaned; an owner leaves it", "an orphaned object stays"},
		{plan.Object{Outcome: plan.Kept, Reason: policy.OwnerSolid, Owners: []graph.Key{{Kind: "k", Name: "o", UID: "o"}}}, "stays; an owner exists; kept by k/o", "the owners that keep an object show"},
		{plan.Object{Outcome: plan.Held, Reason: policy.Protected}, "protected", "protection is a class"},
		{plan.Object{Outcome: plan.Held, Reason: policy.OwnerUnknown, Doubt: graph.Unlisted}, "held; owner's kind not listed yet", "the doubt tells more than the reason"},
		{plan.Object{Outcome: plan.Held, Reason: policy.NeedFinalizers, Causes: []string{"x/y"}}, "held; finalizers hold it: x/y", "the causes show"},
		{plan.Object{Outcome: plan.Held, Reason: policy.NeedDependents, Causes: []string{`"apps/Set"/shop/web@7`, "x@y", "a/b"}}, "held; dependents hold it: Set.apps/shop/web, x@y, a/b", "an object among the causes is spelled as in the picture"},
		{plan.Object{Outcome: plan.Kept, Reason: policy.OwnerSolid, Parent: graph.Key{Kind: "k", Name: "o"}, Owners: []graph.Key{{Kind: "k", Name: "o"}}}, "stays; an owner exists", "one owner above the object needs no word"},
		{plan.Object{Outcome: plan.Removed, Holder: graph.Key{Kind: "tenant", Name: "blue"}, Wave: 1, Phase: 2, Forward: true}, "goes in wave 1; by the sweep of tenant/blue; phase 2; moved forward by ownership", "sweeps and phases show"},
		{plan.Object{}, "unknown", "an object may lack an end"},
	} {
		tt.object.Key = graph.Key{Kind: "k", Name: "a", UID: "a"}
		p := view.Plan(plan.Plan{Objects: []plan.Object{tt.object}, Waves: 3}, nil, 0)
		if text := p.Text(); !strings.Contains(text, "k/a  ("+tt.want+")\n") {
			t.Errorf("%swant %q: %s", text, tt.want, tt.reason)
		}
	}
}

// TestPlanWithoutBlocker: the picture of a plan says that no dependent blocks the deletion.
func TestPlanWithoutBlocker(t *testing.T) {
	a := graph.Key{Kind: "k", Name: "a", UID: "a"}
	p := plan.Plan{Objects: []plan.Object{{Key: a, Root: true, Outcome: plan.Removed}}, WithoutBlocker: []graph.Key{a}}
	const want = "no dependent blocks the deletion of k/a"
	if text := view.Plan(p, nil, 0).DOT(); !strings.Contains(text, want) {
		t.Errorf("%s\nwant %q", text, want)
	}
	p.WithoutBlocker = nil
	if text := view.Plan(p, nil, 0).DOT(); strings.Contains(text, "blocks the deletion") {
		t.Errorf("%s\nsays that no dependent blocks, and no field says so", text)
	}
}

// TestPlanTakesHeldFirst: of many siblings, the picture of a plan draws those that stay.
func TestPlanTakesHeldFirst(t *testing.T) {
	root := graph.Key{Kind: "k", Name: "root", UID: "root"}
	p := plan.Plan{Objects: []plan.Object{{Key: root, Root: true, Outcome: plan.Removed, Wave: 1}}, Truncated: 5}
	for i := range 100 {
		o := plan.Object{Key: graph.Key{Kind: "k", Name: fmt.Sprintf("%02d", i), UID: graph.UID(fmt.Sprint(i))}, Outcome: plan.Removed, Wave: 2, Parent: root}
		if i == 99 {
			o.Outcome, o.Reason = plan.Held, policy.NeedFinalizers
		}
		p.Objects = append(p.Objects, o)
	}
	text := view.Plan(p, nil, 0).Text()
	if !strings.Contains(text, "├── k/99  (held; wave 2; finalizers hold it)\n") || !strings.Contains(text, "└── ... and 60 more k\n") || !strings.HasSuffix(text, "\n65 objects left out\n") {
		t.Errorf("plan:\n%s", text)
	}
}

// TestExplanationShapes: a chain leads down from a waiting object, and up to the owners
// that keep one.
func TestExplanationShapes(t *testing.T) {
	a, b, c := graph.Key{Kind: "k", Name: "a", UID: "a"}, graph.Key{Kind: "k", Name: "b", UID: "b"}, graph.Key{Kind: "k", Name: "c", UID: "c"}
	owner := func(k graph.Key, class explain.Class) explain.Owner {
		return explain.Owner{Owner: graph.Owner{Key: k}, Class: class}
	}
	for _, tt := range []struct {
		x            explain.Explanation
		want, reason string
	}{
		{explain.Explanation{Key: a, State: explain.Exists, Decision: explain.Decision{Action: policy.Keep, Reason: policy.OwnerSolid}, Owners: []explain.Owner{owner(b, explain.Solid)},
			Wait: []explain.Condition{{Key: b, Reason: policy.OwnerSolid, For: []explain.Condition{{Key: c, Reason: policy.NoOwners, End: explain.User}}}}},
			"k/c  (no owners)\n├── k/b  (an owner exists)\n│   └── k/a  (an owner exists)\n└── user  (next actor)\n", "owners stand above, and so do their owners"},
		{explain.Explanation{Key: a, State: explain.Exists, Deleting: true, Decision: explain.Decision{Action: policy.Wait, Reason: policy.NeedDependents},
			Wait: []explain.Condition{{Key: b, Reason: policy.NeedDependents, For: []explain.Condition{{Key: a, Reason: policy.NeedDependents, End: explain.Ring, Ring: []graph.Key{a, b}}}}}, Cut: 2},
			"k/a  (being deleted, waits for its dependents; dependents hold it)\n└── k/b  (waited for; held; dependents hold it)\n    └── k/a  (a ring: drawn above)\n", "a ring ends"},
		{explain.Explanation{Key: a, State: explain.Exists, Decision: explain.Decision{Reason: policy.OnlySelf}, Owners: []explain.Owner{{Owner: graph.Owner{Key: a}, Self: true, Class: explain.Solid}},
			Wait: []explain.Condition{{Key: a, Reason: policy.OnlySelf, End: explain.Ring, Ring: []graph.Key{a}}}},
			"k/a  (held; owned by itself alone)\n└── k/a  (a ring: drawn above)\n", "an object may own itself"},
		{explain.Explanation{Key: a, State: explain.Gone, Deletion: &explain.Deletion{Proof: &explain.Proof{Owners: []explain.Owner{owner(b, explain.Dangling)}}}},
			"k/b  (absent)\n└── k/a  (absent)\n", "an object that is gone has the owners of its proof"},
		{explain.Explanation{Key: a, State: explain.Referred, Decision: explain.Decision{Reason: policy.NeedOwner}}, "k/a  (unknown)\n", "an object may be referred to alone"},
		{explain.Explanation{Key: a, State: explain.Exists, Decision: explain.Decision{Reason: policy.NeedFence},
			Wait: []explain.Condition{{Reason: policy.FenceHeld, End: explain.Kind, Actor: "k\n2"}}},
			"k/a  (held; a fence has to pass; a sick kind holds the fence)\n└── kind k\\n2  (next actor)\n", "a condition without a key is about the object itself"},
	} {
		if text := view.Explanation(tt.x, 0).Text(); !strings.HasPrefix(text, tt.want) {
			t.Errorf("%swant:\n%s%s", text, tt.want, tt.reason)
		}
	}
}

// TestExplanationBounds: a node has at most eight notes, the picture counts the conditions beyond
// the bound, and a reference of an object to itself changes no class.
func TestExplanationBounds(t *testing.T) {
	a := graph.Key{Kind: "k", Name: "a", UID: "a"}
	x := explain.Explanation{Key: a, State: explain.Exists, Deleting: true, Decision: explain.Decision{Reason: policy.NeedDependents}, Cut: 2,
		Owners: []explain.Owner{{Owner: graph.Owner{Key: a}, Class: explain.Dangling}}}
	for i := range 20 {
		x.Wait = append(x.Wait, explain.Condition{Key: a, Reason: policy.NeedFence, End: explain.Kind, Actor: "k", Text: fmt.Sprintf("<text-%02d>", i)})
	}
	text := view.Explanation(x, 0).Text()
	if n := strings.Count(text, "; <text-"); n != 8 {
		t.Errorf("%d notes, want 8:\n%s", n, text)
	}
	if !strings.Contains(text, "\n2 conditions beyond the bound of the explanation\n") {
		t.Errorf("no count of conditions:\n%s", text)
	}
	if !strings.HasPrefix(text, "k/a  (being deleted, waits for its dependents") {
		t.Errorf("another class:\n%s", text)
	}
}

// TestPlanShowsPolicies: an edge of a plan has its policy without the objects, and a refused deletion
// has a line.
func TestPlanShowsPolicies(t *testing.T) {
	objects := parse(t, "site/front@f; page/home@h -> site/front@f:cascade, site/gone@g:release")
	front, home := objects[0].Key, objects[1].Key
	p := view.Plan(plan.Plan{
		Request: plan.Request{Delete: []plan.Target{{Key: front}}},
		Objects: []plan.Object{
			{Key: home, Outcome: plan.Kept, Parent: front, Edges: []plan.Edge{{Owner: front, OnDelete: graph.OnDeleteCascade}, {Owner: objects[1].Owners[1].Key, OnDelete: graph.OnDeleteRelease}}},
			{Key: front, Outcome: plan.Held, Reason: policy.Restricted, Root: true},
		},
		Refusals: []plan.Refusal{{Target: front, Dependents: []graph.Key{home}}},
	}, nil, 0)
	want := "site/front  (held; deleted by the user; another object restricts it)\n└── page/home  (cascade; stays)\n" +
		"2 objects, 0 waves, 0 writes, at most 0 reads and 0 fences\n" +
		"the store refuses the deletion of site/front, because other objects restrict it\n" +
		"cascade: the dependent goes with this owner, even if its other owners exist\n"
	if got := p.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
