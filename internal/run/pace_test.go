package run_test

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/run"
)

var (
	paceSeed  = flag.Uint64("pace.seed", 1, "the first `seed` of the simulated stores")
	paceSeeds = flag.Uint64("pace.seeds", 1, "how many seeds each simulated store runs with")
)

const (
	us      = time.Microsecond
	ms      = time.Millisecond
	forever = time.Duration(1 << 62)
)

// paceStore is a store, its load, and the results that a Pace must reach.
type paceStore struct {
	name   string
	store  func() server
	cpus   int // shared with the driver; 0 for a remote store
	max    int
	calls  int
	class  func(n int) uint8
	sample int

	share  float64 // of the throughput of the best fixed limit, at least
	lo, hi float64 // the mean limit in the second half of the calls
	peak   int     // calls under way, at most
	reason string
}

// sim returns a simulation of the store.
func (c *paceStore) sim(l limiter, seed uint64) *sim {
	s := &sim{
		limit: l, store: c.store(), engine: 1500, calls: c.calls, class: c.class, sample: c.sample,
		rand: rand.New(rand.NewPCG(seed, 1)),
	}
	if c.cpus > 0 {
		s.cpu = newServers(c.cpus)
	}
	return s
}

// best returns the least time that a fixed limit takes.
func (c *paceStore) best(seed uint64) time.Duration {
	best := c.sim(fixed(c.max), seed).run(forever)
	for n := 1; n < c.max; n *= 4 {
		best = min(best, c.sim(fixed(n), seed).run(forever))
	}
	return best
}

// watched runs a Pace with the store, and returns the mean limit of the second half.
func (c *paceStore) watched(t *testing.T, seed uint64) (s *sim, took time.Duration, mean float64) {
	t.Helper()
	p := run.NewPace(c.max)
	s = c.sim(&p, seed)
	sum, half, n := 0, 0, 0
	s.observe = func(*sim) {
		if n++; n%16 != 0 {
			return
		}
		if err := p.Check(); err != nil {
			t.Fatalf("%s: seed %d: %v", c.name, seed, err)
		}
		if s.done > c.calls/2 {
			sum += p.Limit()
			half++
		}
	}
	took = s.run(forever)
	return s, took, float64(sum) / float64(half)
}

// mixed is a store whose calls of class 0 and 1 have different latencies.
func mixed(reads, writes time.Duration, j jitter) func() server {
	return func() server {
		return func(s *sim, now time.Duration, class uint8) (time.Duration, time.Duration, run.Outcome) {
			mean := reads
			if class == 1 {
				mean = writes
			}
			return now, now + draw(s, mean, j), run.OutcomeAnswer
		}
	}
}

// sometimes is a store with some slow calls, in no class of their own.
func sometimes(part float64, slow, mean time.Duration, then run.Outcome) func() server {
	return func() server {
		return func(s *sim, now time.Duration, _ uint8) (time.Duration, time.Duration, run.Outcome) {
			if s.rand.Float64() < part {
				return now, now + slow, then
			}
			return now, now + draw(s, mean, slightly), run.OutcomeAnswer
		}
	}
}

// pausing is a store with pauses. It answers no call in a pause.
func pausing(every, pause, mean time.Duration) func() server {
	return func() server {
		return func(s *sim, now time.Duration, _ uint8) (time.Duration, time.Duration, run.Outcome) {
			ended := now + draw(s, mean, slightly)
			if at := ended / every * every; at > 0 && ended-at < pause {
				ended = at + pause + time.Duration(s.rand.Int64N(int64(mean)/10))
			}
			return now, ended, run.OutcomeAnswer
		}
	}
}

// slower is a store with a lasting change of its latency.
func slower(from time.Duration, times float64, mean time.Duration, j jitter) func() server {
	return func() server {
		return func(s *sim, now time.Duration, _ uint8) (time.Duration, time.Duration, run.Outcome) {
			need := draw(s, mean, j)
			if now >= from {
				need = time.Duration(times * float64(need))
			}
			return now, now + need, run.OutcomeAnswer
		}
	}
}

func alternately(n int) uint8 { return uint8(n & 1) }
func inTurns(n int) uint8     { return uint8(n / 500 & 1) }

