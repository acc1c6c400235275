package run_test

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/ownergraph/ownergraph/internal/run"
)

// limiter bounds the calls under way: a Pace, or a fixed bound.
type limiter interface {
	Limit() int
	End(now time.Duration, e *run.Ended, waits bool)
	Stall(now time.Duration) time.Duration
}

// fixed is a limiter that does not adapt.
type fixed int

func (f fixed) Limit() int                          { return int(f) }
func (fixed) End(time.Duration, *run.Ended, bool)   {}
func (fixed) Stall(now time.Duration) time.Duration { return now + time.Hour }

// server is a simulated store. It takes a call now, and returns when the call begins by the
// clock of its worker, when it ends, and with what.
type server func(s *sim, now time.Duration, class uint8) (began, ended time.Duration, outcome run.Outcome)

// sim is a driver and a store in virtual time. The driver has one lock, under which it takes
// a result and decides on a call. Workers exchange results for prefetched calls without it.
type sim struct {
	limit   limiter
	store   server
	engine  time.Duration // for each result and call together
	cpu     *servers      // on which driver and store run, or nil
	class   func(n int) uint8
	sample  int                         // each of so many calls is timed
	arrive  func(now time.Duration) int // the calls that have come until then; nil: all at once
	calls   int                         // to make
	rand    *rand.Rand
	observe func(s *sim)

	now      time.Duration
	events   events
	busy     bool // the driver is at work
	begun    int  // decided on
	launched int
	fetched  int
	results  []result
	lanes    int // slots in use
	surplus  int // workers that must not exchange
	peak     int
	done     int
	answered int
	waits    bool
	stallAt  time.Duration
}

// result is the end of a call whose worker waits for the driver, or has exchanged it.
type result struct {
	run.Ended
	exchanged bool
}

type event struct {
	at time.Duration
	n  int
	do func()
}

// events is a heap by time, and then by number.
type events struct {
	all []event
	n   int
}

func (e *events) before(i, j int) bool {
	return e.all[i].at < e.all[j].at || e.all[i].at == e.all[j].at && e.all[i].n < e.all[j].n
}

func (e *events) push(at time.Duration, do func()) {
	e.n++
	e.all = append(e.all, event{at, e.n, do})
	for i := len(e.all) - 1; i > 0 && e.before(i, (i-1)/2); i = (i - 1) / 2 {
		e.all[i], e.all[(i-1)/2] = e.all[(i-1)/2], e.all[i]
	}
}

func (e *events) pop() event {
	first, last := e.all[0], len(e.all)-1
	e.all[0] = e.all[last]
	e.all = e.all[:last]
	for i := 0; ; {
		least := i
		for j := 2*i + 1; j <= 2*i+2 && j < last; j++ {
			if e.before(j, least) {
				least = j
			}
		}
		if least == i {
			return first
		}
		e.all[i], e.all[least] = e.all[least], e.all[i]
		i = least
	}
}

func (s *sim) at(at time.Duration, do func()) { s.events.push(at, do) }

// run makes all calls, or those until a time. It returns the time that it took.
func (s *sim) run(until time.Duration) time.Duration {
	s.now += time.Millisecond
	start := s.now
	if s.arrive != nil {
		s.tick()
	}
	s.work()
	for len(s.events.all) > 0 && s.done < s.calls {
		e := s.events.pop()
		if e.at > until {
			s.now = until
			break
		}
		s.now = e.at
		e.do()
		s.work()
		if s.observe != nil {
			s.observe(s)
		}
	}
	return s.now - start
}

// ready returns the number of calls that the driver may decide on.
func (s *sim) ready() int {
	come := s.calls
	if s.arrive != nil {
		come = min(come, s.arrive(s.now))
	}
	return come - s.begun
}

// work lets an idle driver take a turn: it takes all results, hands out calls, and fills the
// prefetch.
func (s *sim) work() {
	if s.busy {
		return
	}
	results := s.results
	room := s.limit.Limit() - s.lanes
	for i := range results {
		if !results[i].exchanged {
			room++
		}
	}
	calls := min(max(0, room)+s.limit.Limit()-s.fetched, s.ready(), 16)
	if len(results) == 0 && calls <= 0 && (room <= 0 || s.fetched == 0) {
		s.rest(room)
		return
	}
	s.results, s.busy = nil, true
	need := s.engine / 2 * time.Duration(len(results)+max(calls, 0))
	end := s.now + need
	if s.cpu != nil {
		end = s.cpu.add(s.now, need)
	}
	s.at(end, func() { s.turn(results, calls) })
}

