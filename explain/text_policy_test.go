package explain_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestTextOfPolicies: an owner has its policy, and the text names the reference that decides, or the
// objects that restrict.
func TestTextOfPolicies(t *testing.T) {
	project := graph.Key{Kind: "project", Scope: "shop", Name: "web", UID: "w"}
	owner := func(k graph.Key, d graph.OnDelete, c explain.Class) explain.Owner {
		return explain.Owner{Owner: graph.Owner{Key: k, OnDelete: d}, Class: c, Evidence: explain.WatchSaw, At: noon}
	}
	going := func(a policy.Action, r policy.Reason, owners ...explain.Owner) explain.Explanation {
		x := waits(a, r, explain.Condition{End: explain.Work, Actor: "its turn in the queue"})
		x.Owners = owners
		return x
	}
	unset, cascade, release := owner(set, graph.OnDeleteUnset, explain.Solid), owner(deployment, graph.OnDeleteCascade, explain.Dangling), owner(project, graph.OnDeleteRelease, explain.Waiting)
	waiting := cascade
	waiting.Class = explain.Waiting
	second := cascade
	second.Key = project
	restrict := owner(deployment, graph.OnDeleteRestrict, explain.Solid)
	restricted := func(wait ...explain.Condition) explain.Explanation {
		return explain.Explanation{Key: pod, State: explain.Exists, Decision: explain.Decision{Action: policy.Wait, Reason: policy.Restricted}, Wait: wait}
	}
	by := explain.Condition{Key: set, Reason: policy.OwnerSolid, For: []explain.Condition{{Key: deployment, Reason: policy.NoOwners, End: explain.User}}}
	other := explain.Condition{Key: project, Reason: policy.NoOwnerDeletes, End: explain.User}
	ring := explain.Condition{Key: set, Reason: policy.Restricted, For: []explain.Condition{{Key: pod, Reason: policy.Restricted, End: explain.Ring, Ring: []graph.Key{pod, set}}}}
	cut := restricted(by, other)
	cut.Cut = 4
	kept := waits(policy.Keep, policy.NoOwnerDeletes, explain.Condition{End: explain.User})
	kept.Owners = []explain.Owner{restrict, release}
	kept.Owners[1].Class = explain.Solid
	gone := explain.Explanation{Key: pod, State: explain.Gone, Changed: noon, Deletion: &explain.Deletion{
		Object: graph.Object{Key: pod}, Garbage: explain.WasGarbage,
		Proof: &explain.Proof{Certain: true, Version: "7", Decision: explain.Decision{Action: policy.Delete, Reason: policy.CascadeOwnerGone}, Owners: []explain.Owner{unset, cascade}},
	}}
	checkTexts(t, "policies.golden", []text{
		{going(policy.Delete, policy.CascadeOwnerGone, cascade), "the only owner is that of a cascade reference"},
		{going(policy.Delete, policy.CascadeOwnerGone, unset, cascade), "the other owner exists"},
		{going(policy.Delete, policy.CascadeOwnerGone, cascade, second), "two cascade references"},
		{going(policy.Delete, policy.CascadeOwnerWaits, unset, waiting), "the owner waits"},
		{going(policy.Delete, policy.OwnersGone, owner(set, graph.OnDeleteUnset, explain.Dangling), release), "the unset owners decide, and the release owner is not named as lost"},
		{going(policy.Trim, policy.OwnerReleases, unset, release), "a release reference goes"},
		{kept, "no owner deletes it"},
		{restricted(by), "another object restricts it, and its owners keep that object"},
		{marked(restricted(by, other)), "two objects restrict a marked object, below level 3"},
		{restricted(ring), "objects that restrict each other"},
		{cut, "more objects restrict it"},
		{gone, "the proof names the reference that decided"},
	})
}
