package pause

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/internal/core/effect"
)

// AwaitRecord makes the machine cover everything until the record is known.
func (p *Pauses) AwaitRecord(now time.Time) { p.record = unread{is: true, since: now} }

// FailRecord notes that the record is unknown, and why. It covers everything until the
// record is known.
func (p *Pauses) FailRecord(why string, now time.Time, out *effect.List) {
	if !p.record.is {
		p.AwaitRecord(now)
	}
	if p.record.why == "" {
		begun(Extent{All: true}, "everything, since the record is unknown", out)
	}
	p.record.why = why
}

// Unread reports whether the record is unknown, with the cause and the time since which it
// is. The cause is empty before the first read has failed.
func (p *Pauses) Unread() (why string, since time.Time, is bool) {
	return p.record.why, p.record.since, p.record.is
}

// SetRecord takes the pauses of the record, which is known. A pause that the record no longer has
// ends. The engine's own pauses stay. A list is of ReadList, so the recorded pauses alone are not
// too many.
func (p *Pauses) SetRecord(list []Pause, now time.Time, out *effect.List) {
	for _, x := range list {
		x.Recorded = true
		if x.Since.IsZero() {
			x.Since = now
		}
		p.add(x, out)
	}
	for _, x := range p.All() {
		if x.Recorded && !slices.ContainsFunc(list, func(y Pause) bool { return y.What == x.What }) {
			p.End(x.What, out)
		}
	}
	if was := p.record; was.is {
		p.record, p.at = unread{}, 1
		if was.why != "" {
			p.ended(Extent{All: true}, "everything, since the record is known", out)
		}
	}
}
