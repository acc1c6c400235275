package properties

import (
	"context"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// crashWorld is a sweep in the smallest steps. It has a tenant with a namespace that
// is a holder too, a job in the namespace with a finalizer, and a neighbour.
type crashWorld struct {
	w *world.World
	j *sweepJudge
}

func newCrashWorld(t *testing.T, level ownergraph.Level) *crashWorld {
	t.Helper()
	sweeps := []guard.Sweep{
		{Finalizer: "x.io/tenant", Holder: "tenant",
			Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}, {By: guard.ByScope, Delimiter: "-"}}},
		guard.ScopeSweep("ns", "x.io/ns", []graph.Kind{"job"}),
	}
	objects, err := graph.Parse("tenant/a; tenant/aa; ns/a-n; vol/a-v; vol/aa-v; pod/a-n/p; job/a-n/j[x.io/h]; pod/aa-n/p")
	if err != nil {
		t.Fatal(err)
	}
	cfg := ownergraph.Config{Sweeps: sweeps, Handlers: map[string]finalizer.Handler{
		"x.io/h": func(context.Context, graph.Object) error { return nil },
	}}
	if limit := 9; level >= ownergraph.Level2 { // without fences no guard passes a root
		cfg.Guards = []guard.Guard{{Kinds: []graph.Kind{"tenant"}, Above: &limit}}
	}
	w, err := world.New(level, cfg, 1, sweepKinds, objects)
	if err != nil {
		t.Fatal(err)
	}
	c := &crashWorld{w, newSweepJudge(t, w, sweeps)}
	c.j.fair = level == ownergraph.Level2
	if err := w.RunToRest(); err != nil {
		t.Fatal(err)
	}
	w.Do(oracle.Action{Verb: oracle.Background, Object: graph.Object{Key: graph.Key{Kind: "tenant", Name: "a", UID: "tenant/a"}}})
	return c
}

// step does the first possible step. It returns false if there is none.
func (c *crashWorld) step(t *testing.T) bool {
	t.Helper()
	s := c.w.Sides[0]
	for k := range s.Streams {
		switch st := &s.Streams[k]; {
		case !st.Begun:
			c.w.List(0, k)
			return true
		case len(st.Events) > 0:
			c.must(t, c.w.Deliver(0, k))
			return true
		}
	}
	if len(s.Calls) > 0 {
		c.must(t, c.w.Complete(0, 0))
		return true
	}
	for _, lane := range [...]engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler} {
		_, ok, err := c.w.Issue(0, lane)
		c.must(t, err)
		if ok {
			return true
		}
	}
	return c.w.Advance()
}

func (c *crashWorld) must(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		err = c.j.broken
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSweepCrashes crashes the engine after each step of a sweep. The writes under way
// complete before the new engine or much later. The new engine resumes the sweep and
// reaches the same end. The neighbour's objects stay.
func TestSweepCrashes(t *testing.T) {
	for _, level := range []ownergraph.Level{ownergraph.Level1, ownergraph.Level2} {
		for _, late := range []bool{false, true} {
			at := 0
			for more := true; more; at++ {
				c := newCrashWorld(t, level)
				for n := 0; n < at && more; n++ {
					more = c.step(t)
				}
				c.must(t, c.w.Crash(0))
				for late && len(c.w.Zombies) > 0 {
					c.must(t, c.w.CompleteZombie(0))
				}
				c.must(t, c.w.RunToRest())
				for len(c.w.Zombies) > 0 { // much later
					c.must(t, c.w.CompleteZombie(0))
				}
				c.must(t, c.j.rest())
				want := `pod/aa-n/p#1; tenant/aa#4[ownergraph.github.io/hold,ownergraph.github.io/new,x.io/tenant]; vol/aa-v#1`
				if level < ownergraph.Level2 {
					want = "pod/aa-n/p#1; tenant/aa#2[x.io/tenant]; vol/aa-v#1"
				}
				if got := graph.Format(c.w.Store.Objects()); got != want {
					t.Fatalf("level %s, crash after %d steps, late %t: the store has %s, want %s", level, at, late, got, want)
				}
			}
			if t.Logf("level %s: %d steps", level, at); at < 40 {
				t.Errorf("a sweep of %d steps is too short for this test", at)
			}
		}
	}
}

// TestSweepClones checks that a copy of an engine in the middle of a sweep is
// independent. It stays the same while the original ends the sweep.
func TestSweepClones(t *testing.T) {
	c := newCrashWorld(t, ownergraph.Level2)
	var clones []*engine.Engine
	var prints []uint64
	for more := true; more; more = c.step(t) {
		e := c.w.Sides[0].Engine
		clones, prints = append(clones, probe.Clone(e)), append(prints, probe.Fingerprint(e, nil))
	}
	changed := 0
	for i, e := range clones {
		if got := probe.Fingerprint(e, nil); got != prints[i] {
			t.Errorf("the copy after %d steps has fingerprint %x, want %x", i, got, prints[i])
		}
		if err := probe.Check(e); err != nil {
			t.Errorf("the copy after %d steps: %v", i, err)
		}
		if i > 0 && prints[i] != prints[i-1] {
			changed++
		}
	}
	if changed < 20 {
		t.Errorf("%d of %d steps changed the fingerprint", changed, len(clones))
	}
}
