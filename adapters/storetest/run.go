package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph"
)

// Test holds a store to every law, each in a subtest of its own, named by what
// it promises: "watch/listing-complete". A law that the store owes and that
// cannot be tried fails as well, with the words "not proven" and the way out:
// give the hook, or name the promise in Config.Without. A law that rests on a
// broken one is not tried, so the first red line is the cause. Each broken law
// is printed once, and at the end the counts. Laws that the store does not owe
// have no subtest.
//
// Two more subtests draw histories with rapid, and shorten the one that fails:
// "model" compares the store with a map, and "engine" runs collectors on it,
// under faults, and compares the end with the specification. "model" is not run
// if a law is broken, nor "engine" if "model" fails: they would only show the
// same bug again. Seeds, flags and failure files are rapid's. The
// search for a failure takes at most three times Config.Patience in "model", and
// two seconds in "engine", unless -rapid.checks asks for a number of cases; then
// it is what -rapid.shrinktime allows.
//
// Held by TestMemory, TestRelisting, TestSplit and TestRed.
func Test(t *testing.T, c Config) {
	t.Helper()
	if broken := testLaws(t, c).Of(Broken); len(broken) > 0 {
		t.Logf("model and engine: not run, since %s is broken", broken[0].Law)
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
	report := p.all(c, first, func(l law, _ *Result, run func(TB)) {
		t.Helper()
		t.Run(l.name, func(t *testing.T) {
			t.Helper()
			run(t)
		})
	})
	t.Log(report.summary())
	if first.Outcome != Kept && !t.Failed() { // -run may have left out the one that says so
		t.Error(first)
	}
	return report
}

// Judge holds a store to every law, as Test does, outside of go test, and
// reports what came of each. A law during which ctx ends is not proven, and none
// is tried afterwards. A panic in the store's code breaks the law during which
// it happens, and ends nothing else. It may be called from any goroutine, and
// more than once at a time. Held by TestJudge and TestCheckOf.
func Judge(ctx context.Context, c Config) Report {
	const name = "storetest"
	p, first := prepare(ctx, name, c)
	return p.all(c, first, func(l law, into *Result, run func(TB)) {
		if ctx.Err() == nil {
			apart(ctx, name+"/"+l.name, into, run)
		}
		if ctx.Err() != nil {
			into.Outcome, into.Detail = Unproven, "the context ended: "+context.Cause(ctx).Error()
		}
	})
}

// apart runs an attempt at a law outside of go test.
func apart(ctx context.Context, name string, into *Result, run func(TB)) {
	tb := newPlainTB(ctx, name)
	if v := tb.run(func() { run(tb) }); v != nil {
		into.Outcome, into.Detail = Broken, fmt.Sprintf("panic: %v", v)
	}
}

// Check is Judge's Report.Err: nil, or a *Failure that wraps ErrBroken,
// ErrUnproven or both. Held by TestCheck.
func Check(ctx context.Context, c Config) error { return Judge(ctx, c).Err() }

// check returns the first setting that is wrong and why, "" if none is.
func (c Config) check() string {
	switch {
	case c.New == nil:
		return "New: nil"
	case c.Patience < 0:
		return fmt.Sprintf("Patience: %s is negative", c.Patience)
	case c.Search < 0:
		return fmt.Sprintf("Search: %s is negative", c.Search)
	case c.Level > ownergraph.Level2:
		return fmt.Sprintf("Level: there is no %s", c.Level)
	}
	for i, p := range c.Without {
		if p == PromiseUnset || int(p) >= len(promiseNames) {
			return fmt.Sprintf("Without[%d]: there is no %s", i, p)
		}
	}
	return ""
}

// prepare tries the first law, of which everything else depends: on the way it
// sees what the store serves and has. It is tried whatever -run says.
func prepare(ctx context.Context, name string, c Config) (plan, Result) {
	if wrong := c.check(); wrong != "" {
		c.New = func(tb TB) (none Subject) { tb.Fatalf("Config.%s", wrong); return none }
	}
	p := plan{level: c.Level, without: c.Without, root: map[string]string{}}
	first := lawOfKindsKnown(func(t *trial, infos []ownergraph.KindInfo) {
		var err error
		if p.cast, err = newCast(infos, c.Kinds); err != nil {
			t.unable("%v", err)
		}
		p.sub = t.Subject
		if p.level == ownergraph.LevelUnset {
			p.level = ownergraph.LevelOf(t.Store)
		}
	})
	var r Result
	apart(ctx, name+"/"+first.name, &r, func(tb TB) { first.try(tb, c, cast{}, &r) })
	if p.level == ownergraph.LevelUnset {
		p.level = ownergraph.Level1
	}
	if r.Outcome != Kept { // whatever rests on it has nothing to play with
		p.root[first.name] = first.name
	}
	return p, r
}

// all tries the laws, one after another, by attempt, and returns what came of
// them. Attempt calls run, on a goroutine that the TB may end, or leaves it.
func (p plan) all(c Config, first Result, attempt func(l law, into *Result, run func(TB))) Report {
	report := Report{Level: p.level}
	for _, l := range laws() {
		r, settled := p.before(l)
		root := p.shaken(l)
		switch {
		case r.Outcome == NotOwed:
		case l.name == first.Law:
			r = first
			attempt(l, &r, func(tb TB) { first.say(tb) })
		case settled && root != first.Law:
			attempt(l, &r, func(tb TB) { r.say(tb) })
		case root != "": // it has failed already, and this one could only repeat it
			r.Outcome, r.Detail, r.Excuse = Unproven, fmt.Sprintf(follows+"%s, which is not kept", root), PromiseUnset
		default:
			attempt(l, &r, func(tb TB) { l.try(tb, c, p.cast, &r) })
		}
		p.note(l, r)
		report.Results = append(report.Results, r)
	}
	return report
}

// say fails the test with a result that is no success.
func (r Result) say(tb TB) {
	tb.Helper()
	if r.Outcome != Kept {
		tb.Errorf("%s", r)
	}
}