func (s *sim) turn(results []result, calls int) {
	s.busy = false
	for i := range results {
		s.take(&results[i])
	}
	for ; calls > 0; calls-- {
		s.begun++
		s.fetched++
	}
	for s.fetched > 0 && s.lanes < s.limit.Limit() {
		s.fetched--
		s.lanes++
		s.begin()
	}
	s.surplus = max(0, s.lanes-s.limit.Limit())
	s.waits = s.fetched > 0 || s.ready() > 0
}

// rest is a driver with nothing to do.
func (s *sim) rest(room int) {
	if room <= 0 && s.fetched > 0 && s.stallAt <= s.now {
		s.stallAt = s.limit.Stall(s.now)
		s.at(s.stallAt, func() {})
	}
}

// tick looks for new calls each millisecond.
func (s *sim) tick() { s.at(s.now+time.Millisecond, s.tick) }

func (s *sim) take(r *result) {
	if !r.exchanged {
		s.lanes--
	}
	s.limit.End(s.now, &r.Ended, s.waits)
	s.done++
	if r.Outcome == run.OutcomeAnswer {
		s.answered++
	}
}

// begin lets a worker make a call.
func (s *sim) begin() {
	s.peak = max(s.peak, s.lanes)
	class := uint8(0)
	if s.class != nil {
		class = s.class(s.launched)
	}
	s.launched++
	n := s.launched
	from, ended, outcome := s.store(s, s.now, class)
	s.at(ended, func() {
		e := run.Ended{Class: class, Outcome: outcome}
		if s.sample <= 1 || n%s.sample == 0 {
			e.Began, e.Latency = from, ended-from
		}
		exchanged := s.surplus == 0 && s.fetched > 0
		s.results = append(s.results, result{e, exchanged})
		if exchanged {
			s.fetched--
			s.begin()
		} else {
			s.surplus = max(0, s.surplus-1)
		}
	})
}

// servers answer calls in order, so many at a time.
type servers struct{ free []time.Duration }

func newServers(n int) *servers { return &servers{make([]time.Duration, n)} }

// add returns the end of a call that needs a time.
func (v *servers) add(now, need time.Duration) time.Duration {
	best := 0
	for i, at := range v.free {
		if at < v.free[best] {
			best = i
		}
	}
	v.free[best] = max(now, v.free[best]) + need
	return v.free[best]
}

// jitter is the distribution of a latency with the mean 1.
type jitter func(r *rand.Rand) float64

func constant(*rand.Rand) float64      { return 1 }
func exponential(r *rand.Rand) float64 { return r.ExpFloat64() }
func slightly(r *rand.Rand) float64    { return 0.9 + 0.2*r.Float64() }
func lognormal(r *rand.Rand) float64   { return math.Exp(0.7*r.NormFloat64() - 0.245) }
func draw(s *sim, mean time.Duration, j jitter) time.Duration {
	return time.Duration(float64(mean) * j(s.rand))
}

// plenty is a store with a latency and without a bound.
func plenty(mean time.Duration, j jitter) func() server {
	return func() server {
		return func(s *sim, now time.Duration, _ uint8) (time.Duration, time.Duration, run.Outcome) {
			return now, now + draw(s, mean, j), run.OutcomeAnswer
		}
	}
}

// queueing is a store that works on so many calls at a time. Other calls wait.
func queueing(n int, mean time.Duration, j jitter) func() server {
	return func() server {
		v := newServers(n)
		return func(s *sim, now time.Duration, _ uint8) (time.Duration, time.Duration, run.Outcome) {
			return now, v.add(now, draw(s, mean, j)), run.OutcomeAnswer
		}
	}
}

// inside is a store in the same process, which takes its time on a processor.
func inside(mean time.Duration, j jitter) func() server {
	return func() server {
		return func(s *sim, now time.Duration, _ uint8) (time.Duration, time.Duration, run.Outcome) {
			need := draw(s, mean, j)
			ended := s.cpu.add(now, need)
			return ended - need, ended, run.OutcomeAnswer
		}
	}
}
