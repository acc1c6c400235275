package run

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestMentions: a decision of a guard, an approval and a release by another writer are Events at
// once, each once for an object. So is the brake of a cascade, about its root alone.
func TestMentions(t *testing.T) {
	for _, c := range []struct {
		event  engine.DecisionEvent
		want   string
		reason string
	}{
		{decision(policy.VerdictPassed, "7"), "Normal VerdictPassed: a guard lets its deletion pass", "a verdict"},
		{decision(policy.VerdictRefused, "7"), "Warning VerdictRefused: a guard refuses its deletion", "a verdict"},
		{decision(policy.DeletionApproved, "7"), "Normal DeletionApproved: its deletion is approved", "by a program with Approve"},
		{decision(policy.HoldRemoved, "7"), "Warning HoldRemoved: another writer has taken its hold off", "kubectl, for example"},
		{decision(policy.RootUnguarded, "7"), "Warning RootUnguarded: it was deleted before its guard could hold it", "nothing held it"},
		{decision(policy.Braked, ""), "Warning Braked: its cascade has more objects than the brake allows: the limit is 7 objects (flag -brake); -approve lets them go, and -refuse keeps them", "a trip of the brake"},
		{decision(policy.Braked, "7"), "", "one of a thousand objects below that root"},
		{decision(policy.CascadeRefused, "7"), "", "the same after an answer"},
		{decision(policy.RootSeen, "7"), "", "it is no verdict"},
		{decision(policy.NeedVerdict, "7"), "", "only if it takes long"},
		{decision(policy.Paused, "7"), "", "one of the objects that a pause covers"},
		{engine.DecisionEvent{Decision: policy.Decision{Reason: policy.Braked}}, "", "it names no object"},
		{engine.DecisionEvent{Decision: policy.Decision{Reason: policy.VerdictPassed}, Barred: policy.StoreRefused}, "", "the write does not go out"},
	} {
		bubble(t, Config{Events: true, Engine: ownergraph.Config{Brake: engine.Brake{PerCascade: 7}}}, func(r *rig) {
			r.start(r.program)
			for range 3 {
				r.program.sender.decided(c.event)
			}
			pass(time.Second)
			got := r.eventLines()
			if len(got) > 1 || len(got) == 0 != (c.want == "") || c.want != "" && got[0] != c.want {
				t.Errorf("%q, want %q: %s", got, c.want, c.reason)
			}
		})
	}
}

// TestCascadeRounds: each answer for a cascade is an Event, and each trip after it. Two programs
// that see the same ones make the same Events.
func TestCascadeRounds(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		other := r.add(Config{Events: true})
		for _, p := range []*Program{r.program, other} {
			r.start(p)
			for _, why := range []policy.Reason{policy.Braked, policy.Braked, policy.DeletionApproved, policy.Braked, policy.CascadeRefused, policy.DeletionApproved} {
				p.sender.decided(decision(why, ""))
			}
			pass(time.Second)
		}
		var got []string
		for _, e := range r.events() {
			got = append(got, e.Reason)
		}
		slices.Sort(got)
		if want := []string{"Braked", "Braked", "CascadeRefused", "DeletionApproved", "DeletionApproved"}; !slices.Equal(got, want) {
			t.Errorf("events %q, want %q", got, want)
		}
	})
}

func decision(why policy.Reason, version graph.Version) engine.DecisionEvent {
	return engine.DecisionEvent{
		Key: graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "root", UID: "u"}, Version: version,
		Owners: []graph.Owner{{Key: graph.Key{Kind: "Pod", Name: "p", UID: "o"}}}, Decision: policy.Decision{Reason: why},
	}
}

// eventLines returns the type, reason and message of each Event.
func (r *rig) eventLines() (out []string) {
	r.t.Helper()
	for _, e := range r.events() {
		out = append(out, fmt.Sprintf("%s %s: %s", e.Type, e.Reason, e.Message))
	}
	return out
}

// TestHeldMentions: a refused deletion is reported with its causes by the next read of the held
// objects. A verdict that is missing is reported after HeldAfter, and an object that the brake
// holds is not reported.
func TestHeldMentions(t *testing.T) {
	bubble(t, Config{Events: true}, func(r *rig) {
		r.start(r.program)
		now := time.Now()
		held := func(uid graph.UID, why policy.Reason, since time.Duration, detail ...string) engine.Held {
			return engine.Held{Key: graph.Key{Kind: "ConfigMap", Scope: "ns", Name: "root", UID: uid}, Reason: why, Since: now.Add(-since), Detail: detail}
		}
		r.program.reportHeld([]engine.Held{
			held("a", policy.DeletionRefused, 0, "2000 objects end, and the limit is 100"), held("b", policy.NeedVerdict, 0),
			held("c", policy.NeedVerdict, time.Hour, "Pod: no rights"), held("d", policy.Braked, time.Hour), held("e", policy.Paused, time.Hour),
		}, graph.Key{}, now)
		pass(time.Second)
		got := r.eventLines()
		slices.Sort(got)
		want := []string{
			"Warning DeletionRefused: its deletion needs an approval: 2000 objects end, and the limit is 100",
			"Warning NeedVerdict: a guard has to judge its deletion: Pod: no rights",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
