package run

import (
	"fmt"
	"time"
)

const (
	// firstLimit is the limit before the first measurement. A store in the same process
	// gains nothing from more. A remote store gets twice as many after each round.
	firstLimit = 4
	// remote is the latency of the first timed call from which on the limit is remoteLimit
	// at once. The engine hands out many calls in that time, so a few deletions need fewer
	// round trips.
	remote      = 100 * time.Microsecond
	remoteLimit = 16
	// engineTime is a time in which no engine hands out a call, with room for a mean that
	// lags behind. By Little's law, no more calls can be under way than the mean latency has
	// such times.
	engineTime = 250 * time.Nanosecond
	// A latency counts as at most outlier times the mean. The mean follows 1/smooth of it.
	outlier = 8
	smooth  = 8
	// minFresh and minRound bound a round from below. A few calls, or a moment of a store
	// in the same process, show nothing but noise.
	minFresh = 8
	minRound = time.Millisecond
	// minRounds and minEnded bound a window from below. The throughput of 256 calls with
	// exponential latencies has a deviation of 6%.
	minRounds = 4
	minEnded  = 256
	// A round shows overload if more than one of 16 calls was told to come later, or more
	// than one of 8 got no answer. A rare failure of one kind of call is no overload.
	busyShare   = 16
	silentShare = 8
)

// Pace adapts the number of calls under way to the capacity of a store. It finds the least
// limit that has about the greatest throughput, by trials: more, then less. The limit
// starts small. A trial begins only while calls wait for the limit.
//
// A round is a round trip: it ends after as many calls as the limit that also began in it,
// and takes 1 ms at least. A window is some rounds in a row with one limit. Throughput
// counts each answer with the mean latency of its class, so a change from reads to writes
// is no change of throughput. By Little's law (1961), the throughput so weighted is the
// mean number of calls under way at the earlier latencies.
//
//   - Ramp doubles the limit after each round, while throughput follows: slow start
//     (Jacobson 1988).
//   - Steady keeps the limit. After some windows it tries 3/2 of it, and 3/4 of it. It
//     keeps more if throughput rises by 15% of the rise of the limit. It keeps less if
//     throughput falls by less than 15% of the fall. Both trials become rarer while they
//     fail. TCP Vegas (Brakmo and Peterson 1995) compares with the least latency ever
//     seen. Pace compares adjacent windows, so a lasting change of latency is soon normal.
//   - Overload lowers the limit to the share of answered calls, by a half at most. Then the
//     limit rises by one each round (Chiu and Jain 1989). Beyond 5/4 of the limit of
//     the overload, Ramp begins again.
//
// A batch counts as one call under way, and as many answers as it has writes. So a higher
// limit with smaller batches is no gain by itself.
//
// A call without an answer counts as overload only in the round in which it began. So a few
// calls that hang lower nothing. Stall raises the limit where the calls under way all hang.
//
// Calls cannot be under way faster than the engine hands them out. So the mean latency of
// the timed calls bounds the limit, and noise in the throughput of a store in the same
// process raises no limit.
//
// A round in which a result comes while no call waits is discarded. Low demand changes no
// limit, and ends a trial. Pace has no time but that of its caller, which is the time
// since one epoch of a monotonic clock. The driver's lock guards a Pace. Use NewPace.
//
// The invariants, which Check verifies:
//
//	U1 1 <= limit <= max, and so is the limit before a trial
//	U2 a trial of more has more than the limit before it, a trial of less has less
//	U3 without a trial or a ramp, the limit is the one before it
//	U4 the calls of a round are fresh ones and others; busy and silent ones are fresh
//	U5 no trial waits for longer than maxWait windows
//	U6 the limit is at most the number of calls that can be under way at the mean latency
//
//test:by TestPaceStores TestPaceRandomStores TestPaceInvariants
type Pace struct {
	max, limit int
	phase      Phase
	base       int // the limit before the trial or the doubling under way
	brink      int // the limit of the latest overload

	careful bool   // a ramp has to measure each limit with more calls
	skip    bool   // the round under way follows a change of the limit, and is not measured
	round   round  // under way
	window  window // of the whole rounds since then
	ref     window // the last whole one with the limit base; no span if there is none

	raise, lower pause         // before the next trials
	idle         int           // results without waiting calls since the last whole round
	last         time.Duration // of the last result
	calm         time.Duration // the driver has last said that no call waits
	stalls       int           // since the last result
	silent       bool          // the last result was no answer
	latency      time.Duration // the mean of the timed answers, 0 before the first one
}

