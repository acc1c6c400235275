package brake

import (
	"cmp"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/fifo"
	"github.com/ownergraph/ownergraph/policy"
)

// Fact is what the record of a program keeps of one cascade: its trip, or the answer of a
// user. It is a value.
type Fact struct {
	Key    graph.Key
	State  State // Tripped, Approved, RefusedKeep or RefusedOrphan
	Cause  Cause // of Tripped
	Until  time.Time
	AtMost int // with Until: of the approval, or of the one that a trip has ended
	At     time.Time
}

// KeepRecord makes the machine note the facts that the record lacks.
func (m *Machine) KeepRecord() { m.keeps = true }

// AwaitsRecord reports whether the first read of the record is still to come. Until then no
// cascade is judged, and a pause keeps everything.
func (m *Machine) AwaitsRecord() bool { return m.keeps && !m.taken }

// Unrecorded reports whether the record lacks a trip or an answer.
func (m *Machine) Unrecorded() bool { return m.unrecorded > 0 }

// note notes that a cascade has changed, and that the record does not have this yet.
func (m *Machine) note(c *cascade, now time.Time) {
	if c.at = now; m.keeps && !c.unrecorded {
		c.unrecorded = true
		m.unrecorded++
	}
}

// setRecorded notes whether the record has a cascade as it is.
func (m *Machine) setRecorded(c *cascade, recorded bool) {
	if c.recorded = recorded; c.unrecorded {
		c.unrecorded = false
		m.unrecorded--
	}
}

func (c *cascade) fact() Fact {
	f := Fact{Key: c.key, State: c.state, Cause: c.cause, At: c.at}
	if c.hasApproval() {
		f.Until, f.AtMost = c.until, c.atMost
	}
	return f
}

// hasApproval reports whether an approval counts, or was the last thing before the trip.
func (c *cascade) hasApproval() bool {
	return c.state == Approved || c.state == Tripped && (c.cause == ApprovalUsed || c.cause == ApprovalExpired)
}

func (c *cascade) hasTripped() bool { return c.state >= Tripped }

// is reports whether the record has a cascade as it is. The cause of a trip that the record has
// does not count.
func (f *Fact) is(c *cascade) bool {
	return f.State == c.state && (c.state != Approved || f.endsWith(c)) && (f.Cause == c.cause || !c.unrecorded)
}

// endsWith reports whether a fact has the approval of a cascade.
func (f *Fact) endsWith(c *cascade) bool { return f.Until.Equal(c.until) && f.AtMost == c.atMost }

// yields reports whether a change that the record lacks goes before the fact. The answer of a
// user does, since the record gets it later. A trip ends an approval, and no other answer.
func (f *Fact) yields(c *cascade) bool {
	switch {
	case !c.unrecorded:
		return false
	case c.state != Tripped || f.State == Tripped:
		return true
	}
	return f.State == Approved && c.hasApproval() && f.endsWith(c)
}

// TakeRecord takes over the facts of the record. The record counts, except for later changes
// of this machine. It asks for decisions of the cascades whose answer changes. A fact that has left the
// record is written again, as long as objects wait for it.
//
//test:by TestRecordMerged TestRecordAnswers TestRecordLost
func (m *Machine) TakeRecord(v View, list []Fact) {
	m.taken = true
	here := make(map[slot]bool, len(list))
	for i := range list {
		s := m.remember(list[i].Key)
		if s == 0 {
			continue // without room the cascade is counted
		}
		here[s] = true
		switch c := m.at(s); {
		case list[i].is(c):
			m.setRecorded(c, true)
		case list[i].yields(c):
		default:
			m.adopt(v, s, &list[i])
		}
		m.noteEnd(s)
	}
	for _, s := range m.index {
		if c := m.at(s); c.recorded && !here[s] {
			if c.recorded = false; c.hasTripped() && c.held.live > 0 {
				m.note(c, c.at)
			}
		}
	}
}

