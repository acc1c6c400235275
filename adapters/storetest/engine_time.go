package storetest

import (
	"cmp"
	"flag"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	// mostTime bounds how long the cases of one test run in a store's own time,
	// as a multiple of its patience.
	mostTime = 3
	// engineTime bounds those of engineTest: most of it they wait.
	engineTime = 2 * time.Second
)

// runEngine runs engineTest as often as rapid says, or as long as a store's own
// time may take.
func runEngine(t *testing.T, c Config) {
	t.Helper()
	b := newBudget(c)
	b.most = min(b.most, engineTime)
	b.run(t, engineTest(c))
}

// runModel does so for modelTest.
func runModel(t *testing.T, c Config) {
	t.Helper()
	newBudget(c).run(t, modelTest(c))
}

// budget is the time for the cases of one test.
type budget struct {
	most   time.Duration
	began  time.Time
	cases  int
	over   bool // cases were left out
	failed bool
}

func newBudget(c Config) *budget {
	return &budget{most: mostTime * cmp.Or(c.Patience, defaultPatience), began: time.Now()}
}

// run runs the property. Who asks for a number of cases gets them all.
func (b *budget) run(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		property = b.within(property)
	}
	check(t, property)
	if b.over {
		t.Logf("%d cases in %s, and the others were left out: -rapid.checks=N takes its time for N", b.cases, time.Since(b.began).Round(time.Millisecond))
	}
}

// within returns the property for as long as the time lasts, and for one case at
// least. What failed is run again as often as it takes to shrink it. Held by
// TestBudget.
func (b *budget) within(property func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		if b.cases > 0 && !b.failed && time.Since(b.began) >= b.most {
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
