package properties

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

var sweepSteps = flag.Int("properties.sweepsteps", 120, "steps of a random world of sweeps")

// sweepKinds has tenants and namespaces as holders. A namespace may be a member of a
// tenant.
var sweepKinds = []graph.KindInfo{{Kind: "tenant"}, {Kind: "ns"}, {Kind: "vol"}, {Kind: "pod", Scoped: true}, {Kind: "job", Scoped: true}}

// sweepsOf draws sweeps of tenants, by name and scope, and of namespaces.
func sweepsOf(t *rapid.T) []guard.Sweep {
	tenants := guard.Sweep{
		Finalizer: "x.io/tenant", Holder: "tenant",
		Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}, {By: guard.ByScope, Delimiter: "-"}},
	}
	scopes := guard.Sweep{Finalizer: "x.io/ns", Holder: "ns", Members: []guard.Members{{By: guard.ByScope}}}
	if rapid.Bool().Draw(t, "phases") {
		scopes.Phases = []guard.Phase{{Kinds: []graph.Kind{"job"}, Propagation: graph.Foreground}, {Kinds: []graph.Kind{"pod"}, After: true}}
		tenants.Phases = []guard.Phase{{Kinds: []graph.Kind{"ns"}}, {Kinds: []graph.Kind{"vol"}, After: true}}
	}
	if rapid.IntRange(0, 3).Draw(t, "where") == 0 { // a claim that may change with the object
		tenants.Members[0].Where = func(_, o graph.Object) bool { return !o.HasFinalizer("x.io/free") }
	}
	tenants.Unguarded = rapid.IntRange(0, 2).Draw(t, "unguarded") == 0
	if rapid.Bool().Draw(t, "two") {
		return []guard.Sweep{tenants, scopes}
	}
	return []guard.Sweep{tenants}
}

// sweepRun is a random world of sweeps.
type sweepRun struct {
	t      *rapid.T
	w      *world.World
	j      *sweepJudge
	places []graph.Key
	trace  []string
	sick   bool // kinds become sick and vanish
	down   [8]string
	backup world.Store

	rewinds bool
	guarded bool // tenants with several members need an approval
}

func newSweepRun(t *rapid.T, level ownergraph.Level, sweeps []guard.Sweep) *sweepRun {
	cfg := ownergraph.Config{
		Sweeps:   sweeps,
		Handlers: map[string]finalizer.Handler{"x.io/h": func(context.Context, graph.Object) error { return nil }},
	}
	guarded := rapid.IntRange(0, 3).Draw(t, "guarded") == 0
	if limit := 1; guarded {
		cfg.Guards = []guard.Guard{{Kinds: []graph.Kind{"tenant"}, Above: &limit}}
	}
	w, err := world.New(level, cfg, rapid.IntRange(1, 2).Draw(t, "engines"), sweepKinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &sweepRun{t: t, w: w, j: newSweepJudge(t, w, sweeps), sick: rapid.IntRange(0, 2).Draw(t, "sick") == 0,
		rewinds: rapid.IntRange(0, 2).Draw(t, "rewinds") == 0, backup: w.Store, guarded: guarded}
	names := []string{"a", "aa", "b"}
	tight := rapid.Bool().Draw(t, "tight") // few objects, for races
	if tight {
		names = names[:1]
	}
	for _, name := range names {
		s.place("tenant", "", name)
		s.place("ns", "", name+"-n")
		s.place("vol", "", name+"-v")
		s.place("pod", name+"-n", "p")
		s.place("job", name+"-n", "aa-j")
	}
	if !tight && rapid.Bool().Draw(t, "shadow") {
		s.place("tenant", "", "a-b")
		s.place("vol", "", "a-b-v")
	}
	if tight {
		s.places = slices.DeleteFunc(s.places, func(k graph.Key) bool { return k.Kind == "job" || k.Kind == "ns" })
	}
	if rapid.Bool().Draw(t, "full") { // all objects exist, with guarded tenants, before the engines begin
		for _, k := range s.places {
			o := graph.Object{Key: k}
			if k.Kind == "tenant" {
				o.Finalizers = []string{"x.io/tenant"}
			}
			w.Do(oracle.Action{Verb: oracle.Create, Object: o})
		}
	}
	return s
}

func (s *sweepRun) place(kind graph.Kind, scope, name string) {
	k := graph.Key{Kind: kind, Scope: scope, Name: name}
	k.UID = graph.UID(fmt.Sprintf("%s/%s/%s", kind, scope, name))
	s.places = append(s.places, k)
}

func (s *sweepRun) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(s.t, label) }

// user lets a user create, delete or touch an object.
func (s *sweepRun) user() {
	k := s.places[s.pick("place", len(s.places))]
	o, there := s.w.Store.At(k)
	if s.guarded && o.MarkWithheld() && s.pick("approves", 2) == 0 {
		s.note("approve %s", o.Key)
		s.w.Drop(o.Key, graph.FinalizerHold)
		return
	}
	a := oracle.Action{Verb: oracle.Create, Object: graph.Object{Key: s.w.Store.Next(k)}}
	if !there && s.pick("finalizer", 4) == 0 {
		a.Object.Finalizers = []string{"x.io/h"}
	}
	if !there && s.pick("free", 8) == 0 {
		a.Object.Finalizers = append(a.Object.Finalizers, "x.io/free")
	}
	if there {
		a.Verb, a.Object = []oracle.Verb{oracle.Background, oracle.Foreground, oracle.Touch, oracle.Touch, oracle.Orphan}[s.pick("verb", 5)], graph.Object{Key: o.Key}
	}
	s.note("%s", a)
	s.w.Do(a)
}

