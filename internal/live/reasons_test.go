package live

import (
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

func TestReasons(t *testing.T) {
	key := node("a").Key
	decide := func(a policy.Action, r policy.Reason) engine.DecisionEvent {
		return engine.DecisionEvent{Key: key, Decision: policy.Decision{Action: a, Reason: r}}
	}
	tests := []struct {
		decided engine.DecisionEvent
		want    string
		reason  string
	}{
		{decide(policy.Wait, policy.NeedFence), "", "what writes nothing explains nothing"},
		{decide(policy.Delete, policy.OwnersWaiting), "all owners are gone or wait for it", "a write"},
		{decide(policy.Release, policy.DependentsGone), "nothing blocks it any more", "the latest write counts"},
		{decide(policy.Keep, policy.NeedFinalizers), "nothing blocks it any more", "a decision without a write changes nothing"},
	}
	var r Reasons
	for _, tt := range tests {
		r.Note(tt.decided)
		if got := r.Of(key); got != tt.want {
			t.Errorf("why %+v: %q, want %q: %s", tt.decided.Decision, got, tt.want, tt.reason)
		}
	}
}

func TestExplainHeld(t *testing.T) {
	owner := graph.Owner{Key: graph.Key{Kind: "apps/Deployment", Scope: "shop", Name: "odd name!", UID: "1-2"}, Block: true, Controller: true, Unresolved: true}
	tests := []struct {
		held   engine.Held
		want   string
		reason string
	}{
		{engine.Held{Reason: policy.OnlySelf}, "owned by itself alone", "a reason needs no detail"},
		{engine.Held{Reason: policy.OwnerUnknown, Doubt: graph.Misplaced, Detail: []string{owner.String()}},
			`owner lives in another scope ("apps/Deployment"/shop/"odd name!")`, "the doubt says more, and the owner is spelt as it is typed, in quotes where it has to be"},
		{engine.Held{Reason: policy.NeedDependents, Detail: []string{node("a").Key.String(), node("b").Key.String()}},
			"dependents hold it (K/s/a, K/s/b)", "so are dependents"},
		{engine.Held{Reason: policy.NeedFinalizers, Detail: []string{"x.io/y"}}, "finalizers hold it (x.io/y)", "a finalizer is no object"},
		{engine.Held{Reason: policy.NeedGrace, Detail: []string{"30 s"}}, "its grace period has to end (30 s)", "nor is a time"},
		{engine.Held{Reason: policy.StoreRefused, Detail: []string{"no, never"}}, "the store refused the write (no, never)", "a text that is not an object stays"},
		{engine.Held{Reason: policy.Paused, Detail: []string{"everything"}}, "the engine is paused (everything)", "the extent of a pause is no object"},
		{engine.Held{Reason: policy.NeedFinalizers, Detail: []string{"1", "2", "3", "4", "5", "6"}}, "finalizers hold it (1, 2, 3, 4, 5, ...)", "a line is bounded"},
	}
	for _, tt := range tests {
		if got := Explain(tt.held); got != tt.want {
			t.Errorf("Explain = %q, want %q: %s", got, tt.want, tt.reason)
		}
	}
}