// Phase says what a Pace is doing.
type Phase uint8

// The phases of a Pace.
const (
	PhaseUnset   Phase = iota
	PhaseRamp          // double the limit each round
	PhaseSteady        // keep the limit
	PhaseRaise         // try more
	PhaseLower         // try less
	PhaseRecover       // raise the limit by one each round, after an overload
)

var phaseNames = [...]string{"unset", "ramp", "steady", "raise", "lower", "recover"}

// String returns the name of the phase.
func (p Phase) String() string { return nameOf(phaseNames[:], uint8(p)) }

// Outcome is the word of a call's end about the load of the store.
type Outcome uint8

// The outcomes. A conflict, a missing object and a refusal are answers. An error of a server
// without a time for the next try says nothing about the load: it may come from a webhook.
const (
	OutcomeUnset  Outcome = iota // nothing, as of a call that was not begun
	OutcomeAnswer                // the store has answered
	OutcomeBusy                  // the store asks for time
	OutcomeSilent                // the call timed out, or its outcome is unknown
)

var outcomeNames = [...]string{"unset", "answer", "busy", "silent"}

// String returns the name of the outcome.
func (o Outcome) String() string { return nameOf(outcomeNames[:], uint8(o)) }

func nameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%d", i)
}

// Classes is the number of classes of calls. A class has calls of about the same latency,
// such as the reads.
const Classes = 4

// Ended is a call that has ended. Began and Latency are zero if the call was not timed.
//
// See Timing.
type Ended struct {
	Began   time.Duration // since the epoch of the driver
	Latency time.Duration // of the store alone
	Class   uint8         // below Classes
	Outcome Outcome
	Size    int // the number of writes of a batch, 0 for a call that is none
}

// NewPace returns a Pace with a limit of at most max, which is 1 at least.
func NewPace(max int) Pace {
	p := Pace{max: max, phase: PhaseRamp, raise: newPause(firstRaise), lower: newPause(firstLower)}
	if p.max < 1 {
		p.max = 1
	}
	p.limit = min(firstLimit, p.max)
	p.base, p.brink = p.limit, p.limit
	return p
}

// Limit returns how many calls may be under way.
func (p *Pace) Limit() int { return p.limit }

// QuickAhead is the number of calls that are taken ahead for a store that answers at once.
const QuickAhead = 32

// Ahead returns how many calls the driver takes from the engine before a worker is free: as
// many as the limit, or QuickAhead if that is more and the store answers at once. Its
// workers come back before another goroutine has the lock of the engine.
func (p *Pace) Ahead() int {
	if p.latency > 0 && p.latency < quickCall {
		return max(p.limit, QuickAhead)
	}
	return p.limit
}

// useful returns how many calls can be under way at once at the mean latency: those, one
// that waits for its worker, and one whose result waits for the engine.
func (p *Pace) useful() int {
	if p.latency == 0 {
		return p.max
	}
	return min(p.max, int(p.latency/engineTime)+3)
}

// Phase returns what the Pace is doing.
func (p *Pace) Phase() Phase { return p.phase }

