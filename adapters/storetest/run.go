package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
)

// Test checks a store against every law, each in a subtest of its own with the
// law's name: "watch/listing-complete". A law that the store owes and that the kit
// cannot try fails as well. Its text has the words "not proven" and the two ways to
// go on: give the hook, or name the promise in Config.Without. A law that rests on
// a broken one does not run, so the first red line is the cause. Test prints each
// broken law once. A summary comes last. It ends with the law to mend first. Laws that
// the store does not owe have no subtest.
//
// Two more subtests draw histories with rapid, and shorten the one that fails.
// Subtest "model" compares the store with a map. Subtest "engine" runs collectors
// on the store, under faults, and compares the end with the specification. If a law
// is broken, "model" does not run. If "model" fails, "engine" does not run. Both
// would only show the same bug again.
//
// Seeds, flags and failure files are rapid's. The search for a failure takes at
// most three times Config.Patience in "model", and two seconds in "engine". With
// -rapid.checks it takes as long as that number of cases. Shortening takes at most
// -rapid.shrinktime.
//
//test:by TestMemory TestRelisting TestSplit TestRed TestLastScreen TestCauseComesFirst
func Test(t *testing.T, c Config) {
	t.Helper()
	if len(testLaws(t, c).Of(Broken)) > 0 {
		return
	}
	if !t.Run("model", func(t *testing.T) { runModel(t, c) }) {
		t.Log("engine: not run, since it rests on model, which has failed")
		return
	}
	t.Run("engine", func(t *testing.T) { runEngine(t, c) })
}

func testLaws(t *testing.T, c Config) Report {
	t.Helper()
	p, first := prepare(t.Context(), t.Name(), c)
	report := p.all(laws(), c, first, func(l law, _ *Result, run func(TB)) {
		t.Helper()
		t.Run(l.name, func(t *testing.T) {
			t.Helper()
			run(t)
		})
	})
	t.Log(report.summary())
	// -run may have left out the subtest of the first law.
	if first.Outcome != Kept && !t.Failed() {
		t.Error(first)
	}
	return report
}

// Judge checks a store against every law, as Test does, outside of go test. It
// returns the result of each law. If ctx ends during a law, the law is not proven,
// and the kit tries no other law. A panic in the store's code breaks only the law
// during which it happens. Any goroutine may call Judge, and several calls may run
// at once.
//
//test:by TestJudge TestCheckOf
func Judge(ctx context.Context, c Config) Report { return judgeBy(ctx, laws(), c) }

// judgeBy is Judge with these laws only.
func judgeBy(ctx context.Context, list []law, c Config) Report {
	const name = "storetest"
	p, first := prepare(ctx, name, c)
	return p.all(list, c, first, func(l law, into *Result, run func(TB)) {
		if ctx.Err() == nil {
			outsideGoTest(ctx, name+"/"+l.name, into, run)
		}
		if ctx.Err() != nil {
			into.Outcome, into.Detail = Unproven, "the context ended: "+context.Cause(ctx).Error()
		}
	})
}

// outsideGoTest tries a law outside of go test.
func outsideGoTest(ctx context.Context, name string, into *Result, run func(TB)) {
	tb := newPlainTB(ctx, name)
	if v := tb.run(func() { run(tb) }); v != nil {
		into.Outcome, into.Detail = Broken, fmt.Sprintf("panic: %v", v)
	}
}

// Check returns the error of Judge's report: nil, or an error that wraps ErrBroken,
// ErrUnproven or both.
//
//test:by TestCheck
func Check(ctx context.Context, c Config) error { return Judge(ctx, c).Err() }

// check returns the first wrong setting with the reason, or "".
func (c Config) check() string {
	switch {
	case c.New == nil:
		return "New: nil"
	case c.Patience < 0:
		return fmt.Sprintf("Patience: %s is negative", c.Patience)
	case c.Search < 0:
		return fmt.Sprintf("Search: %s is negative", c.Search)
	case c.Level > ownergraph.Level3:
		return fmt.Sprintf("Level: there is no %s", c.Level)
	}
	for i, p := range c.Without {
		if p == PromiseUnset || int(p) >= len(promiseNames) {
			return fmt.Sprintf("Without[%d]: there is no %s", i, p)
		}
	}
	return ""
}

// owes reports whether the store makes the promise.
func (c Config) owes(p Promise) bool { return !slices.Contains(c.Without, p) }

// contradicts reports whether the store declares the power to keep grace periods, which Config.Without
// denies. Otherwise a collector could rely on a power that no law has tried.
func (c Config) contradicts(s ownergraph.Store) bool {
	g, ok := ownergraph.As[ownergraph.Gracer](s)
	return ok && g.KeepsGrace() && !c.owes(GracePeriods)
}

// prepare tries the first law, on which every other law rests. It also collects the
// kinds and powers of the store. It runs for every value of -run.
func prepare(ctx context.Context, name string, c Config) (plan, Result) {
	if wrong := c.check(); wrong != "" {
		c.New = func(tb TB) (none Subject) { tb.Fatalf("Config.%s", wrong); return none }
	}
	p := plan{level: c.Level, without: c.Without, rootCause: map[string]string{}}
	first := lawOfKindsKnown(func(t *trial, infos []ownergraph.KindInfo) {
		var err error
		if p.kinds, err = newTestKinds(infos, c.Kinds); err != nil {
			t.unable("%v", err)
		}
		if c.contradicts(t.Store) {
			t.unable("Config.Without names %s, and KeepsGrace of the store returns true: only one of them can be right", GracePeriods)
		}
		p.sub = t.Subject
		if p.level == ownergraph.LevelUnset {
			p.level = ownergraph.LevelOf(t.Store)
		}
	})
	var r Result
	outsideGoTest(ctx, name+"/"+first.name, &r, func(tb TB) { first.try(tb, c, testKinds{}, &r) })
	if p.level == ownergraph.LevelUnset {
		p.level = ownergraph.Level1
	}
	// Every other law rests on it, and has no kinds without it.
	if r.Outcome != Kept {
		p.rootCause[first.name] = first.name
	}
	return p, r
}

// all tries the laws, one after another, by attempt, and returns their results.
// Attempt may call run, on a goroutine that the TB may end.
func (p plan) all(list []law, c Config, first Result, attempt func(l law, into *Result, run func(TB))) Report {
	report := Report{Level: p.level}
	for _, l := range list {
		r, known := p.untried(l)
		root := p.brokenBasis(l)
		switch {
		case r.Outcome == NotOwed:
		case l.name == first.Law:
			r = first
			attempt(l, &r, func(tb TB) { first.reportTo(tb) })
		case known && root != first.Law:
			attempt(l, &r, func(tb TB) { r.reportTo(tb) })
		// The root cause has failed already, and this law could only repeat it.
		case root != "":
			r.Outcome, r.Detail, r.Excuse = Unproven, fmt.Sprintf(follows+"%s, which is not kept", root), PromiseUnset
		default:
			attempt(l, &r, func(tb TB) { l.try(tb, c, p.kinds, &r) })
		}
		p.record(l, r)
		report.Results = append(report.Results, r)
	}
	return report
}

// reportTo fails the test for a result that is no success.
func (r Result) reportTo(tb TB) {
	tb.Helper()
	if r.Outcome != Kept {
		tb.Errorf("%s", r)
	}
}
