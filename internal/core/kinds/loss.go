package kinds

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
)

// A store that is restored from a backup goes down first: a write gets no answer, or the
// watch breaks. The watch shows the rewind later. Until then, owners that were observed
// gone may be alive again, and the versions of their dependents may be valid again. So
// after such a sign no write rests on older evidence, until newer evidence confirms it
// (R5).

// loss follows the signs that history may have gone backwards.
type loss struct {
	at       seq.Stamp // the newest sign, 0 without one
	time     time.Time // of that
	open     bool      // a kind that takes part may not be confirmed yet
	closed   seq.Stamp // all of them were last confirmed
	answered seq.Stamp // the newest call or listing began that the store has answered
	set      seq.Stamp // the store last reported the set of kinds
}

// MaxLossWait bounds the wait of a kind with unanswered writes for the fence that confirms
// the others.
const MaxLossWait = time.Minute

// Lose notes a sign: a write without an answer, or a watch that broke. Level 1 has no
// fences, so it asks for new listings.
func (t *Table) Lose(now time.Time, stamps *seq.Counter, fences bool, g *graph.Graph) {
	t.loss.at, t.loss.time, t.loss.open = stamps.Stamp(), now, true
	if !fences {
		t.WantLists()
		t.lists.set = t.anyLeft(g)
	}
}

// anyLeft reports whether a kind that was served is not served now. The set of kinds
// would show its return.
func (t *Table) anyLeft(g *graph.Graph) bool {
	for _, name := range t.names {
		if at, _ := g.Kind(name); !t.states[name].Part && !at.Known {
			return true
		}
	}
	return false
}

// LoseWrite notes that the newest sign was a write to the kind.
func (t *Table) LoseWrite(name graph.Kind) {
	if t.Has(name) {
		s := t.of(name)
		s.Lost = t.loss.at
		t.set(name, s)
	}
}

// LostAt returns the moment of the newest sign, 0 without one.
func (t *Table) LostAt() seq.Stamp { return t.loss.at }

// LossOpen reports whether a kind that takes part may not be confirmed yet.
func (t *Table) LossOpen() bool { return t.loss.open }

// LossEnd returns the time until which a kind with unanswered writes waits.
func (t *Table) LossEnd() time.Time { return t.loss.time.Add(MaxLossWait) }

// SetAnswered notes that the store has answered a call, or sent a listing, that began then.
func (t *Table) SetAnswered(began seq.Stamp) { t.loss.answered = max(t.loss.answered, began) }

// Unanswered reports whether the store has answered no call that began after the newest
// sign. Then no write goes out.
func (t *Table) Unanswered() bool { return t.loss.at != 0 && t.loss.answered <= t.loss.at }

// SetReported notes that the store has reported the set of kinds.
func (t *Table) SetReported(at seq.Stamp) { t.loss.set = at }

// SetReportedSince reports whether the store has reported the set of kinds since the
// newest sign.
func (t *Table) SetReportedSince() bool { return t.loss.set > t.loss.at }

// HasLoss reports whether an unanswered write to the kind is among the open signs.
func (t *Table) HasLoss(name graph.Kind) bool { return t.loss.open && t.Of(name).Lost > t.loss.closed }

// Losing reports whether writes to the kind wait until all kinds are confirmed: a write to
// it got no answer since they were. Further writes might get none either, and each would
// be another sign, which keeps all kinds from an end (R8). Blocked is that of the fence.
func (t *Table) Losing(name graph.Kind, now time.Time, blocked bool) bool {
	return t.HasLoss(name) && now.Before(t.LossEnd()) && !blocked
}

// Unconfirmed reports whether the observed state of a kind's objects goes back to before
// the moment, which is that of a sign or of a conflict's read. For a kind that is served
// and not watched only reads are newer evidence. For a kind that is not served the set of
// kinds is.
func (t *Table) Unconfirmed(g *graph.Graph, name graph.Kind, at seq.Stamp) bool {
	if at == 0 {
		return false
	}
	switch k, _ := g.Kind(name); {
	case k.Unwatched:
		return k.Known
	case t.Part(name):
		return t.Behind(name, at)
	case k.Known: // ignored: no event of it is evidence
		return false
	}
	return !t.SetReportedSince()
}

// Behind reports whether the kind lacks evidence that began after the moment. Evidence is a
// listing, a fence, or a read of a version as new as the watermark.
func (t *Table) Behind(name graph.Kind, at seq.Stamp) bool {
	s := t.states[name]
	return s == nil || s.Passed <= at && s.Confirmed <= at && !s.relisted(at)
}

// ConfirmRead notes that a read which began then returned a version of the kind. One as new
// as the watermark confirms the kind.
func (t *Table) ConfirmRead(name graph.Kind, v graph.Version, began seq.Stamp, compare Compare) {
	s := t.Of(name)
	if !t.loss.open || s.High == "" || compare(name, v, s.High) < 0 {
		return
	}
	s.Confirmed = max(s.Confirmed, began)
	t.set(name, s)
}

// Confirm ends the open signs once every kind that takes part is confirmed, and reports
// whether it did. The moment of the newest sign is kept: a kind that is not served now may
// be served again, with owners that were observed gone before it.
func (t *Table) Confirm(stamps *seq.Counter) bool {
	if !t.loss.open || t.Unanswered() {
		return false
	}
	for _, name := range t.names {
		if t.states[name].Part && t.Behind(name, t.loss.at) {
			return false
		}
	}
	t.loss.open, t.loss.closed = false, stamps.Stamp()
	return true
}
