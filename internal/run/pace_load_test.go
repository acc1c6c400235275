package run_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/portion"
	"github.com/ownergraph/ownergraph/internal/run"
)

// limited is a store that answers so many calls a second, and refuses the others.
func limited(rate float64, mean time.Duration) func() server {
	return func() server {
		tokens, last := 0.0, time.Duration(0)
		return func(s *sim, now time.Duration, _ uint8) (time.Duration, time.Duration, run.Outcome) {
			tokens = min(tokens+rate*(now-last).Seconds(), max(1, rate/1000))
			last = now
			if tokens < 1 {
				return now, now + draw(s, mean/2, slightly), run.OutcomeBusy
			}
			tokens--
			return now, now + draw(s, mean, slightly), run.OutcomeAnswer
		}
	}
}

// failing is a store that fails from one time to another.
func failing(from, to, after, mean time.Duration, how run.Outcome) func() server {
	return func() server {
		return func(s *sim, now time.Duration, _ uint8) (time.Duration, time.Duration, run.Outcome) {
			if from <= now && now < to {
				return now, now + after, how
			}
			return now, now + draw(s, mean, slightly), run.OutcomeAnswer
		}
	}
}

// TestPaceRateLimit: the limit stays near the rate that the store takes, so most calls are
// answered, and most of the rate is used.
func TestPaceRateLimit(t *testing.T) {
	for _, c := range []struct {
		rate           float64 // a second
		share, refused float64
		most           float64
		reason         string
	}{
		{2000, 0.65, 0.2, 4, "two calls at a time are enough"},
		{10_000, 0.85, 0.15, 20, "ten calls at a time are enough"},
		{50_000, 0.85, 0.15, 100, "fifty calls at a time are enough"},
	} {
		p := run.NewPace(256)
		store := paceStore{store: limited(c.rate, ms), calls: 100_000_000}
		s := store.sim(&p, *paceSeed)
		sum := 0.0
		n := 0
		s.observe = func(*sim) { sum, n = sum+float64(p.Limit()), n+1 }
		const span = 5 * time.Second
		s.run(span)
		share := float64(s.answered) / (c.rate * span.Seconds())
		refused := 1 - float64(s.answered)/float64(s.done)
		t.Logf("rate %v: %.3f of the rate, %.3f refused, mean limit %.1f", c.rate, share, refused, sum/float64(n))
		if share < c.share || refused > c.refused || sum/float64(n) > c.most {
			t.Errorf("%s: %.3f of the rate, %.3f refused, mean limit %.1f", c.reason, share, refused, sum/float64(n))
		}
	}
}

// TestPaceRecovers: while every call fails, the limit goes to 1, and calls go on. When the
// store is well again, the limit comes back within some round trips.
func TestPaceRecovers(t *testing.T) {
	for _, c := range []struct {
		how    run.Outcome
		after  time.Duration // the failed calls take
		until  time.Duration // the store fails from 100 ms on
		one    time.Duration // the limit is 1 until then, from the start of the failure
		back   time.Duration // the limit is full until then, from the end of the failure
		reason string
	}{
		{run.OutcomeBusy, ms, 300 * ms, 100 * ms, 35 * ms, "refusals come at the latency of answers"},
		{run.OutcomeSilent, 20 * ms, 1000 * ms, 500 * ms, 55 * ms, "timeouts come later"},
		{run.OutcomeBusy, 10 * us, 300 * ms, 100 * ms, 35 * ms, "refusals come at once"},
		{run.OutcomeSilent, 30 * time.Second, 1000 * time.Second, 600 * time.Second, 30100 * ms, "timeouts of 30 s"},
	} {
		p := run.NewPace(256)
		store := paceStore{store: failing(100*ms, c.until, c.after, ms, c.how), calls: 100_000_000}
		s := store.sim(&p, *paceSeed)
		var one, back time.Duration
		n := 0
		s.observe = func(s *sim) {
			switch {
			case s.now >= 100*ms && s.now < c.until && p.Limit() == 1 && one == 0:
				one = s.now - 100*ms
			case s.now >= c.until && p.Limit() == 256 && back == 0:
				back = s.now - c.until
			}
			if n++; n%portion.Number(16, 1) == 0 && p.Check() != nil {
				t.Fatal(p.Check())
			}
		}
		s.run(c.until + c.back)
		t.Logf("%s: at 1 after %v, back after %v", c.reason, one, back)
		if one == 0 || one > c.one || back == 0 {
			t.Errorf("%s: at 1 after %v, back after %v", c.reason, one, back)
		}
	}
}

