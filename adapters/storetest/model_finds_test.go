package storetest

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// set sets flags of rapid until the test ends.
func set(t *testing.T, flags map[string]string) {
	t.Helper()
	for name, value := range flags {
		f := flag.Lookup("rapid." + name)
		before := f.Value.String()
		if err := f.Value.Set(value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Value.Set(before) })
	}
}

// find searches for a counterexample with rapid, in this number of cases and in a bubble. It
// returns the message of the counterexample, or "".
func find(t *testing.T, seed, checks int, property func(*rapid.T)) (message string) {
	t.Helper()
	set(t, map[string]string{"seed": fmt.Sprint(seed), "checks": fmt.Sprint(checks), "nofailfile": "true", "shrinktime": "30s"})
	synctest.Test(t, func(t *testing.T) {
		q := &quietTB{T: t}
		failures := 0
		rapid.Check(q, func(t *rapid.T) {
			if failures > 1 {
				<-time.After(time.Minute) // the case is the smallest already, and rapid gives up
			}
			<-time.After(20 * time.Millisecond) // otherwise shrinking takes no time, and never ends
			failures++
			property(t)
			failures--
		})
		if q.failed {
			message = q.message()
		}
	})
	return message
}

// faulty is a memory store with the faults of the plan, for all callers.
func faulty(t *testing.T, plan string) Config { return faultyOf(t, plan, memorySubject) }

func faultyOf(t *testing.T, plan string, base func(TB) Subject) Config {
	t.Helper()
	p, err := fault.ParsePlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	return Config{New: func(tb TB) Subject {
		sub := base(tb)
		store, err := fault.New(sub.Store, fault.Config{Plan: p})
		if err != nil {
			tb.Fatalf("%v", err)
		}
		tb.Cleanup(store.Calm)
		sub.Store, sub.Restart = store, nil
		return sub
	}}
}

// TestModelFinds checks that each fault that breaks the contract is found within a
// few cases, and that the steps are printed.
func TestModelFinds(t *testing.T) {
	for _, c := range []struct {
		plan         string
		base         func(TB) Subject
		want, reason string
	}{
		{"lose/3", bare, "the watch has not reported all objects of the store", "below level 2 there is no fence"},
		{"stale/3", memorySubject, "Get(", "a read has to be fresh"},
		{"absent/4", memorySubject, "Get(", "ErrNotFound is proof"},
		{"lose/3", memorySubject, "reported", "no change may get lost without a new listing: the rest of the watch shows it, or a fence"},
		{"lost-call/4", memorySubject, "no answer", "the model knows no faults: calls have to succeed"},
	} {
		t.Run(c.plan, func(t *testing.T) {
			message := find(t, 3, 30, modelTest(faultyOf(t, c.plan, c.base)))
			if !strings.Contains(message, c.want) {
				t.Fatalf("%s: it does not say %q: %s", c.reason, c.want, message)
			}
			if n := len(stepsOf(message)); n < 2 || n > 15 {
				t.Errorf("%d steps:\n%s", n, message)
			}
		})
	}
}

// TestModelAcceptsFaults checks that the model accepts a watch with faults that
// keep the contract.
func TestModelAcceptsFaults(t *testing.T) {
	for _, plan := range []string{"drop/9", "duplicate/2", "delay/5", "reorder/3", "compact/30", "break/40", "mute/2"} {
		t.Run(plan, inBubble(1, modelTest(faulty(t, plan))))
	}
}

// TestLawsAcceptFaults checks that a store keeps every law under faults of its
// watch that the contract permits. Time is virtual, so a slow machine changes nothing.
func TestLawsAcceptFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := faulty(t, "seed=3 reorder/5 delay/7 mute/2 duplicate/3 compact/40")
		c.Without = []Promise{SingleReports, Durability}
		c.Search = time.Duration(portion.Number(20, 100)) * time.Millisecond
		for _, r := range Judge(t.Context(), c).Of(Broken) {
			if !strings.HasPrefix(r.Law, "large/") { // a listing that restarts every 40 events never ends
				t.Error(r)
			}
		}
	})
}

// TestModelFindsBatches checks that mistakes of a batch are found, and that the steps have
// the writes of one.
func TestModelFindsBatches(t *testing.T) {
	for _, m := range mutantsOfBatches() {
		switch m.law {
		case batchEffects, batchFinalizers, batchOrder, batchErrors:
		default:
			continue // it needs a failing database, a larger batch, or several callers
		}
		t.Run(m.name, func(t *testing.T) {
			message := find(t, 1, 100, modelTest(Config{New: func(tb TB) Subject { return m.plant(tb, memorySubject(tb)) }}))
			if steps := strings.Join(stepsOf(message), "\n"); !strings.Contains(steps, "batch of ") {
				t.Fatalf("not found, or without a batch: %s: %s", m.reason, message)
			}
			if n := len(stepsOf(message)); n > 8 {
				t.Errorf("%d steps:\n%s", n, message)
			}
			t.Log(message)
		})
	}
}
