package exhaustive

import (
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// TestGuardedScopes: no law of guards breaks in scopes that are searched in full (RULES, G1
// to G4 and G8). CI's run has more of them. Without -whole each scope has a share of its graphs,
// and some have fewer actions or switches.
func TestGuardedScopes(t *testing.T) {
	stages := []Stage{
		some(4, guardStage(2, Scope{Actions: 1, Crashes: 1}, GuardProtected)),
		some(4, guardStage(2, Scope{Actions: 1, Crashes: 1}, GuardOrder)),
		some(4, guardStage(2, Scope{Actions: 1, Rewinds: 1}, GuardNone)),
		some(4, guardStage(2, Scope{Actions: 1, Outages: 1}, GuardAlways)),
		some(4, guardStage(2, Scope{Actions: 1, Outages: 1}, GuardMany)),
		some(8, guardStage(2, Scope{Actions: 1, Engines: 2, Switches: portion.Number(2, 3)}, GuardProtected, GuardUnset)),
		some(8, guardStage(2, Scope{Actions: 1, Engines: 2, Switches: portion.Number(2, 3)}, GuardNone, GuardMany)),
	}
	for _, g := range guards() {
		stages = append(stages,
			some(4, guardStage(2, Scope{Actions: portion.Number(1, 2), Late: true, Verdicts: true}, g)),
			some(16, guardStage(3, Scope{Actions: 2}, g)))
	}
	t.Log("\n" + Heading())
	Run(stages, 2, time.Time{}, func(r Row) {
		t.Log("\n" + r.String())
		if r.Broken != nil {
			short := Shorten(*r.Broken)
			t.Errorf("%s, %s: %v\n%s", short.Graph, r.Stage, short.Broken, short.History)
		}
	})
}

// TestBrakedScopes: a brake keeps objects and ends none wrongly, and no write begins while an
// engine is paused (RULES, G5 and G6). CI's run has more scopes. Without -whole each
// one has a share of its graphs.
func TestBrakedScopes(t *testing.T) {
	stages := slices.DeleteFunc(braked(), func(s Stage) bool { return s.Scope.Late || s.Scope.Engines > 1 || s.Objects > 2 })
	for i := range stages {
		stages[i] = some(3, stages[i])
	}
	Run(stages, 2, time.Time{}, func(r Row) {
		t.Log("\n" + r.String())
		if r.Broken != nil {
			short := Shorten(*r.Broken)
			t.Errorf("%s, %s: %v\n%s", short.Graph, r.Stage, short.Broken, short.History)
		}
	})
}

// TestGuardWords: each guard has a name of its own, and its own settings.
func TestGuardWords(t *testing.T) {
	if got := Guard(99).String(); got != "guard(99)" || GuardUnset.String() != "no guard" {
		t.Errorf("an unknown guard is called %q, and none %q", got, GuardUnset)
	}
	for _, g := range guards() {
		if c := g.config(); len(c.Guards) != 1 || (g == GuardRule) != (len(c.Protect) == 1) {
			t.Errorf("%s: %d guards and %d rules of protection", g, len(c.Guards), len(c.Protect))
		}
	}
	for _, g := range brakes() {
		if c := g.config(); len(c.Guards) != 0 || c.Brake == (engine.Brake{}) || (g == GuardBraked) != (Scope{Guards: []Guard{g}}).oracle().Braked {
			t.Errorf("%s: %d guards, brake %v", g, len(c.Guards), c.Brake)
		}
	}
	if err := whilePaused(engine.Call{Type: engine.CallDelete}); err == nil || whilePaused(engine.Call{Type: engine.CallRead}) != nil {
		t.Errorf("while an engine is paused, a delete gives %v, and a read must give nil", err)
	}
	if s := (Scope{Engines: 2, Guards: []Guard{GuardRule, GuardUnset}}); s.protects() != nil || len(s.oracle().Beside) != 1 {
		t.Error("a rule of one engine binds the other one")
	}
}