// TestPaceFirstCallsHang: the calls that use up the limit all hang. The other calls go on
// after a second.
func TestPaceFirstCallsHang(t *testing.T) {
	p := run.NewPace(64)
	store := paceStore{calls: 100_000, store: func() server {
		return func(s *sim, now time.Duration, _ uint8) (time.Duration, time.Duration, run.Outcome) {
			if s.launched <= 4 {
				return now, now + 30*time.Second, run.OutcomeSilent
			}
			return now, now + draw(s, ms, slightly), run.OutcomeAnswer
		}
	}}
	s := store.sim(&p, *paceSeed)
	s.run(5 * time.Second)
	if s.done < 99_000 || p.Limit() < 48 {
		t.Errorf("%d of %d calls after 5 s, limit %d", s.done, s.calls, p.Limit())
	}
}

// TestPaceSomeHang: calls that hang are no overload. The other calls use the rest of the
// limit, as with a fixed limit.
func TestPaceSomeHang(t *testing.T) {
	for seed := *paceSeed; seed < *paceSeed+*paceSeeds; seed++ {
		c := paceStore{store: sometimes(0.0005, 30*time.Second, ms, run.OutcomeSilent), calls: 100_000_000}
		p := run.NewPace(64)
		s, bare := c.sim(&p, seed), c.sim(fixed(64), seed)
		s.run(time.Second)
		bare.run(time.Second)
		share := float64(s.answered) / float64(bare.answered)
		t.Logf("seed %d: %.3f of the calls of a fixed limit, limit %d", seed, share, p.Limit())
		if share < 0.9 || p.Limit() < 48 {
			t.Errorf("seed %d: %.3f of the calls of a fixed limit, limit %d", seed, share, p.Limit())
		}
	}
}

// TestPaceLowDemand: without waiting calls, latency changes no limit. Bursts keep what
// others have found.
func TestPaceLowDemand(t *testing.T) {
	p := run.NewPace(64)
	store := paceStore{calls: 20_000, store: plenty(500*us, exponential)}
	s := store.sim(&p, *paceSeed)
	s.arrive = func(now time.Duration) int { return int(now / ms) }
	s.run(forever)
	if p.Limit() != 16 {
		t.Errorf("one call each ms: limit %d, want that after the first answer", p.Limit())
	}
	s = (&paceStore{calls: 20_000, store: plenty(ms, slightly)}).sim(&p, *paceSeed)
	s.run(forever)
	was := p.Limit()
	if was != 64 {
		t.Fatalf("limit %d, want 64", was)
	}
	s = (&paceStore{calls: 20_000, store: plenty(500*us, exponential)}).sim(&p, *paceSeed)
	s.arrive = func(now time.Duration) int { return int(now / ms) }
	s.observe = func(*sim) {
		if p.Limit() > was || p.Limit() < was*3/4 {
			t.Fatalf("limit %d after low demand, want %d", p.Limit(), was)
		}
	}
	s.run(forever)
	if p.Limit() != was {
		t.Errorf("limit %d after low demand, want %d", p.Limit(), was)
	}
}

// TestPaceBursts: each burst begins with the limit of the one before, even after an hour.
// The end of a burst is no loss of throughput.
func TestPaceBursts(t *testing.T) {
	for _, c := range []struct {
		every  time.Duration
		calls  int
		least  int
		reason string
	}{
		{100 * ms, 100, 32, "a burst ends before 64 calls at a time have shown their worth"},
		{100 * ms, 300, 64, "a burst shows the worth of 64"},
		{time.Hour, 300, 64, "an hour changes nothing"},
	} {
		p := run.NewPace(64)
		bursts := 50
		for i := range bursts {
			s := (&paceStore{calls: c.calls, store: plenty(ms, slightly)}).sim(&p, *paceSeed)
			s.now = time.Duration(i) * c.every
			if s.run(forever); i > 0 && p.Limit() < c.least {
				t.Fatalf("%s: limit %d after burst %d, want %d at least", c.reason, p.Limit(), i, c.least)
			}
		}
	}
}

