package exhaustive

import (
	"maps"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// onWorld and byTables search one graph, and also return the end states that they
// reach.
func onWorld(g []graph.Object, scope Scope) (Result, map[string]bool) {
	s, ends := newSearch(g, scope), map[string]bool{}
	s.judge.saw = func(end string) { ends[end] = true }
	s.run()
	return s.res, ends
}

func byTables(g []graph.Object, scope Scope, exact bool, hooks hooks) (Result, map[string]bool) {
	e, ends := newExplorer(g, scope), map[string]bool{}
	e.exact, e.hooks, e.saw = exact, hooks, func(end string) { ends[end] = true }
	e.run()
	return e.res, ends
}

// TestTablesAgree: the search by tables visits the same states as the search that makes
// every move on a world. Both have the same number of states and the same end states,
// and no rule breaks. Without the reduction by left crashes and listings it reaches the
// same ends. Without -whole each stage has a share of its graphs.
func TestTablesAgree(t *testing.T) {
	for i, c := range []struct {
		oneIn  int // of the graphs
		stage  Stage
		reason string
	}{
		{5, Stage{Objects: 2, Scope: Scope{Actions: 2}}, "no faults"},
		{5, Stage{Objects: 2, Scope: Scope{Actions: 2, Late: true}}, "a late engine"},
		{1, Stage{Objects: 2, From: 6, Scope: Scope{Actions: 1, Late: true, Calls: 2}}, "two calls under way"},
		{2, Stage{Objects: 2, Every: 2, Scope: Scope{Actions: 2, Waits: 1}}, "an early timeout gives fences up"},
		{5, Stage{Objects: 2, Scope: Scope{Actions: 1, Crashes: 1, Listings: 1}}, "new listings and crashes"},
		{2, Stage{Objects: 2, From: 1, Every: 3, Scope: Scope{Actions: 1, Crashes: 1, Late: true}}, "late writes"},
		{2, Stage{Objects: 2, Kinds: 1, From: 1, Every: 3, Scope: Scope{Actions: 1, Crashes: 1, Listings: 1}}, "one kind"},
		{2, Stage{Objects: 2, Every: 2, Scope: Scope{Actions: 1, Engines: 2, Switches: 3}}, "two engines"},
		{2, Stage{Objects: 2, From: portion.Number(1, 2), Every: 4, Scope: Scope{Actions: 1, Engines: 2, Switches: 1, Crashes: 1}}, "two engines, one of which crashes"},
		{5, Stage{Objects: 2, Scope: Scope{Actions: 2, Tokens: true}}, "late tokens of fences"},
		{5, Stage{Objects: 2, Scope: Scope{Actions: 2, Late: true, Strict: true}}, "a store of level 3"},
		{2, Stage{Objects: 2, Every: 2, Scope: Scope{Actions: 1, Listings: 1, Waits: 1, Tokens: true}}, "the same, with new listings, and fences that are given up"},
		{2, Stage{Objects: 2, From: 1, Every: 3, Scope: Scope{Actions: 1, Crashes: 1, Late: true, Tokens: true}}, "the same, and a late engine that crashes"},
		{2, Stage{Objects: 3, Every: 50, Scope: Scope{Actions: 1, Listings: 1}}, "three objects"},
		{2, Stage{Objects: 2, Every: 2, Scope: Scope{Actions: 1, Rewinds: 1, Users: Restoring}}, "a restore"},
		{1, Stage{Objects: 2, To: 1, Scope: Scope{Actions: 1, Rewinds: 1, Users: Restoring, Late: true}}, "a restore of a late engine's store"},
		{2, Stage{Objects: 2, Every: 2, Scope: Scope{Actions: 1, Outages: 1}}, "a kind that is out of reach"},
		{1, Stage{Objects: 2, From: 2, To: 2, Scope: Scope{Actions: 1, Outages: 1, Late: true}}, "the same, and a late engine"},
		{2, Stage{Objects: 2, Foreign: true, Every: 5, Scope: Scope{Actions: 2, Users: Deleting, Late: true}}, "foreign finalizers"},
		{1, Stage{Objects: 2, Doubts: true, Every: 4, Scope: Scope{Actions: 1, Users: Touching}}, "unresolved references, and touches"},
		{3, guardStage(2, Scope{Actions: 1, Late: true, Verdicts: true}, GuardOrder), "late verdicts"},
		{8, guardStage(2, Scope{Actions: 1, Crashes: 1, Verdicts: true}, GuardProtected), "a guard, and a crash"},
		{3, Stage{Objects: 2, Scope: Scope{Actions: 1, Engines: 2, Switches: 1, Shares: 1}}, "shares"},
		{1, Stage{Objects: 2, To: 1, Scope: Scope{Actions: 1, Users: Deleting, Engines: 2, Switches: 1, Shares: 1, Late: true}}, "shares of late engines"},
		{1, Stage{Objects: 2, To: 1, Scope: Scope{Actions: 1, Users: Deleting, Engines: 2, Switches: 1, Shares: 1, Crashes: 1}}, "shares, and a crash"},
		{1, Stage{Objects: 2, From: 2, To: 4, Scope: Scope{Actions: 2, Users: Undeleting}}, "a store with entries"},
		{1, Stage{Objects: 2, From: 2, To: 2, Scope: Scope{Actions: 2, Users: Undeleting, Policies: true, Crashes: 1}}, "the same, and a crash"},
		{2, Stage{Objects: 2, Guarded: true, From: 2, To: 3, Scope: Scope{Actions: 1, Users: Guarding, Engines: 2, Switches: 2, Guards: []Guard{GuardNone, GuardUnset}}}, "engines with other settings"},
	} {
		if raced && i%2 == 1 { // a search is the same, and the detector looks at its goroutines alone
			continue
		}
		t.Run(c.stage.String(), func(t *testing.T) {
			t.Parallel()
			for _, g := range some(c.oneIn, c.stage).graphs() {
				want, ends := onWorld(g, c.stage.Scope)
				got, exact := byTables(g, c.stage.Scope, true, hooks{})
				less, reduced := byTables(g, c.stage.Scope, false, hooks{})
				for _, r := range [...]Result{want, got, less} {
					if r.Broken != nil {
						t.Fatalf("%s (%s): %v\n%s", r.Graph, c.reason, r.Broken, r.History)
					}
				}
				if want.States != got.States || less.States > got.States {
					t.Errorf("%s (%s): %d states on the world, %d by tables, %d reduced",
						want.Graph, c.reason, want.States, got.States, less.States)
				}
				if !maps.Equal(ends, exact) || !maps.Equal(ends, reduced) {
					t.Errorf("%s (%s): ends differ: %v on the world, %v by tables, %v reduced", want.Graph, c.reason, ends, exact, reduced)
				}
			}
		})
	}
}

// TestTablesFindDefects: the search by tables finds a store's defects on exactly those
// graphs on which the other search finds them.
func TestTablesFindDefects(t *testing.T) {
	for _, c := range []struct {
		name   string
		scope  Scope
		defect func(x *state, m move, honest func() (bool, error)) (bool, error)
		hooks  hooks
		reason string
	}{
		{"blind to versions", Scope{Actions: 2}, blindToVersions, hooks{call: blindCall}, "an invariant is broken"},
		{"false absence", Scope{Actions: 2}, falseAbsence, hooks{answer: deny}, "a read is evidence"},
		{"lost event", Scope{Actions: 1, Listings: 1}, lostEvent, hooks{event: isGone}, "an end state is not permitted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := 0
			for _, g := range Graphs(2, 0) {
				scope := c.scope
				scope.defect = c.defect
				want, _ := onWorld(g, scope)
				for _, exact := range [...]bool{true, false} {
					got, _ := byTables(g, c.scope, exact, c.hooks)
					if (want.Broken == nil) != (got.Broken == nil) {
						t.Errorf("%s, exact %v: %v on the world, %v by tables (%s)", want.Graph, exact, want.Broken, got.Broken, c.reason)
					}
				}
				if want.Broken != nil {
					found++
				}
			}
			if found == 0 {
				t.Error("found on no graph")
			}
		})
	}
}

func blindCall(live *world.Store, c *engine.Call) {
	switch o, err := live.Get(c.Key); {
	case err != nil:
	case c.Type == engine.CallDelete:
		c.Options.Precondition.Version = o.Version
	default:
		c.Precondition.Version = o.Version
	}
}

func deny(r *engine.Result) { *r = engine.Result{Err: graph.ErrNotFound} }

func isGone(e graph.Event) bool { return e.Type == graph.Gone }

// TestShortest: a search with a broken rule reports the shortest history.
func TestShortest(t *testing.T) {
	g := Graphs(2, 0)[1]
	first, second := newExplorer(g, Scope{Actions: 2}), newExplorer(g, Scope{Actions: 2})
	first.hooks.event, second.hooks.event = isGone, isGone
	first.run()
	if first.res.Broken == nil {
		t.Fatal("nothing is broken")
	}
	short := second.shortest()
	if short.Broken == nil || len(short.History) > len(first.res.History) || len(short.History) > 4 {
		t.Fatalf("shortest of %d steps has %d: %v\n%s", len(first.res.History), len(short.History), short.Broken, short.History)
	}
	if !strings.Contains(short.Broken.Error(), "ends with") {
		t.Errorf("reported %v", short.Broken)
	}
}
