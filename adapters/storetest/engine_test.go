package storetest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// TestEngineOnMemory runs the engine on the memory store, under every fault that
// keeps the contract. It also checks that each of these faults happens.
func TestEngineOnMemory(t *testing.T) {
	fired := map[fault.Fault]int{}
	inBubble(portion.Number(7, 20), func(t *rapid.T) {
		e := newEngineCase(t, Config{New: memorySubject}, newEngineWaits(Config{}))
		e.draw(t, fault.Keeping())
		e.run()
		for _, r := range e.runners {
			for _, f := range fault.Keeping() {
				fired[f] += r.store.Fired(f)
			}
		}
	})(t)
	for _, f := range fault.Keeping() {
		if fired[f] == 0 && f != fault.Jump { // a collector has no clock to move
			t.Errorf("%s never happened", f)
		}
	}
}

// draw draws the scenario, with some of these faults.
func (e *engineCase) draw(t *rapid.T, among []fault.Fault) {
	e.scenario = drawScenario(t, e.served(), e.faults(among))
}

// TestEngineInTime runs the same in a store's own time.
func TestEngineInTime(t *testing.T) {
	t.Parallel()
	runEngine(t, Config{New: memorySubject, Patience: time.Second})
}

// TestEngineBelowLevel2 runs the engine on a store with only the four methods.
func TestEngineBelowLevel2(t *testing.T) {
	inBubble(5, engineTest(Config{New: bare}))(t)
}

// TestEngineOnOthers runs the engine on two other stores. The watch of one only
// lists again and again, and the other has a watch for each kind.
func TestEngineOnOthers(t *testing.T) {
	t.Run("relisting", inBubble(portion.Number(2, 5), engineTest(relistingConfig())))
	t.Run("split", inBubble(portion.Number(2, 5), engineTest(splitConfig())))
}

// TestEngineAtLevel0 checks that the engine writes nothing to a store that promises
// nothing.
func TestEngineAtLevel0(t *testing.T) {
	inBubble(1, func(t *rapid.T) {
		e := newEngineCase(t, Config{New: memorySubject, Level: ownergraph.Level0}, newEngineWaits(Config{}))
		e.draw(t, fault.Keeping())
		e.run()
		for _, r := range e.runners {
			if s := r.collector.Stats(); s.Calls.Of(engine.CallPatch)+s.Calls.Of(engine.CallDelete) > 0 {
				t.Fatalf("%d writes", s.Calls.Of(engine.CallPatch)+s.Calls.Of(engine.CallDelete))
			}
		}
	})(t)
}

// failureRecorder is a TB that keeps the first failure, which ends the goroutine.
type failureRecorder struct {
	*testing.T
	message string
}

func (r *failureRecorder) Errorf(format string, args ...any) { r.T.Logf(format, args...) }
func (h *failureRecorder) Logf(format string, args ...any) {
	h.message += fmt.Sprintf(format, args...) + "\n"
}
func (r *failureRecorder) Fatalf(format string, args ...any) {
	r.Logf(format, args...)
	runtime.Goexit()
}

// runScenario runs a scenario in a bubble, and returns the message if it fails.
func runScenario(t *testing.T, p scenario) (message string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &failureRecorder{T: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			e := newEngineCase(h, Config{New: memorySubject}, newEngineWaits(Config{}))
			e.scenario = p
			e.run()
		}()
		<-done
		message = h.message
	})
	return message
}

// TestEngineFinds checks that a fault that breaks the contract leads to a forbidden
// end, and that the failure prints the causes. Without the fault, the same case
// passes.
func TestEngineFinds(t *testing.T) {
	node, pod := ownergraph.KindInfo{Kind: "node"}, ownergraph.KindInfo{Kind: "pod", Scoped: true}
	owner, dependent := scenarioObject{at: keyOf(node, "a")}, scenarioObject{at: keyOf(pod, "b"), owners: []claim{{to: 0}}}
	for _, c := range []struct {
		with, without string
		actions       []userAction
		want          []string
		reason        string
	}{
		{
			"absent/1 delay@1", "delay@1",
			[]userAction{{verb: oracle.Create, object: 0, pause: 50}, {verb: oracle.Create, object: 1}},
			[]string{`the end: "node/a"`, "the end is not permitted", `missing: "pod/one/b -> node/a"`, `surplus: ""`, `"node/a; pod/one/b -> node/a"`, "the users' writes: create node/a; create pod/one/b -> node/a", "absent/1 delay@1", "absent: get node/a"},
			"an owner that is not seen yet is read, and the store denies it",
		},
		{
			"lose@2", "none",
			[]userAction{{verb: oracle.Create, object: 0, pause: 50}, {verb: oracle.Create, object: 1}, {verb: oracle.Background, object: 0}},
			[]string{"work is left", "pod/one/b -> node/a", "of collector 1: seed=0 lose@2", "after 0 time units: bg node/a"},
			"a dependent that the watch lost is never collected",
		},
	} {
		p := scenario{objects: []scenarioObject{owner, dependent}, actions: c.actions, pause: 50}
		for _, text := range []string{c.with, c.without} {
			plan, err := fault.ParsePlan(text)
			if err != nil {
				t.Fatal(err)
			}
			p.plans = []fault.Plan{plan}
			message := runScenario(t, p)
			if text == c.without {
				if message != "" {
					t.Errorf("%s without it: %s", c.reason, message)
				}
				continue
			}
			for _, want := range c.want {
				if !strings.Contains(message, want) {
					t.Errorf("%s: it does not say %q:\n%s", c.reason, want, message)
				}
			}
		}
	}
}

// TestBudget checks that cases in a store's own time end with its patience. A
// failed case runs again all the same.
func TestBudget(t *testing.T) {
	set(t, map[string]string{"nofailfile": "true"})
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(Config{Patience: time.Second})
		rapid.Check(&quietTB{T: t}, b.within(func(*rapid.T) { <-time.After(time.Second) }))
		if b.cases != maxTime {
			t.Errorf("%d cases, want %d", b.cases, maxTime)
		}
		b = newBudget(Config{Patience: time.Second})
		rapid.Check(&quietTB{T: t}, b.within(func(t *rapid.T) {
			<-time.After(time.Minute)
			t.Fatalf("as expected")
		}))
		if b.cases < 2 {
			t.Errorf("%d runs of a failing case, want more, to shrink it", b.cases)
		}
	})
}