func (s *sweepRun) note(format string, args ...any) {
	s.trace = append(s.trace, fmt.Sprintf(format, args...))
}

// step does one random step.
func (s *sweepRun) step() error {
	side := s.pick("side", len(s.w.Sides))
	x := s.w.Sides[side]
	kind := s.pick("kind", len(sweepKinds))
	st := &x.Streams[kind]
	switch what := s.pick("what", 16); {
	case what < 3:
		s.user()
	case what < 8 && !st.Down && !st.Begun:
		s.note("list@%d %s", side, sweepKinds[kind].Kind)
		s.w.List(side, kind)
	case what < 8 && !st.Down && len(st.Events) > 0:
		s.note("see@%d %s %v", side, sweepKinds[kind].Kind, st.Events[0])
		return s.w.Deliver(side, kind)
	case what < 11:
		c, ok, err := s.w.Issue(side, []engine.Lane{engine.LaneStore, engine.LaneControl, engine.LaneHandler}[s.pick("lane", 3)])
		if ok {
			s.note("issue@%d %s %s", side, c.Type, c.Key)
		}
		return err
	case what < 14 && len(x.Calls) > 0:
		i := s.pick("call", len(x.Calls))
		fault := []world.Fault{world.NoFault, world.NoFault, world.NoFault, world.Lost, world.LostDone, world.Later, world.Conflicts}[s.pick("fault", 7)]
		s.note("complete@%d %s %s %s", side, x.Calls[i].Type, x.Calls[i].Key, fault)
		_, err := s.w.CompleteAs(side, i, fault)
		return err
	case what == 14:
		s.w.Now = s.w.Now.Add([]time.Duration{time.Millisecond, time.Second, time.Minute}[s.pick("pass", 3)])
	case what == 15 && s.rewinds && s.pick("rewind", 3) == 0:
		return s.restore()
	case what == 15 && s.sick && s.pick("health", 2) == 0:
		return s.health(kind)
	case what == 15 && s.pick("crash", 4) == 0:
		s.note("crash@%d", side)
		return s.w.Crash(side)
	case what == 15 && len(s.w.Zombies) > 0:
		s.note("zombie")
		return s.w.CompleteZombie(0)
	}
	return nil
}

// health makes a kind sick or unserved, or ends that.
func (s *sweepRun) health(kind int) error {
	was := s.down[kind]
	s.down[kind] = ""
	s.note("health %s: was %q", sweepKinds[kind].Kind, was)
	switch {
	case was == "sick":
		return s.w.Recover(kind)
	case was == "vanished":
		return s.w.Serve(sweepKinds[kind])
	case s.pick("how", 2) == 0:
		s.down[kind] = "sick"
		return s.w.Sicken(kind, "sick")
	}
	s.down[kind], s.j.fair = "vanished", false
	return s.w.Vanish(kind)
}

// restore keeps the state of the store, or goes back to it. The writes under way are
// lost. The engine promises only that no later write rests on the lost history.
func (s *sweepRun) restore() error {
	if s.pick("backup", 2) == 0 {
		s.note("backup")
		s.backup = s.w.Store
		return nil
	}
	s.note("restore")
	s.w.LoseWrites()
	err := s.w.Restore(s.backup, true)
	s.j.sweeps.Begin(asCounted(s.w.Store.Objects()))
	return err
}

// end runs the world until it is at rest, and judges the remaining objects.
func (s *sweepRun) end() {
	for len(s.w.Zombies) > 0 {
		s.check(s.w.CompleteZombie(0))
	}
	for kind, was := range s.down {
		if was != "" {
			s.check(s.health(kind))
		}
	}
	s.check(s.w.RunToRest())
	s.check(s.j.broken)
	all := s.w.Store.Objects()
	for i := range all { // no controller ends this finalizer
		if all[i].Deleting && slices.Contains(all[i].Finalizers, "x.io/free") {
			return
		}
	}
	s.check(s.j.rest())
	for _, side := range s.w.Sides {
		s.check(probe.Check(side.Engine))
		marked := slices.ContainsFunc(all, func(o graph.Object) bool { return o.Deleting })
		for _, x := range side.Engine.Sweeps(9) { // the sweep of a gone holder stays under way for contested members
			if !marked && !(x.Gone && x.MembersLeft > 0) {
				s.check(fmt.Errorf("no object is marked, and a sweep is under way: %+v", x))
			}
		}
	}
}

func (s *sweepRun) check(err error) {
	s.t.Helper()
	if err != nil {
		for _, line := range s.trace {
			s.t.Log(line)
		}
		s.t.Fatalf("%v\nthe store has %s\nheld: %s", err, graph.Format(s.w.Store.Objects()), s.w.Held())
	}
}

// TestSweepWorlds checks three laws under users, delays, lost answers, conflicts,
// crashes and a second engine. A sweep deletes an object only if at some instant a
// marked holder alone claimed it. It releases a holder only after an instant without
// members. At rest it leaves no member that it may delete.
func TestSweepWorlds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := ownergraph.Level2
		if rapid.IntRange(0, 5).Draw(t, "level 1") == 0 {
			level = ownergraph.Level1
		}
		s := newSweepRun(t, level, sweepsOf(t))
		s.j.fair = level == ownergraph.Level2
		for range *sweepSteps {
			err := s.step()
			if s.j.broken != nil {
				err = s.j.broken
			}
			s.check(err)
			if rapid.IntRange(0, 31).Draw(t, "check") == 0 {
				for _, side := range s.w.Sides {
					s.check(probe.Check(side.Engine))
				}
			}
		}
		s.end()
	})
}