// TestPaceStores: the limit finds the capacity of each store, and about its throughput. The
// driver needs 1.5 us for a call, under one lock.
func TestPaceStores(t *testing.T) {
	for _, c := range portion.Of(2, []paceStore{
		{name: "map", store: queueing(1, 200, slightly), max: 256, calls: 50_000, share: 0.93, lo: 1, hi: 4, peak: 16,
			reason: "the driver's lock is the bound"},
		{name: "map on 2 CPUs", store: inside(200, slightly), cpus: 2, max: 256, calls: 50_000, share: 0.95, lo: 1, hi: 4, peak: 16,
			reason: "the driver's lock is the bound"},
		{name: "map, sampled", store: inside(200, slightly), cpus: 2, max: 256, calls: 50_000, sample: 16, share: 0.95, lo: 1, hi: 4, peak: 16,
			reason: "untimed calls count for the throughput"},
		{name: "5 us on 2 CPUs", store: inside(5*us, slightly), cpus: 2, max: 256, calls: 50_000, share: 0.95, lo: 1, hi: 4, peak: 16,
			reason: "there are 2 CPUs"},
		{name: "20 us on 2 CPUs", store: inside(20*us, exponential), cpus: 2, max: 256, calls: 50_000, share: 0.95, lo: 1, hi: 4, peak: 16,
			reason: "there are 2 CPUs"},
		{name: "20 us, one lock", store: queueing(1, 20*us, slightly), max: 256, calls: 50_000, share: 0.95, lo: 1, hi: 4, peak: 16,
			reason: "its lock is the bound, and shows as latency"},
		{name: "1 ms", store: plenty(ms, constant), max: 256, calls: 10_000, share: 0.85, lo: 250, hi: 256, peak: 256,
			reason: "a short work: six doublings cost about five round trips"},
		{name: "1 ms, long", store: plenty(ms, slightly), max: 256, calls: 60_000, share: 0.95, lo: 240, hi: 256, peak: 256,
			reason: "the store has plenty of capacity"},
		{name: "1 ms, sampled", store: plenty(ms, slightly), max: 256, calls: 60_000, sample: 16, share: 0.93, lo: 240, hi: 256, peak: 256,
			reason: "one timed call of 16 is enough"},
		{name: "1 ms, 64 workers", store: plenty(ms, lognormal), max: 64, calls: 10_000, share: 0.95, lo: 63, hi: 64, peak: 64,
			reason: "64 are reached within a few hundred calls"},
		{name: "50 ms", store: plenty(50*ms, exponential), max: 64, calls: 40_000, share: 0.9, lo: 60, hi: 64, peak: 64,
			reason: "rounds follow the latency"},
		{name: "4 at a time", store: queueing(4, ms, exponential), max: 256, calls: 50_000, share: 0.93, lo: 3, hi: 8, peak: 64,
			reason: "the store queues"},
		{name: "10 at a time", store: queueing(10, ms, exponential), max: 256, calls: 50_000, share: 0.93, lo: 9, hi: 20, peak: 64,
			reason: "the store queues"},
		{name: "20 at a time, constant", store: queueing(20, ms, constant), max: 256, calls: 50_000, share: 0.95, lo: 18, hi: 40, peak: 96,
			reason: "calls that end together are no noise"},
		{name: "40 at a time", store: queueing(40, 5*ms, lognormal), max: 256, calls: 50_000, share: 0.95, lo: 36, hi: 80, peak: 160,
			reason: "the store queues"},
		{name: "100 at a time", store: queueing(100, ms, slightly), max: 256, calls: 60_000, share: 0.95, lo: 90, hi: 200, peak: 256,
			reason: "the store queues"},
		{name: "one worker", store: plenty(ms, exponential), max: 1, calls: 2000, share: 0.99, lo: 1, hi: 1, peak: 1,
			reason: "one call at a time is the only limit"},
		{name: "reads and writes", store: mixed(200*us, 5*ms, slightly), max: 64, calls: 60_000, class: alternately, share: 0.95, lo: 60, hi: 64, peak: 64,
			reason: "slow writes are no queue"},
		{name: "reads, then writes", store: mixed(200*us, 5*ms, slightly), max: 256, calls: 60_000, class: inTurns, share: 0.95, lo: 240, hi: 256, peak: 256,
			reason: "a class counts with its own latency"},
		{name: "some slow", store: sometimes(0.1, 20*ms, 200*us, run.OutcomeAnswer), max: 64, calls: 100_000, share: 0.85, lo: 52, hi: 64, peak: 64,
			reason: "some kinds are slow, and share a class with the others"},
		{name: "pauses", store: pausing(100*ms, 20*ms, ms), max: 64, calls: 60_000, share: 0.9, lo: 48, hi: 64, peak: 64,
			reason: "a pause of 20 ms every 100 ms passes"},
		{name: "slower", store: slower(100*ms, 10, ms, slightly), max: 64, calls: 50_000, share: 0.95, lo: 60, hi: 64, peak: 64,
			reason: "a lasting change of latency is normal"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			for seed := *paceSeed; seed < *paceSeed+*paceSeeds; seed++ {
				best := c.best(seed)
				s, took, mean := c.watched(t, seed)
				part := float64(best) / float64(took)
				t.Logf("seed %d: %.3f of the best throughput, mean limit %.1f, peak %d", seed, part, mean, s.peak)
				if part < c.share {
					t.Errorf("%s: seed %d: %.3f of the best throughput, want %v", c.reason, seed, part, c.share)
				}
				if mean < c.lo || mean > c.hi {
					t.Errorf("%s: seed %d: mean limit %.1f, want %v to %v", c.reason, seed, mean, c.lo, c.hi)
				}
				if s.peak > c.peak {
					t.Errorf("%s: seed %d: %d calls under way, want at most %d", c.reason, seed, s.peak, c.peak)
				}
			}
		})
	}
}
