package kinds

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// A store may never answer a listing, or never begin one. Nothing tells such a kind from one
// that takes long, except time. So a kind that is not listed in MaxListing is late. It counts
// as sick until a listing ends (RULES, G5 b).
//
// Only a complete listing ends the count of the time. Further beginnings, failures and
// recoveries give a kind no new time, so one that is about to be listed again and again is
// late at last. The time in which the store reports the kind sick does not count.

// MaxListing is the time in which a kind has to be listed.
const MaxListing = 5 * time.Minute

// lateText is the reason for which a late kind is sick.
const lateText = "no listing of it has ended in 5 minutes"

// lateness follows the kinds whose listings are awaited.
type lateness struct {
	now  time.Time
	list []due // by time; an entry may be about a former wait
	most int   // the entries above which the former ones are dropped
}

// due is the time at which a kind is late.
type due struct {
	at   time.Time
	kind graph.Kind
}

// awaited reports whether a listing of the kind is under way, or has still to begin.
func (s *State) awaited() bool {
	return s.Part && s.well() && (s.Begun > s.Ended || !s.Listed && !s.Pruning)
}

// lateAt returns the time at which an awaited kind is late.
func (s *State) lateAt() time.Time { return s.since.Add(MaxListing - s.spent) }

// IsOpenLate reports whether a late kind has still to pass the fence under way, and the store has
// not reported it sick. Time alone is no reason to end a deletion without its objects (R7).
func (t *Table) IsOpenLate() bool { return t.counts.openLate > 0 }

// Tick takes the time. It never goes back.
func (t *Table) Tick(now time.Time) { t.late.now = now }

// await counts the time in which the kind is awaited.
func (t *Table) await(name graph.Kind, s *State) {
	switch is := s.awaited(); {
	case is && !s.waits:
		s.waits, s.since = true, t.late.now
		t.late.add(due{s.lateAt(), name}, len(t.names))
	case !is && s.waits:
		s.spent += t.late.now.Sub(s.since)
		s.waits, s.since = false, time.Time{}
	}
}

// listed ends the count of the time: a listing has ended.
func (s *State) listed() {
	s.spent, s.waits, s.since = 0, false, time.Time{}
	if s.Late = false; !s.ReportedSick && !s.NeedsRelist {
		s.Sick = ""
	}
}

// add adds an entry. Most waits are new, so their entries come last. Beyond some entries for
// each kind it drops one that a later entry of the kind stands for. It looks at all entries again
// when these are twice as many.
//
//test:by TestLateEntries
func (l *lateness) add(d due, kinds int) {
	i, _ := slices.BinarySearchFunc(l.list, d.at, func(x due, at time.Time) int {
		if x.at.After(at) {
			return 1
		}
		return -1
	})
	if l.list = slices.Insert(l.list, i, d); len(l.list) <= max(4*kinds+64, l.most) {
		return
	}
	last := make(map[graph.Kind]time.Time, kinds)
	for _, x := range l.list {
		last[x.kind] = x.at
	}
	l.list = slices.DeleteFunc(l.list, func(x due) bool {
		at, ok := last[x.kind]
		if !ok || !at.Equal(x.at) {
			return true
		}
		delete(last, x.kind)
		return false
	})
	l.most = 2 * len(l.list)
}

// LateAt returns the time at which a kind may be late, false for none.
func (t *Table) LateAt() (time.Time, bool) {
	for len(t.late.list) > 0 && !t.isDue(t.late.list[0]) {
		t.late.list = t.late.list[1:]
	}
	if len(t.late.list) == 0 {
		t.late.list = nil
		return time.Time{}, false
	}
	return t.late.list[0].at, true
}

// isDue reports whether an entry is about a wait that goes on.
func (t *Table) isDue(d due) bool {
	s := t.states[d.kind]
	return s != nil && s.waits && s.lateAt().Equal(d.at)
}

// checkLate verifies the invariants of the waits for listings.
func (t *Table) checkLate() error {
	for name, s := range t.states {
		if s.waits != s.awaited() {
			return fmt.Errorf("a listing of %q is awaited: %t, counted: %t", name, s.awaited(), s.waits)
		}
		if s.waits && !slices.ContainsFunc(t.late.list, func(d due) bool { return d.kind == name && t.isDue(d) }) {
			return fmt.Errorf("a listing of %q is awaited, and is never late", name)
		}
	}
	return nil
}

// TakeLate makes the kinds sick that are late now, at most limit of them, and returns them.
//
//test:by TestLate
func (t *Table) TakeLate(limit int) (late []graph.Kind) {
	for len(late) < limit {
		at, ok := t.LateAt()
		if !ok || t.late.now.Before(at) {
			break
		}
		name := t.late.list[0].kind
		t.late.list = t.late.list[1:]
		s := t.of(name)
		s.Late, s.Sick = true, lateText
		t.set(name, s)
		late = append(late, name)
	}
	return late
}
