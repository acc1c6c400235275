package storetest

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// failureSearch searches for a failing case of a property, and makes the case
// small. The result of a case can depend on timing. So a case that failed once has
// failed, even if it passes when it runs again. It is not safe for concurrent use.
//
//test:by TestModelShrinks TestEngineShrinks
type failureSearch[C any] struct {
	// runCase runs a case on a store of its own. A failure goes to the TB.
	runCase func(TB, C)
	smaller func(C) iter.Seq[C]
	width   int // the number of cases that run at once to shrink one
	// repeats is the number of runs of a case before it counts as passed; nil: one.
	repeats func(C) int
	rounds  int // of all smaller cases before a case is the smallest; 0: one
	// found has the message of the failed case, by the text of its draws.
	found    map[string]string
	failures int // of the failed case
	// unable is the reason why no case could be drawn, or "".
	unable string
}

// caseFailure is the failure of one case.
type caseFailure struct {
	kind    string // its format, without values
	message string
	log     []string
}

// finished reports whether the search is over. Rapid runs a failed case once more,
// and then looks for smaller forms. The case is the smallest already.
func (f *failureSearch[C]) finished() bool { return f.failures > 1 }

// run runs a case, unless one has failed before.
func (f *failureSearch[C]) run(t *rapid.T, drawn string, c C) {
	if len(f.found) == 0 {
		failure, failed := attempt(t.Context(), t.Name(), func(tb TB) { f.runCase(tb, c) })
		if !failed {
			return
		}
		f.found = map[string]string{drawn: f.smallest(t, c, failure).text()}
	}
	if message, failed := f.found[drawn]; failed {
		f.failures++
		t.Fatalf("%s", message) // from one line, because rapid takes a failure at another line for another failure
	}
}

// prepare runs the set-up of the draws. A failure of it fails every case.
func (f *failureSearch[C]) prepare(t *rapid.T, run func(TB)) {
	if f.unable == "" {
		failure, failed := attempt(t.Context(), t.Name(), run)
		if !failed {
			return
		}
		f.unable = failure.text()
	}
	t.Fatalf("%s", f.unable)
}

// smallest returns the failure of the smallest case that fails in the same way.
func (f *failureSearch[C]) smallest(t *rapid.T, c C, first caseFailure) caseFailure {
	s := &shrinking[C]{smaller: f.smaller, width: max(1, f.width), rounds: f.rounds, until: time.Now().Add(shrinkTime()), last: first}
	ctx, name := t.Context(), t.Name()
	s.runCase = func(c C) (caseFailure, bool) {
		repeats := 1
		if f.repeats != nil {
			repeats = f.repeats(c)
		}
		for range repeats {
			failure, failed := attempt(ctx, name, func(tb TB) { f.runCase(tb, c) })
			if failed && failure.kind == first.kind {
				return failure, true
			}
		}
		return caseFailure{}, false
	}
	s.shrink(c)
	return s.last
}

// text returns the whole message of a failure.
func (c caseFailure) text() string {
	return strings.Join(append([]string{c.message}, c.log...), "\n")
}

// attempt runs a case on a TB of its own. The TB's Cleanup functions run before
// attempt returns.
func attempt(ctx context.Context, name string, run func(TB)) (failure caseFailure, failed bool) {
	tb := newPlainTB(ctx, name)
	n := &catchingTB{TB: tb}
	if v := tb.run(func() { failure, failed = n.catch(func() { run(n) }) }); v != nil {
		return caseFailure{kind: "panic", message: fmt.Sprintf("panic: %v", v), log: n.log}, true
	}
	return failure, failed
}

// catchingTB is a TB that catches failures. It is for one goroutine.
type catchingTB struct {
	TB
	log []string
}

func (c *catchingTB) Logf(format string, args ...any) {
	c.log = append(c.log, fmt.Sprintf(format, args...))
}

func (c *catchingTB) Errorf(format string, args ...any) { c.Fatalf(format, args...) }

func (c *catchingTB) Fatalf(format string, args ...any) { c.fail(format, fmt.Sprintf(format, args...)) }

func (c *catchingTB) fail(kind, message string) { panic(caseFailure{kind, message, c.log}) }

// failAs fails with a message of a kind.
func failAs(tb TB, kind, message string) {
	tb.Helper()
	if n, ok := tb.(*catchingTB); ok {
		n.fail(kind, message)
	}
	tb.Fatalf("%s", message)
}

// catch runs a function that may fail, and reports whether it failed.
func (c *catchingTB) catch(run func()) (failure caseFailure, failed bool) {
	defer func() {
		if v := recover(); v != nil {
			if failure, failed = v.(caseFailure); !failed {
				panic(v)
			}
		}
	}()
	run()
	return caseFailure{}, false
}
