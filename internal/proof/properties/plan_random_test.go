package properties

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"github.com/ownergraph/ownergraph/plan"
	"pgregory.net/rapid"
)

// planAndRun plans deletions on a world at rest, carries them out, and compares the end
// with the plan.
func planAndRun(t rapid.TB, w *world.World, targets []plan.Target) {
	t.Helper()
	start := oracle.Line(w.Store.Objects())
	p, err := probe.Plan(w.Sides[0].Engine, w.Now, plan.Request{Delete: targets})
	if err != nil {
		t.Fatalf("%s: plan: %v", start, err)
	}
	again, err := probe.Plan(w.Sides[0].Engine, w.Now, plan.Request{Delete: targets})
	if err != nil || plan.Compare(p, again) != nil || len(again.Steps) != len(p.Steps) {
		t.Fatalf("%s: the second plan differs: %v, %v", start, err, plan.Compare(p, again))
	}
	before, objects := w.Requests, w.Store.Objects()
	heldBefore := slices.ContainsFunc(objects, func(o graph.Object) bool {
		return o.MarkWithheld() && slices.ContainsFunc(targets, func(x plan.Target) bool { return x.Key == o.Key })
	})
	for _, x := range targets {
		w.Do(oracle.Action{Verb: verbOf(x.Propagation), Object: graph.Object{Key: x.Key}})
	}
	if err := w.RunToRest(); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(p.Verdicts, func(v plan.Verdict) bool { return v.Refused() }) || heldBefore {
		if err := judgeRefusal(p, objects, w.Store.Objects()); err != nil {
			t.Fatalf("%s; %v: %v", start, targets, err)
		}
		return
	}
	end := oracle.Line(w.Store.Objects())
	if _, err := judgeEnds(p, []string{end}); err != nil {
		t.Fatalf("%s; %v: %v", start, targets, err)
	}
	if p.Cost.Varies || len(targets) > 1 {
		return
	}
	if err := judgeCost(p.Cost, before, w.Requests); err != nil {
		t.Fatalf("%s; %v: %v", start, targets, err)
	}
}

// drawTargets draws one or two objects of the store to delete.
func drawTargets(t *rapid.T, objects []graph.Object) (out []plan.Target) {
	for range rapid.IntRange(1, 2).Draw(t, "targets") {
		o := objects[rapid.IntRange(0, len(objects)-1).Draw(t, "target")]
		p := rapid.SampledFrom([]graph.Propagation{graph.Background, graph.Foreground, graph.Orphan}).Draw(t, "propagation")
		if !slices.ContainsFunc(out, func(x plan.Target) bool { return x.Key == o.Key }) {
			out = append(out, plan.Target{Key: o.Key, Propagation: p})
		}
	}
	return out
}

// TestPlanOfRandomWorlds: a plan made on a random world at rest is what then happens. Worlds
// have wrong references, several scopes, handlers, foreign finalizers, and all settings.
func TestPlanOfRandomWorlds(t *testing.T) {
	for _, s := range []style{tame, wild} {
		for range 4 {
			rapid.Check(t, func(t *rapid.T) {
				d := draws{t, size{style: s, engines: 1, objects: 9, actions: 0}}
				set := d.settings()
				set.Engines, set.Level = 1, ownergraph.Level2
				start := d.world(set)
				for i := range start { // a plan assumes its end, and no agent of these worlds brings it
					start[i].GraceSeconds = 0
				}
				w, err := world.New(set.Level, set.config(), 1, set.kinds(), start)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.RunToRest(); err != nil {
					t.Fatal(err)
				}
				if objects := w.Store.Objects(); len(objects) > 0 {
					planAndRun(t, w, drawTargets(t, objects))
				}
			})
		}
	}
}

// TestPlanOfFormerWorlds: the shrunk failures of TestPlanOfRandomWorlds.
func TestPlanOfFormerWorlds(t *testing.T) {
	for _, c := range []struct {
		start, key string
		delete     graph.Propagation
		reason     string
	}{
		{`g/a -> h/c; h/c~*; p/s/b~[foreground]; p/s/f -> h/c, p/s/bx@"p/s/b"`, "g/a", graph.Background,
			"the engine left a reference to the audit whose UID had lived under another name, and the plan trimmed it"},
		{`g/a -> h/c; h/c~*; p/s/b~[foreground]; p/t/f -> h/c, p/t/b@"p/s/b"`, "g/a", graph.Background,
			"the same in another scope"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			set := settings{Kinds: mixedKinds, Level: ownergraph.Level2, Engines: 1}
			w, err := world.New(set.Level, set.config(), 1, set.kinds(), parsed(t, c.start))
			if err != nil {
				t.Fatal(err)
			}
			if err := w.RunToRest(); err != nil {
				t.Fatal(err)
			}
			k, err := graph.ParseKey(c.key)
			if err != nil {
				t.Fatal(err)
			}
			planAndRun(t, w, []plan.Target{{Key: k, Propagation: c.delete}})
		})
	}
}

// TestPlanOfSweeps: a plan of the deletion of a holder, or of any other object of a world
// with sweeps, is what then happens.
func TestPlanOfSweeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSweepRun(t, ownergraph.Level2, sweepsOf(t))
		s.sick, s.rewinds = false, false
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			s.user()
		}
		for len(s.w.Sides) > 1 {
			s.w.Sides = s.w.Sides[:1]
		}
		s.check(s.w.RunToRest())
		if objects := s.w.Store.Objects(); len(objects) > 0 {
			planAndRun(t, s.w, drawTargets(t, objects))
		}
	})
}
