package storetest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"pgregory.net/rapid"
)

// TestEngineOnMemory: the engine is right on the memory store, under every fault
// that keeps the contract; and each of them happens.
func TestEngineOnMemory(t *testing.T) {
	fired := map[fault.Fault]int{}
	inBubble(20, func(t *rapid.T) {
		e := newCourse(t, Config{New: memorySubject}, newPaces(Config{}))
		e.draw(t, fault.Keeping())
		e.play()
		for _, r := range e.runners {
			for _, f := range fault.Keeping() {
				fired[f] += r.store.Fired(f)
			}
		}
	})(t)
	for _, f := range fault.Keeping() {
		if fired[f] == 0 && f != fault.Jump { // a collector has no clock to turn
			t.Errorf("%s never happened", f)
		}
	}
}

// draw draws the plot, with faults of these.
func (e *course) draw(t *rapid.T, among []fault.Fault) {
	e.plot = drawPlot(t, e.served(), e.faults(among))
}

// TestEngineInTime: the same in a store's own time.
func TestEngineInTime(t *testing.T) {
	runEngine(t, Config{New: memorySubject, Patience: time.Second})
}

// TestEngineBelowLevel2: a store of four methods does.
func TestEngineBelowLevel2(t *testing.T) {
	inBubble(5, engineTest(Config{New: bare}))(t)
}

// TestEngineOnOthers: the engine is right on a store whose watch only lists again
// and again, and on one whose kinds are watched each on its own.
func TestEngineOnOthers(t *testing.T) {
	t.Run("relisting", inBubble(5, engineTest(relistingConfig())))
	t.Run("split", inBubble(5, engineTest(splitConfig())))
}

// TestEngineAtLevel0: a store that promises nothing sees no write.
func TestEngineAtLevel0(t *testing.T) {
	inBubble(1, func(t *rapid.T) {
		e := newCourse(t, Config{New: memorySubject, Level: ownergraph.Level0}, newPaces(Config{}))
		e.draw(t, fault.Keeping())
		e.play()
		for _, r := range e.runners {
			if s := r.now.Stats(); s.Patches+s.Deletes > 0 {
				t.Fatalf("%d writes", s.Patches+s.Deletes)
			}
		}
	})(t)
}

// hearer is a TB that hears of the first failure, which ends the goroutine.
type hearer struct {
	*testing.T
	said string
}

func (h *hearer) Errorf(format string, args ...any) { h.T.Logf(format, args...) }
func (h *hearer) Logf(format string, args ...any)   { h.said += fmt.Sprintf(format, args...) + "\n" }
func (h *hearer) Fatalf(format string, args ...any) {
	h.Logf(format, args...)
	runtime.Goexit()
}

// perform plays a plot in a bubble, and returns what is said of it if it fails.
func perform(t *testing.T, p plot) (said string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &hearer{T: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			e := newCourse(h, Config{New: memorySubject}, newPaces(Config{}))
			e.plot = p
			e.play()
		}()
		<-done
		said = h.said
	})
	return said
}

// TestEngineFinds: a fault that breaks the contract ends in a state that is not
// permitted, and the failure says how it came about. Without it, the same case
// passes.
func TestEngineFinds(t *testing.T) {
	node, pod := ownergraph.KindInfo{Kind: "node"}, ownergraph.KindInfo{Kind: "pod", Scoped: true}
	owner, dependent := actor{at: keyOf(node, "a")}, actor{at: keyOf(pod, "b"), owners: []claim{{to: 0}}}
	for _, c := range []struct {
		with, without string
		moves         []move
		want          []string
		reason        string
	}{
		{
			"absent/1 delay@1", "delay@1",
			[]move{{verb: oracle.Create, actor: 0, pause: 50}, {verb: oracle.Create, actor: 1}},
			[]string{`the end: "node/a"`, "the end is not permitted", `missing: "pod/one/b -> node/a"`, `surplus: ""`, `"node/a; pod/one/b -> node/a"`, "what users did: create node/a; create pod/one/b -> node/a", "absent/1 delay@1", "absent: get node/a"},
			"an owner that is not seen yet is read, and the store denies it",
		},
		{
			"lose@2", "none",
			[]move{{verb: oracle.Create, actor: 0, pause: 50}, {verb: oracle.Create, actor: 1}, {verb: oracle.Background, actor: 0}},
			[]string{"something is left to do", "pod/one/b -> node/a", "of collector 1: seed=0 lose@2", "after 0 beats: bg node/a"},
			"a dependent that the watch lost is never collected",
		},
	} {
		p := plot{actors: []actor{owner, dependent}, moves: c.moves, pause: 50}
		for _, text := range []string{c.with, c.without} {
			plan, err := fault.ParsePlan(text)
			if err != nil {
				t.Fatal(err)
			}
			p.plans = []fault.Plan{plan}
			said := perform(t, p)
			if text == c.without {
				if said != "" {
					t.Errorf("%s without it: %s", c.reason, said)
				}
				continue
			}
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("%s: it does not say %q:\n%s", c.reason, want, said)
				}
			}
		}
	}
}

// TestBudget: in a store's own time, cases end when its patience does; what
// failed is tried again all the same.
func TestBudget(t *testing.T) {
	set(t, map[string]string{"nofailfile": "true"})
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(Config{Patience: time.Second})
		rapid.Check(&quiet{T: t}, b.within(func(*rapid.T) { <-time.After(time.Second) }))
		if b.cases != mostTime {
			t.Errorf("%d cases, want %d", b.cases, mostTime)
		}
		b = newBudget(Config{Patience: time.Second})
		rapid.Check(&quiet{T: t}, b.within(func(t *rapid.T) {
			<-time.After(time.Minute)
			t.Fatalf("as expected")
		}))
		if b.cases < 2 {
			t.Errorf("%d cases of what fails, want more, to shrink it", b.cases)
		}
	})
}