// End takes the end of a call. Waits says that calls have waited for the limit since the
// driver last handed out calls. The results of calls that ended together may come together
// and later, in any order.
func (p *Pace) End(now time.Duration, e *Ended, waits bool) {
	last := p.last
	p.last = now
	if e.Outcome == OutcomeUnset {
		return
	}
	p.stalls, p.silent = 0, e.Outcome != OutcomeAnswer
	p.hear(e)
	if !waits {
		p.doubt()
		return
	}
	r := &p.round
	if !r.open {
		*r = round{open: true, at: now}
		if e.Began != 0 { // the first calls after a pause are of this round
			r.at = min(now, max(e.Began, last))
		}
	}
	r.add(e)
	if r.fresh >= p.fresh() && now-r.at >= minRound {
		p.endRound(now)
	}
}

// hear takes the latency of a timed answer, of which the first one may raise the limit.
func (p *Pace) hear(e *Ended) {
	if e.Began == 0 || e.Outcome != OutcomeAnswer {
		return
	}
	took := max(e.Latency, 1)
	if p.latency > 0 {
		p.latency = max(p.latency+(min(took, outlier*p.latency)-p.latency)/smooth, 1)
	} else if p.latency = took; took >= remote && p.phase == PhaseRamp && p.limit < remoteLimit {
		p.round.open, p.ref = false, window{}
		p.jump(remoteLimit)
	}
	if most := p.useful(); p.limit > most {
		p.round.open, p.ref = false, window{}
		p.move(PhaseSteady, most)
	}
}

// fresh returns the number of fresh calls that end the round. It is smaller while none of
// them is answered. After Ramp has doubled the limit, half of the calls are new, and they
// end together.
func (p *Pace) fresh() int {
	r := &p.round
	switch {
	case r.fresh > 0 && r.busy+r.silent == r.fresh: // timeouts take long
		return p.limit
	case p.phase != PhaseRamp:
		return max(p.limit, minFresh)
	case p.ref.span > 0:
		return max(p.limit/2, minFresh/2)
	}
	return max(p.limit, minFresh/2)
}

// doubt discards the round: the limit was not used up. It ends a trial after a round of
// such results, and the limit is again the one before the trial.
func (p *Pace) doubt() {
	p.round.open = false
	if p.idle++; p.idle < max(p.limit, minFresh) {
		return
	}
	p.idle = 0
	switch p.phase {
	case PhaseRamp:
		p.ref = window{}
		p.move(PhaseRamp, p.base)
		p.skip = false
	case PhaseRaise:
		p.raise.wait()
		p.move(PhaseSteady, p.base)
	case PhaseLower:
		p.lower.wait()
		p.move(PhaseSteady, p.base)
	}
}

// endRound looks for an overload, and then at the throughput.
func (p *Pace) endRound(now time.Duration) {
	r := p.round
	p.round = round{open: true, at: now}
	p.idle = 0
	switch {
	case r.busy*busyShare > r.fresh || r.silent*silentShare > r.fresh:
		p.cut(&r)
	case p.phase == PhaseRecover:
		p.rise()
	case p.skip:
		p.skip = false
	default:
		p.window.add(&r.tally, 1, now-r.at)
		p.judge()
	}
}

// Check returns an error that names the first broken invariant.
func (p *Pace) Check() error {
	r, trial := &p.round, p.phase == PhaseRaise || p.phase == PhaseLower
	for _, c := range [...]struct {
		name string
		ok   bool
	}{
		{"U1", 1 <= p.limit && p.limit <= p.max && 1 <= p.base && p.base <= p.max},
		{"U2", p.phase != PhaseRaise || p.limit > p.base},
		{"U2", p.phase != PhaseLower || p.limit < p.base},
		{"U3", trial || p.phase == PhaseRamp && p.limit >= p.base || p.limit == p.base},
		{"U4", r.busy >= 0 && r.silent >= 0 && r.busy+r.silent <= r.fresh && r.fresh <= r.ended},
		{"U5", p.raise.ok() && p.lower.ok()},
		{"U6", p.limit <= p.useful()},
	} {
		if !c.ok {
			return fmt.Errorf("pace: %s is broken: %s, limit %d of %d, %d before", c.name, p.phase, p.limit, p.max, p.base)
		}
	}
	return nil
}
