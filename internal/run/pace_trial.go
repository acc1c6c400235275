package run

import "time"

const (
	// worth is the part of a linear gain for which a trial keeps the greater limit. It
	// ends at 93% of the throughput or more: 1/(1+0.15/2) for a trial of 3/2.
	worth = 0.15
	// clearly is the part of a linear gain after which Ramp goes on at once.
	clearly = 0.4
	// rampEnded is the number of calls after which Ramp decides without a clear gain.
	rampEnded = 64
	// firstRaise, firstLower and maxWait bound the windows between two trials in one
	// direction. A trial of less costs a quarter of the throughput for its time.
	firstRaise = 4
	firstLower = 8
	maxWait    = 64
	// A trial goes on, for maxEnded calls at most, while its gain is within 1.4 deviations of
	// the threshold. The deviation for exponential latencies is 1/sqrt(calls): 1.4*1.4 = 2.
	sure     = 2
	maxEnded = 1024
	// shift is the change of the throughput by itself after which trials are due soon.
	shift = 1.5
	// firstStall is the time without a result after which a stalled limit rises.
	firstStall = time.Second
)

// pause is the number of windows before the next trial. It doubles while trials fail.
type pause struct{ left, length, first int }

func newPause(first int) pause { return pause{first, first, first} }
func (w *pause) wait()         { w.left = w.length }
func (w *pause) fail()         { w.length = min(2*w.length, maxWait); w.left = w.length }
func (w *pause) rarely()       { w.length = maxWait; w.left = w.length }
func (w *pause) reset()        { w.length = w.first; w.left = min(w.left, w.length) }
func (w *pause) ok() bool      { return w.first <= w.length && w.length <= maxWait && w.left <= w.length }

// move sets the phase and the limit, and begins a window.
func (p *Pace) move(phase Phase, limit int) {
	limit = min(limit, p.useful())
	p.skip = limit != p.limit
	p.phase, p.limit, p.window = phase, limit, window{}
	if phase == PhaseSteady || phase == PhaseRecover {
		p.base = limit
	}
}

// jump raises the limit without a measurement.
func (p *Pace) jump(limit int) {
	p.move(PhaseRamp, min(limit, p.max))
	p.base, p.skip = p.limit, false
}

// judge looks at a window that may be complete.
func (p *Pace) judge() {
	switch whole := p.window.rounds >= minRounds && p.window.ended >= minEnded; {
	case p.phase == PhaseRamp:
		p.judgeRamp()
	case !whole:
	case p.phase == PhaseSteady:
		p.judgeSteady()
	default:
		p.judgeTrial()
	}
}

// gain returns the throughput of the window, and the threshold for a part of a linear gain.
// The unit is the throughput with the limit base.
func (p *Pace) gain(part float64) (gain, enough float64) {
	return p.window.over(&p.ref), 1 + part*(float64(p.limit)/float64(p.base)-1)
}

// judgeRamp doubles the limit and skips no round: the new calls all begin now. A
// doubling without a clear gain gets more calls, and then a better reference, before Ramp
// ends.
func (p *Pace) judgeRamp() {
	gain, enough := p.gain(clearly)
	many := p.window.ended >= rampEnded
	switch {
	case p.careful && !many:
	case p.ref.span == 0 || gain >= enough:
		p.double()
	case !many || p.window.rounds < minRounds:
	case p.ref.ended < rampEnded:
		p.careful, p.ref = true, window{}
		p.move(PhaseRamp, p.base)
	default:
		p.leaveRamp()
	}
}

// double takes the window as the reference, and doubles the limit.
func (p *Pace) double() {
	p.ref, p.base = p.window, p.limit
	if p.limit >= p.useful() {
		p.careful = false
		p.lower.rarely()
		p.move(PhaseSteady, p.limit)
		return
	}
	p.move(PhaseRamp, min(2*p.limit, p.max))
	p.skip = false
}

// leaveRamp keeps the doubled limit if that is worth it. The trials of the limits between
// are soon.
func (p *Pace) leaveRamp() {
	p.careful = false
	p.raise.left, p.lower.left = 1, 1
	if gain, enough := p.gain(worth); gain < enough {
		p.move(PhaseSteady, p.base)
		return
	}
	p.ref = p.window
	p.move(PhaseSteady, p.limit)
}

// judgeSteady takes the window as the reference, and begins a trial if one is due.
func (p *Pace) judgeSteady() {
	if gain := p.window.over(&p.ref); p.ref.span > 0 && (gain > shift || gain < 1/shift) {
		p.raise.reset()
		p.lower.reset()
		p.ref = window{}
	}
	p.ref.age()
	p.ref.add(&p.window.tally, p.window.rounds, p.window.span)
	p.window = window{}
	p.raise.left--
	p.lower.left--
	switch {
	case p.raise.left <= 0 && p.limit < p.useful():
		p.tryMore()
	case p.lower.left <= 0 && p.limit > 1:
		p.tryLess()
	}
}

func (p *Pace) tryMore() { p.move(PhaseRaise, min(p.limit+max(p.limit/2, 1), p.max)) }
func (p *Pace) tryLess() { p.move(PhaseLower, p.limit-max(p.limit/4, 1)) }

// judgeTrial keeps the limit of a trial that has succeeded, and tries the next one.
func (p *Pace) judgeTrial() {
	gain, enough := p.gain(worth)
	if d := gain - enough; d*d*float64(p.window.ended) < sure && p.window.ended < maxEnded {
		return
	}
	side := &p.raise
	if p.phase == PhaseLower {
		side = &p.lower
	}
	if gain < enough {
		side.fail()
		p.move(PhaseSteady, p.base)
		return
	}
	side.reset()
	p.lower.reset() // its failures were at another limit
	_, clear := p.gain(clearly)
	more := p.phase == PhaseRaise
	p.ref, p.base = p.window, p.limit
	switch {
	case more && gain >= clear:
		p.double()
	case more && p.limit < p.useful():
		p.tryMore()
	case !more && p.limit > 1:
		p.tryLess()
	default:
		p.move(PhaseSteady, p.limit)
	}
}

// cut lowers the limit to the share of answers in a round, between a half and 7/8.
func (p *Pace) cut(r *round) {
	p.brink = p.limit
	answered := r.fresh - r.busy - r.silent
	limit := p.limit * answered / r.fresh
	limit = max(min(limit, p.limit*7/8, p.base), p.limit/2, 1)
	p.ref = window{}
	p.move(PhaseRecover, limit)
}

// rise raises the limit by one after a round without an overload.
func (p *Pace) rise() {
	if p.limit > p.brink+p.brink/4 || p.limit >= p.useful() {
		p.move(PhaseRamp, p.limit)
		return
	}
	p.move(PhaseRecover, p.limit+1)
}

// Calm says that no call waits for the limit now. A stall begins later.
func (p *Pace) Calm(now time.Duration) { p.calm, p.stalls = now, 0 }

// Stall doubles the limit if no call has ended for a second, then for two seconds
// more, and so on. The driver calls it while the limit delays a call. It returns the time
// to call it again. After a call without an answer it raises nothing: the whole store may
// be down.
func (p *Pace) Stall(now time.Duration) (at time.Duration) {
	wait := firstStall << min(p.stalls, 10)
	if p.last == 0 { // no call has ended yet
		p.last = now
	}
	if from := max(p.last, p.calm); now-from < wait {
		return from + wait
	}
	p.last = now
	p.stalls++
	if !p.silent && p.limit < p.max {
		p.round.open, p.ref = false, window{}
		p.jump(2 * p.limit)
	}
	return now + firstStall<<min(p.stalls, 10)
}
