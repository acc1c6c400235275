package storetest

import (
	"cmp"
	"sync"
	"time"
)

// pace says how long a test waits. The first failure is waited for as long as
// the store may take. Whatever fails behind it is only smaller, and is waited
// for as long as this store has been seen to need: else the search for the
// smallest one ends before it has begun. It is safe for concurrent use.
//
// Held by TestPace, TestModelShrinks and TestEngineShrinks.
type pace struct {
	patience time.Duration
	least    time.Duration
	times    time.Duration // as often as the slowest wait that had an end

	mu      sync.Mutex
	slowest time.Duration
	usual   time.Duration // of a call
	failed  bool
}

const (
	// leastWait is what a machine that is busy may take for nothing.
	leastWait = 50 * time.Millisecond
	slowTimes = 10
	// failedTimes is for what is tried again: many such waits have no end.
	failedTimes = 4
)

func newPace(patience time.Duration) *pace {
	return &pace{patience: patience, least: leastWait, times: failedTimes}
}

// limit returns how long to wait now.
func (p *pace) limit() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.failed {
		return p.patience
	}
	return min(p.patience, max(p.least, p.times*p.slowest))
}

// took notes how long a wait took that had an end.
func (p *pace) took(since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slowest = max(p.slowest, time.Since(since))
}

// fail notes a failure.
func (p *pace) fail() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = true
}

// call notes how long a call took, for what comes in the middle of one.
func (p *pace) call(since time.Time) {
	const share = 8
	p.mu.Lock()
	defer p.mu.Unlock()
	p.usual += (time.Since(since) - p.usual) / share
}

// part returns a part of the time that a call takes.
func (p *pace) part(n, of int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.usual * time.Duration(n) / time.Duration(of)
}

// paces are those of engineTest.
type paces struct {
	watch *pace // of a watch, to list
	idle  *pace // of the collectors, to come to rest
	rest  *pace // of what comes right by itself while they are at rest
}

// leastRest is for a collector's own pauses: a second before it asks again for a
// fence, and more the next time.
const leastRest = 5 * time.Second

func newPaces(c Config) *paces {
	patience := cmp.Or(c.Patience, defaultPatience)
	p := &paces{newPace(patience), newPace(patience + ownPauses), newPace(patience)}
	p.idle.least, p.idle.times = leastRest, 3
	return p
}

// fail notes a failure of any kind.
func (p *paces) fail() {
	p.watch.fail()
	p.idle.fail()
	p.rest.fail()
}

// beat is the unit of what happens in a case: the pauses of users, the time that
// faults last. A store that lists in no time has done in a beat what it does.
func (p *paces) beat() time.Duration {
	patience := p.watch.patience
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	return min(patience/100, max(patience/1000, slowTimes*p.watch.slowest))
}