// adopt gives a cascade the state of the record. The answer for a cascade that this machine
// has held already is reported.
func (m *Machine) adopt(v View, s slot, f *Fact) {
	c := m.at(s)
	m.endCount(v, s)
	if c.hasTripped() {
		m.reportAnswer(v, c.key, f.State)
	}
	c.state, c.cause, c.at = f.State, f.Cause, f.At
	c.until, c.atMost, c.used = f.Until, f.AtMost, 0
	if c.state == Approved {
		c.approvals++
	}
	m.setRecorded(c, true)
	m.wake(v, &c.held)
}

// reportAnswer counts and reports the answer of a user.
func (m *Machine) reportAnswer(v View, k graph.Key, to State) {
	d := policy.Decision{Action: policy.Keep, Reason: policy.CascadeRefused}
	switch to {
	case Approved:
		d.Reason = policy.DeletionApproved
		m.counts.Approvals++
	case RefusedKeep:
		m.counts.Refusals++
	case RefusedOrphan:
		d.Action = policy.Orphan
		m.counts.Refusals++
	default:
		return
	}
	v.Out.Report(k, "", d)
}

// endCount ends the count of a cascade, which is no longer of use.
func (m *Machine) endCount(v View, s slot) {
	if m.at(s).seeds = nil; m.walk.slot == s {
		m.stopWalk(v)
	}
	var kept fifo.List[slot]
	for _, x := range m.pending.All() {
		if x != s {
			kept.Push(&x)
		}
	}
	m.pending = kept
}

// MergeRecord returns the facts of the record with the changes that it lacks, by key.
func (m *Machine) MergeRecord(list []Fact) (out []Fact) {
	seen := make(map[graph.Key]bool, len(list))
	for _, f := range list {
		seen[f.Key] = true
		if c := m.at(m.index[f.Key]); f.yields(c) {
			f = c.fact()
		}
		out = append(out, f)
	}
	for k, s := range m.index {
		if c := m.at(s); c.unrecorded && c.hasTripped() && !seen[k] {
			out = append(out, c.fact())
		}
	}
	slices.SortFunc(out, func(a, b Fact) int { return a.Key.Compare(b.Key) })
	return out
}

// Leaving returns the indices of facts in the order in which they leave a record that is
// full: the oldest answers, then trips without an object that waits here, then the others.
func (m *Machine) Leaving(list []Fact) []int {
	rank := func(f *Fact) int {
		switch {
		case f.State != Tripped:
			return 0
		case !m.Holds(f.Key):
			return 1
		}
		return 2
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.At.Compare(b.At))
	})
	return order
}

// FitRecord returns the facts for which a record has room in bytes, as values and as texts. It also
// returns the facts that it leaves out although objects wait for their cascades. It notes that the
// record leaves its facts out.
//
//test:by TestFitRecord
func (m *Machine) FitRecord(list []Fact, room int) (kept []Fact, texts [][]byte, held []Fact) {
	size, all := 2, make([][]byte, len(list))
	for i, f := range list {
		all[i] = WriteFact(f)
		size += len(all[i]) + 1
	}
	drop := make([]bool, len(list))
	if size > room {
		for _, i := range m.Leaving(list) {
			if size <= room {
				break
			}
			size -= len(all[i]) + 1
			if drop[i] = true; m.Holds(list[i].Key) {
				held = append(held, list[i])
			}
			m.LeaveOut(list[i].Key)
		}
	}
	for i, f := range list {
		if !drop[i] {
			kept, texts = append(kept, f), append(texts, all[i])
		}
	}
	return kept, texts, held
}

// Holds reports whether objects wait for a cascade.
func (m *Machine) Holds(k graph.Key) bool { return m.at(m.index[k]).held.live > 0 }

// LeaveOut notes that the record has no room for a cascade. It stays so until the cascade
// changes again.
func (m *Machine) LeaveOut(k graph.Key) {
	if s := m.index[k]; s != 0 {
		m.setRecorded(m.at(s), false)
	}
}
