package run_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/internal/run"
)

// TestPaceInvariants: the invariants are true after any results, and equal results lead to
// equal limits.
func TestPaceInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := run.NewPace(rapid.IntRange(-1, 300).Draw(t, "max"))
		q := p
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 2))
		bad, idle := r.IntN(4), r.IntN(20)
		step := 1 << r.IntN(24)
		now := time.Duration(0)
		for range 5000 {
			now += time.Duration(r.IntN(step))
			e := run.Ended{Class: uint8(r.IntN(6)), Outcome: run.OutcomeAnswer}
			if r.IntN(10) < bad {
				e.Outcome = run.Outcome(r.IntN(5))
			}
			if r.IntN(3) > 0 {
				e.Latency = time.Duration(r.IntN(2 * step))
				e.Began = now - e.Latency
			}
			waits := r.IntN(20) >= idle
			p.End(now, &e, waits)
			q.End(now, &e, waits)
			if r.IntN(50) == 0 && p.Stall(now) != q.Stall(now) {
				t.Fatal("two equal machines differ in a stall")
			}
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
			if p != q {
				t.Fatal("two equal machines differ")
			}
		}
	})
}

// TestPaceRandomStores: with any latency, jitter and capacity, a Pace has half of the
// throughput of its maximum at least, even in a short run that begins at the first limit. It
// has no more calls under way.
func TestPaceRandomStores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := paceStore{max: rapid.IntRange(1, 256).Draw(t, "max")}
		c.calls = 2000 + 60*c.max
		mean := time.Duration(rapid.IntRange(1, 20_000).Draw(t, "us")) * us
		capacity := rapid.IntRange(1, 300).Draw(t, "capacity")
		j := []jitter{constant, slightly, lognormal, exponential}[rapid.IntRange(0, 3).Draw(t, "jitter")]
		c.store = queueing(capacity, mean, j)
		c.sample = rapid.SampledFrom([]int{1, 16}).Draw(t, "sample")
		seed := rapid.Uint64().Draw(t, "seed")
		p := run.NewPace(c.max)
		s := c.sim(&p, seed)
		n := 0
		s.observe = func(*sim) {
			if n++; n%16 == 0 && p.Check() != nil {
				t.Fatal(p.Check())
			}
		}
		took, best := s.run(forever), c.sim(fixed(c.max), seed).run(forever)
		if share := float64(best) / float64(took); share < 0.5 || s.peak > c.max || s.done < c.calls {
			t.Errorf("%.3f of the throughput, peak %d, %d calls", share, s.peak, s.done)
		}
	})
}

// TestPaceNames: every value of an enum has a name, and so has a value that is none.
func TestPaceNames(t *testing.T) {
	for got, want := range map[string]string{
		run.PhaseUnset.String(): "unset", run.PhaseRecover.String(): "recover", run.Phase(9).String(): "9",
		run.OutcomeUnset.String(): "unset", run.OutcomeSilent.String(): "silent", run.Outcome(9).String(): "9",
	} {
		if got != want {
			t.Errorf("name %q, want %q", got, want)
		}
	}
}

func BenchmarkPaceEnd(b *testing.B) {
	p := run.NewPace(256)
	now := ms
	b.ReportAllocs()
	for b.Loop() {
		now += 4 * us
		p.End(now, &run.Ended{Began: now - ms, Latency: ms, Outcome: run.OutcomeAnswer}, true)
	}
}
