package web

import (
	"sync"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

const (
	rateStep   = 2 * time.Second // between two samples, at least
	maxSamples = 31
)

// rates has samples of the figures, so that an answer can tell the work of the last minute. An
// answer takes the samples, because the page has no goroutine. Safe for concurrent use.
type rates struct {
	mu      sync.Mutex
	samples []sample // oldest first
}

type sample struct {
	at    time.Time
	stats engine.Stats
}

func newRates(now time.Time, s engine.Stats) *rates { return &rates{samples: []sample{{now, s}}} }

// rate is the work of a second, and the length of the measured time.
type rate struct {
	Seconds   float64 `json:"seconds"`
	Events    float64 `json:"eventsPerSecond"`
	Gone      float64 `json:"goneObjectsPerSecond"`
	Decisions float64 `json:"decisionsPerSecond"`
	Reads     float64 `json:"readsPerSecond"`
	Writes    float64 `json:"writesPerSecond"`
}

// since returns the rates from the oldest sample of the last minute to now.
//
//test:by TestRates
func (r *rates) since(now time.Time, s engine.Stats) rate {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.samples) > 1 && now.Sub(r.samples[1].at) >= time.Minute {
		r.samples = r.samples[1:]
	}
	old := r.samples[0]
	if last := r.samples[len(r.samples)-1]; now.Sub(last.at) >= rateStep {
		if len(r.samples) >= maxSamples {
			r.samples = r.samples[1:]
		}
		r.samples = append(r.samples, sample{now, s})
	}
	d := now.Sub(old.at).Seconds()
	if d < 1 { // too short for an average
		return rate{}
	}
	per := func(now, then uint64) float64 {
		if now < then { // another answer has measured before, and was slower
			return 0
		}
		return float64(now-then) / d
	}
	return rate{
		Seconds: d, Events: per(s.Events, old.stats.Events), Gone: per(s.Gone, old.stats.Gone),
		Decisions: per(s.Decisions, old.stats.Decisions),
		Reads:     per(s.Calls.Of(engine.CallRead), old.stats.Calls.Of(engine.CallRead)),
		Writes: per(s.Calls.Of(engine.CallPatch)+s.Calls.Of(engine.CallDelete),
			old.stats.Calls.Of(engine.CallPatch)+old.stats.Calls.Of(engine.CallDelete)),
	}
}

const (
	paceStep = 10 * time.Second // between two samples of a deletion, at least
	maxPaces = 1000             // deletions with samples
)

// paces has two samples of each deletion that a page has shown, so that an answer can tell the work of
// the last seconds. Safe for concurrent use.
type paces struct {
	mu      sync.Mutex
	samples map[graph.Key][2]gone // the older one first
}

type gone struct {
	at time.Time
	n  int
}

// of returns the number of objects that went per second: since an older sample, or since the beginning.
//
//test:by TestPaces
func (p *paces) of(d engine.Deletion, now time.Time) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.samples[d.Root]
	switch {
	case !ok:
		s = [2]gone{{d.Since, 0}, {now, d.Gone}}
	case now.Sub(s[1].at) >= paceStep:
		s = [2]gone{s[1], {now, d.Gone}}
	}
	if p.samples == nil || len(p.samples) >= maxPaces {
		p.samples = map[graph.Key][2]gone{}
	}
	p.samples[d.Root] = s
	if seconds := now.Sub(s[0].at).Seconds(); !s[0].at.IsZero() && seconds >= 1 && d.Gone > s[0].n {
		return float64(d.Gone-s[0].n) / seconds
	}
	return 0
}