// TestPaceHearsFirst: the first timed answer of a remote store brings the limit of a few
// round trips less. That of a store in the same process brings nothing.
func TestPaceHearsFirst(t *testing.T) {
	for _, c := range []struct {
		max     int
		latency time.Duration
		want    int
		reason  string
	}{
		{256, ms, 16, "the store is remote"},
		{256, 10 * time.Microsecond, 4, "the store is in the same process"},
		{10, ms, 10, "the bound is lower"},
	} {
		p := run.NewPace(c.max)
		for range 2 { // the second one changes nothing
			p.End(2*ms, &run.Ended{Began: ms, Latency: c.latency, Outcome: run.OutcomeAnswer}, true)
		}
		if p.Limit() != c.want || p.Check() != nil {
			t.Errorf("%s: limit %d, want %d; %v", c.reason, p.Limit(), c.want, p.Check())
		}
	}
}

// TestPaceUseful: a store in the same process gets few calls at once, with any noise in its
// throughput. The engine hands out no more in the time of a call.
func TestPaceUseful(t *testing.T) {
	p := run.NewPace(256)
	now := time.Duration(0)
	for i := range 20_000 { // the throughput doubles again and again
		now += 2 * time.Microsecond >> min(i/2000, 8)
		p.End(now, &run.Ended{Began: now - 900, Latency: 900 * time.Nanosecond, Outcome: run.OutcomeAnswer}, true)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
	}
	if p.Limit() > 8 {
		t.Errorf("limit %d, want 8 at most", p.Limit())
	}
	for range 40 { // the store is remote from now on
		now += time.Millisecond
		p.End(now, &run.Ended{Began: now - time.Millisecond, Latency: time.Millisecond, Outcome: run.OutcomeAnswer}, true)
	}
	if p.Ahead() >= run.QuickAhead {
		t.Errorf("%d calls are taken ahead for a remote store with limit %d", p.Ahead(), p.Limit())
	}
}

// TestPaceStall: a stall doubles the limit, later each time, and not after a call without
// an answer.
func TestPaceStall(t *testing.T) {
	p := run.NewPace(64)
	for _, c := range []struct {
		now, at time.Duration
		limit   int
		reason  string
	}{
		{ms, time.Second + ms, 4, "the first look begins the wait"},
		{time.Second, time.Second + ms, 4, "the second is not over"},
		{time.Second + ms, 3*time.Second + ms, 8, "a second has passed"},
		{2 * time.Second, 3*time.Second + ms, 8, "the next wait is longer"},
		{4 * time.Second, 8 * time.Second, 16, "two seconds have passed"},
	} {
		if at := p.Stall(c.now); at != c.at || p.Limit() != c.limit {
			t.Errorf("%s: limit %d and again at %v, want %d and %v", c.reason, p.Limit(), at, c.limit, c.at)
		}
	}
	p.End(9*time.Second, &run.Ended{Began: time.Second, Latency: 8 * time.Second, Outcome: run.OutcomeSilent}, true)
	if p.Stall(20 * time.Second); p.Limit() != 16 {
		t.Errorf("limit %d after a timeout, want 16", p.Limit())
	}
}

// TestPaceNoStall: a pause before the calls is no stall, nor are errors without a word about
// the load. A store that is down gets no further calls.
func TestPaceNoStall(t *testing.T) {
	for _, c := range []struct {
		reason string
		step   func(p *run.Pace, now time.Duration)
	}{
		{"no call waits until now", func(p *run.Pace, now time.Duration) { p.Calm(now - ms) }},
		{"calls fail", func(p *run.Pace, now time.Duration) { p.End(now-ms, &run.Ended{}, true) }},
	} {
		p := run.NewPace(64)
		p.End(ms, &run.Ended{Outcome: run.OutcomeAnswer}, true)
		for i := range 100 {
			now := time.Duration(i+1) * time.Minute
			c.step(&p, now)
			if at := p.Stall(now); at != now-ms+time.Second || p.Limit() != 4 {
				t.Fatalf("%s: limit %d, and the next look after %v", c.reason, p.Limit(), at-now)
			}
		}
	}
}
