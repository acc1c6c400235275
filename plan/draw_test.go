package plan_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

func drawKey() *rapid.Generator[graph.Key] {
	return rapid.Custom(func(t *rapid.T) graph.Key {
		word := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b"}), rapid.String())
		return graph.Key{
			Kind: graph.Kind(word.Draw(t, "kind")), Scope: word.Draw(t, "scope"), Name: word.Draw(t, "name"), UID: graph.UID(word.Draw(t, "uid")),
		}
	})
}

// drawList draws a list that is nil if it is empty, as the reader returns it.
func drawList[T any](t *rapid.T, of *rapid.Generator[T], name string) []T {
	list := rapid.SliceOfN(of, 0, 4).Draw(t, name)
	if len(list) == 0 {
		return nil
	}
	return list
}

// drawEnum draws a value up to the last one.
func drawEnum[T ~uint8](t *rapid.T, last T, name string) T {
	return T(rapid.Uint8Max(uint8(last)).Draw(t, name))
}

func drawObject(t *rapid.T) plan.Object {
	return plan.Object{
		Key: drawKey().Draw(t, "key"), Outcome: drawEnum(t, plan.Held, "outcome"), Possible: rapid.Bool().Draw(t, "possible"),
		Root: rapid.Bool().Draw(t, "root"), Reason: drawEnum(t, policy.Restricted, "reason"), Doubt: drawEnum(t, graph.Renamed, "doubt"),
		Causes: drawList(t, rapid.String(), "causes"), Owners: drawList(t, drawKey(), "owners"), Holder: drawKey().Draw(t, "holder"), Container: drawKey().Draw(t, "container"),
		Wave: rapid.IntMin(0).Draw(t, "wave"), Phase: rapid.IntMin(0).Draw(t, "phase"), Forward: rapid.Bool().Draw(t, "forward"), Parent: drawKey().Draw(t, "parent"),
		Edges: drawList(t, rapid.Custom(func(t *rapid.T) plan.Edge {
			return plan.Edge{Owner: drawKey().Draw(t, "owner"), OnDelete: drawEnum(t, graph.OnDeleteCascade, "policy")}
		}), "edges"),
	}
}

func drawStep(t *rapid.T, number int) plan.Step {
	s := plan.Step{
		Actor: drawEnum(t, plan.Container, "actor"), Action: drawEnum(t, policy.Attach, "action"), Key: drawKey().Draw(t, "key"),
		Reason: drawEnum(t, policy.Restricted, "reason"), Propagation: drawEnum(t, graph.Orphan, "propagation"),
		Finalizer: rapid.String().Draw(t, "finalizer"), Handler: rapid.Bool().Draw(t, "handler"),
		Owners: drawList(t, drawKey(), "owners"), Removes: rapid.Bool().Draw(t, "removes"), Wave: rapid.IntMin(0).Draw(t, "wave"),
		AfterMore: rapid.IntMin(0).Draw(t, "more"), Fence: rapid.Bool().Draw(t, "fence"),
	}
	for n := 1; n < number; n++ {
		if rapid.Bool().Draw(t, "after") {
			s.After = append(s.After, n)
		}
	}
	return s
}

func drawPlan(t *rapid.T) plan.Plan {
	count := rapid.IntMin(0)
	p := plan.Plan{
		Request:   plan.Request{Removed: drawList(t, rapid.String(), "removed"), Failing: drawList(t, rapid.String(), "failing"), Limit: count.Draw(t, "limit")},
		Objects:   drawList(t, rapid.Custom(drawObject), "objects"),
		Truncated: count.Draw(t, "truncated"), StepsTruncated: count.Draw(t, "steps truncated"), Waves: count.Draw(t, "waves"),
		Cost: plan.Cost{
			Writes: count.Draw(t, "writes"), Reads: count.Draw(t, "reads"), Fences: count.Draw(t, "fences"),
			Handlers: count.Draw(t, "handlers"), Varies: rapid.Bool().Draw(t, "varies"),
		},
		WithoutBlocker: drawList(t, drawKey(), "without blocker"), BestEffort: rapid.Bool().Draw(t, "best effort"), Torn: rapid.Bool().Draw(t, "torn"), Busy: rapid.Bool().Draw(t, "busy"),
		Fingerprint: rapid.String().Draw(t, "fingerprint"),
	}
	p.Request.Delete = drawList(t, rapid.Custom(func(t *rapid.T) plan.Target {
		return plan.Target{Key: drawKey().Draw(t, "key"), Propagation: drawEnum(t, graph.Orphan, "propagation")}
	}), "delete")
	slices.SortFunc(p.Objects, func(a, b plan.Object) int { return a.Key.Compare(b.Key) })
	p.Objects = slices.CompactFunc(p.Objects, func(a, b plan.Object) bool { return a.Key == b.Key })
	for n := range rapid.IntRange(0, 4).Draw(t, "steps") {
		p.Steps = append(p.Steps, drawStep(t, n+1))
	}
	p.Scopes = drawList(t, rapid.Custom(func(t *rapid.T) plan.ScopeTotal {
		return plan.ScopeTotal{Scope: rapid.String().Draw(t, "scope"), Removed: count.Draw(t, "removed")}
	}), "scopes")
	p.Totals = drawList(t, rapid.Custom(func(t *rapid.T) plan.Total {
		n := func(name string) int { return count.Draw(t, name) }
		return plan.Total{
			Kind: graph.Kind(rapid.String().Draw(t, "kind")), Removed: n("removed"), Orphaned: n("orphaned"), Trimmed: n("trimmed"),
			Kept: n("kept"), Held: n("held"), Possible: n("possible"), Affected: n("affected"),
		}
	}), "totals")
	p.Refusals = drawList(t, rapid.Custom(func(t *rapid.T) plan.Refusal {
		return plan.Refusal{Target: drawKey().Draw(t, "target"), Dependents: drawList(t, drawKey(), "dependents"), More: count.Draw(t, "more")}
	}), "refusals")
	p.Assumptions = drawList(t, rapid.Custom(func(t *rapid.T) plan.Assumption {
		return plan.Assumption{
			Type: drawEnum(t, plan.CascadesMeant, "type"), Name: rapid.String().Draw(t, "name"), Count: count.Draw(t, "count"), Detail: rapid.String().Draw(t, "detail"),
		}
	}), "assumptions")
	return p
}
