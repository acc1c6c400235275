package forecast

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/proof/rig"
	"github.com/ownergraph/ownergraph/plan"
)

// TestPlanCopyTargetGoes: a target that goes during the copy is not found.
func TestPlanCopyTargetGoes(t *testing.T) {
	e := rig.Listed(t, engine.Config{}, rig.Many(2*seed.Slice)...)
	p, v := seed.New(plan.Request{Delete: []plan.Target{{Key: rig.Put("a#1").Object.Key}}}, 0), driver(e).Seed()
	p.Restart(v)
	defer p.Close(v)
	for step, done := 0, false; !done; step++ {
		var err error
		if done, err = p.Step(v); err != nil || step > 100 {
			t.Fatalf("step %d: %v", step, err)
		}
		if step == 1 {
			rig.Observe(t, e, rig.Gone("a"))
		}
	}
	s := p.Seed(v, driver(e).SeedRest(rig.Now()))
	if _, err := begin(t.Context(), driver(e).Settings(), p, s, beside{}); !errors.Is(err, graph.ErrNotFound) {
		t.Errorf("%v, want that a is not found", err)
	}
}

// TestBrakePlan: a plan shows the objects that the brake will hold, and knows the answers of
// users. It knows no window.
func TestBrakePlan(t *testing.T) {
	cfg := engine.Config{Brake: engine.Brake{PerCascade: 2, Window: 1, Per: time.Hour}}
	e := rig.Listed(t, cfg, "a/x#1", "a/y#1", "b/x1#1 -> a/x", "b/x2#1 -> a/x", "b/x3#1 -> a/x", "b/y1#1 -> a/y", "b/y2#1 -> a/y")
	rig.Answer(t, e, graph.ErrNotFound) // the listings end
	ends := func(name string) string {
		t.Helper()
		p, err := PlanAtOnce(t.Context(), driver(e), rig.Now(), plan.Request{Delete: []plan.Target{{Key: rig.Put(name + "#1").Object.Key, Propagation: graph.Background}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, o := range p.Objects {
			n[fmt.Sprint(o.Outcome, " ", o.Reason.Code())]++
		}
		return fmt.Sprint(n)
	}
	for _, c := range []struct{ name, want, reason string }{
		{"a/x", "map[held Braked:3 removed Unset:1]", "more objects than the limit"},
		{"a/y", "map[removed OwnersGone:2 removed Unset:1]", "as many as the limit"},
	} {
		if got := ends(c.name); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
	rig.Observe(t, e, rig.Gone("a/x"))
	rig.Answer(t, e, graph.ErrNotFound)
	for _, b := range e.Braked(9) {
		if err := e.ApproveCascade(rig.Now(), b.Key, engine.BrakeApproval{Until: rig.Now().Add(time.Hour), AtMost: 9}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := PlanAtOnce(t.Context(), driver(e), rig.Now(), plan.Request{}, nil)
	if err != nil || len(p.Objects) != 3 || p.Objects[0].Outcome != plan.Removed {
		t.Errorf("%+v, %v; want that the approved objects are removed", p.Objects, err)
	}
}
