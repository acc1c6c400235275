package run

import "time"

// tally counts answers by class.
type tally struct {
	ended   int          // all calls, with or without an answer
	answers [Classes]int // by the writes of batches
	timed   [Classes]int
	latency [Classes]time.Duration // of the timed ones together
}

// round is the tally of one round trip.
type round struct {
	tally
	open   bool
	turned bool // a call that began in the round has ended
	at     time.Duration
	fresh  int // the calls that began in the round
	busy   int // of the fresh ones
	silent int // of the fresh ones
}

// window is the tally of whole rounds.
type window struct {
	tally
	rounds int
	span   time.Duration
}

// add takes a call. A call without a time counts as fresh after the first one that is.
func (r *round) add(e *Ended) {
	r.ended++
	fresh := r.turned
	if e.Began != 0 {
		fresh = e.Began >= r.at
		r.turned = r.turned || fresh
	}
	if fresh {
		r.fresh++
	}
	switch {
	case e.Outcome == OutcomeAnswer:
		c := e.Class % Classes
		size := max(e.Size, 1)
		r.answers[c] += size
		if e.Began != 0 {
			r.timed[c] += size
			r.latency[c] += e.Latency
		}
	case !fresh:
	case e.Outcome == OutcomeBusy:
		r.busy++
	default:
		r.silent++
	}
}

// add takes the tally of so many rounds in a row.
func (w *window) add(t *tally, rounds int, span time.Duration) {
	w.rounds += rounds
	w.span += span
	w.ended += t.ended
	for c := range Classes {
		w.answers[c] += t.answers[c]
		w.timed[c] += t.timed[c]
		w.latency[c] += t.latency[c]
	}
}

// age takes a quarter off the window. With a further window each time, it has the weight of
// four.
func (w *window) age() {
	keep := func(n int) int { return n - n/4 }
	w.rounds, w.ended = keep(w.rounds), keep(w.ended)
	w.span -= w.span / 4
	for c := range Classes {
		w.answers[c], w.timed[c] = keep(w.answers[c]), keep(w.timed[c])
		w.latency[c] -= w.latency[c] / 4
	}
}

// cost returns the mean latency of a class, zero if it is unknown. A single call of a rare
// class must not decide alone, so the cost is bounded by the span of the window.
func (w *window) cost(class int) float64 {
	if w.timed[class] == 0 {
		return 0
	}
	return min(float64(w.latency[class])/float64(w.timed[class]), float64(w.span))
}

// over returns the throughput in units of that of an earlier window, at whose latencies the
// answers count.
func (w *window) over(ref *window) float64 {
	var here, there float64
	for c := range Classes {
		cost := ref.cost(c)
		if cost == 0 {
			cost = w.cost(c)
		}
		here += cost * float64(w.answers[c])
		there += cost * float64(ref.answers[c])
	}
	if there == 0 || ref.span == 0 || w.span == 0 {
		return 1
	}
	return here / float64(w.span) / (there / float64(ref.span))
}
