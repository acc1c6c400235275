package plan_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// TestTextOfPolicies: a plan shows the policy of each edge, the cascade reference that decides, and the
// objects that refuse a deletion.
func TestTextOfPolicies(t *testing.T) {
	root, team, task, note, bill := key("project/web@w"), key("team/a@t"), key("task/x@x"), key("note/y@y"), key("bill/z@z")
	edge := func(k graph.Key, d graph.OnDelete) plan.Edge { return plan.Edge{Owner: k, OnDelete: d} }
	p := plan.Plan{
		Request: plan.Request{Delete: []plan.Target{{Key: root}, {Key: team}}},
		Objects: []plan.Object{
			{Key: bill, Outcome: plan.Kept, Reason: policy.NoOwnerDeletes, Parent: team, Edges: []plan.Edge{edge(team, graph.OnDeleteRestrict)}},
			{Key: note, Outcome: plan.Trimmed, Reason: policy.NoOwners, Parent: root, Edges: []plan.Edge{edge(root, graph.OnDeleteRelease)}},
			{Key: root, Outcome: plan.Removed, Root: true},
			{Key: task, Outcome: plan.Removed, Reason: policy.CascadeOwnerGone, Parent: note, Edges: []plan.Edge{edge(root, graph.OnDeleteCascade), edge(note, graph.OnDeleteRelease)}},
			{Key: team, Outcome: plan.Held, Reason: policy.Restricted, Causes: []string{"bill/z@z"}, Root: true},
		},
		Steps: []plan.Step{
			{Actor: plan.User, Action: policy.Delete, Key: root, Removes: true, Wave: 1},
			{Actor: plan.Engine, Action: policy.Delete, Key: task, Reason: policy.CascadeOwnerGone, Owners: []graph.Key{root}, Removes: true, Wave: 2, After: []int{1}},
			{Actor: plan.Engine, Action: policy.Trim, Key: note, Reason: policy.OwnerReleases, Owners: []graph.Key{root}, Wave: 2, After: []int{1}},
		},
		Refusals:    []plan.Refusal{{Target: team, Dependents: []graph.Key{bill}, More: 1}},
		Assumptions: []plan.Assumption{{Type: plan.CascadesMeant, Name: "task", Count: 1}},
		Totals:      []plan.Total{{Kind: "x", Removed: 2, Trimmed: 1, Kept: 1, Held: 1, Affected: 5}},
	}
	want := `- project/web
  ~ note/y (release) loses the owner project/web
    - task/x (release, project/web:cascade) goes because of project/web
! team/a stays: another object restricts it (bill/z)
    bill/z (restrict) stays: no reference of it deletes it
! the store refuses the deletion of team/a: bill/z and 1 more restrict it
assumed: each cascade reference of the kind task is meant (1 object), since one wrong reference suffices to lose an object
2 objects go; 1 stays and loses an owner; 1 other stays; 1 is held
`
	if diff := cmp.Diff(want, p.Text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	want = `1. wave 1: the user deletes project/web, which removes it
2. wave 2: the engine deletes task/x, which removes it (the owner of a cascade reference is gone: project/web), after 1
3. wave 2: the engine trims the references of note/y to project/web (an owner goes, and its reference releases), after 1
`
	if diff := cmp.Diff(want, p.StepsText()); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestTextFoldsPolicies: objects with other policies do not share a line.
func TestTextFoldsPolicies(t *testing.T) {
	root := key("project/web@w")
	p := plan.Plan{Objects: []plan.Object{{Key: root, Outcome: plan.Removed, Root: true}}}
	for i := range 24 {
		d := graph.OnDeleteCascade
		if i%2 == 0 {
			d = graph.OnDeleteUnset
		}
		o := plan.Object{Key: key(fmt.Sprintf("task/%02d", i)), Outcome: plan.Removed, Parent: root}
		if d != graph.OnDeleteUnset {
			o.Edges = []plan.Edge{{Owner: root, OnDelete: d}, {Owner: key(fmt.Sprintf("lead/%02d", i)), OnDelete: graph.OnDeleteRelease}}
		}
		p.Objects = append(p.Objects, o)
	}
	want := `- project/web
  - task x 12: 00, 02, 04 and 9 more
  - task x 12: 01, 03, 05 and 9 more (cascade, release)
without a deletion 0 objects go; 0 are held
`
	if diff := cmp.Diff(want, p.Text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
