package storetest

import (
	"cmp"
	"flag"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	// maxTime bounds the time of the cases of one test, in a store's own time. It
	// is a multiple of the store's patience.
	maxTime = 3
	// engineTime bounds the time of engineTest. Most of it is waiting.
	engineTime = 2 * time.Second
)

// runEngine runs engineTest for the number of cases that rapid asks for, or for the
// time that a store's own time permits.
func runEngine(t *testing.T, c Config) {
	t.Helper()
	b := newBudget(c)
	b.limit = min(b.limit, engineTime)
	b.run(t, engineTest(c))
}

// runModel does the same for modelTest.
func runModel(t *testing.T, c Config) {
	t.Helper()
	newBudget(c).run(t, modelTest(c))
}

// budget is the time for the cases of one test.
type budget struct {
	limit  time.Duration
	began  time.Time
	cases  int
	over   bool // cases were left out
	failed bool
}

func newBudget(c Config) *budget {
	return &budget{limit: maxTime * cmp.Or(c.Patience, defaultPatience), began: time.Now()}
}

// run runs the property. If the user set a number of cases, it runs them all.
func (b *budget) run(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		property = b.within(property)
	}
	checkProperty(t, property)
	if b.over {
		t.Logf("%d cases in %s, and the others were left out: -rapid.checks=N runs N cases", b.cases, time.Since(b.began).Round(time.Millisecond))
	}
}

// within returns the property with a limit of time. At least one case runs. A
// failed case runs as often as shrinking needs.
//
//test:by TestBudget
func (b *budget) within(property func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		if b.cases > 0 && !b.failed && time.Since(b.began) >= b.limit {
			b.over = true
			return
		}
		b.cases++
		ok := false
		defer func() { b.failed = b.failed || !ok }()
		property(t)
		ok = true
	}
}
