package kinds

import (
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/record"
)

// lists has the kinds that need a new listing. The table asks for one at a time, with
// backoff.
type lists struct {
	wanted []graph.Kind // sorted
	set    bool         // the set of kinds is wanted, too
	last   graph.Kind   // the kind asked for last
	retry  time.Time    // none is asked for before
	tries  int
	failed ListFailure
}

// ListFailure describes the requests for a listing that have failed in a row. It is a value.
type ListFailure struct {
	Since time.Time // the first of them failed, the zero time while none fails
	Next  time.Time // no other request goes out before
	Cause string    // the error of the last one

	logged time.Time // the last line about them
}

// logEvery bounds the lines about failures whose causes differ from each other.
const logEvery = time.Minute

// ListFailing returns the failures of the requests for a listing. A request is for a wanted
// kind, so a kind that is not wanted waits for the watch alone.
func (t *Table) ListFailing(name graph.Kind) (f ListFailure, is bool) {
	_, wanted := slices.BinarySearch(t.lists.wanted, name)
	f = t.lists.failed
	return f, !f.Since.IsZero() && (wanted || name == "" && (t.setLost || t.lists.set))
}

// ListError returns the error of the last request for a listing, if another request is due.
func (t *Table) ListError() string {
	if _, due := t.dueList(); !due {
		return ""
	}
	return t.lists.failed.Cause
}

// FailList takes the error of a request for a listing. Wait is the store's own delay.
func (t *Table) FailList(now time.Time, err error, wait time.Duration, out *effect.List) {
	l, cause := &t.lists, record.ErrorText(err)
	if at := now.Add(wait); at.After(l.retry) {
		l.retry = at
	}
	f := &l.failed
	first := f.Since.IsZero()
	if first {
		f.Since = now
	}
	if first || cause != f.Cause && now.Sub(f.logged) >= logEvery {
		f.logged = now
		out.Warn("listing failed", "kind", string(l.last), "err", err, "wait", l.retry.Sub(now))
	}
	f.Next, f.Cause = l.retry, cause
}

// EndListFailures notes that a request for a listing has succeeded.
func (t *Table) EndListFailures() { t.lists.failed = ListFailure{} }

// WantList asks for a new listing of a kind that takes part.
func (t *Table) WantList(name graph.Kind) {
	if i, ok := slices.BinarySearch(t.lists.wanted, name); !ok && t.Part(name) {
		t.lists.wanted = slices.Insert(t.lists.wanted, i, name)
	}
}

// WantLists asks for a new listing of every kind that takes part.
func (t *Table) WantLists() {
	wanted := t.lists.wanted[:0]
	for _, name := range t.names {
		if t.states[name].Part {
			wanted = append(wanted, name)
		}
	}
	t.lists.wanted = wanted
}

// drop takes a kind out: a listing has begun, or the kind no longer takes part.
func (l *lists) drop(name graph.Kind) {
	if i, ok := slices.BinarySearch(l.wanted, name); ok {
		l.wanted = slices.Delete(l.wanted, i, i+1)
	}
}

// ended ends the backoff of the kind that was asked for last.
func (l *lists) ended(name graph.Kind) {
	if l.last == name {
		l.tries = 0
	}
}

// dueList returns the kind to be listed next, "" for the set of kinds. The kinds take
// turns. A kind that the store reported sick is asked for when it has recovered, except
// where an event of it was refused.
func (t *Table) dueList() (name graph.Kind, ok bool) {
	l := &t.lists
	set := t.setLost || l.set
	if len(l.wanted) == 0 || set && l.last != "" {
		return "", set
	}
	after, _ := slices.BinarySearch(l.wanted, l.last+"\x00")
	for i := range l.wanted {
		name := l.wanted[(after+i)%len(l.wanted)]
		if s := t.states[name]; !s.ReportedSick || s.NeedsRelist {
			return name, true
		}
	}
	return "", set
}

// ListAt returns the time of the next request for a listing, false for none.
func (t *Table) ListAt() (time.Time, bool) {
	_, due := t.dueList()
	return t.lists.retry, due
}

// NextList returns the next kind to ask a listing for, "" for the set of kinds, if one is
// due.
func (t *Table) NextList(now time.Time) (name graph.Kind, ok bool) {
	l := &t.lists
	name, ok = t.dueList()
	if !ok || now.Before(l.retry) {
		return "", false
	}
	l.tries++
	l.last = name
	l.retry = now.Add(min(time.Second<<min(l.tries, 9), 5*time.Minute))
	return name, true
}

// ReturnList takes back the last request for a listing, which no caller has begun.
func (t *Table) ReturnList(name graph.Kind, now time.Time) {
	if l := &t.lists; l.last == name {
		l.tries, l.retry = max(l.tries-1, 0), now
	}
}

// ListsWanted reports whether a listing is wanted that can come: of a kind that is not
// reported sick.
func (t *Table) ListsWanted() bool {
	return slices.ContainsFunc(t.lists.wanted, func(name graph.Kind) bool { return !t.states[name].ReportedSick })
}

// NoLists reports whether no listing is wanted.
func (t *Table) NoLists() bool { return len(t.lists.wanted) == 0 }

// Listing reports whether a listing is under way, or to come, that a well kind waits for.
func (t *Table) Listing() bool {
	for _, s := range t.states {
		switch {
		case s.Part && s.well() && (!s.Listed || t.relisting && s.Begun <= t.rewound):
			return true
		case s.NeedsRelist && !s.ReportedSick && s.Begun > s.Ended: // the listing under way makes it well
			return true
		}
	}
	return false
}

// NextPruned returns the kind whose ended listing is to be pruned next, "" for none.
func (t *Table) NextPruned() graph.Kind {
	if len(t.pruning) == 0 {
		return ""
	}
	return t.pruning[0]
}

// IsPruned reports whether there is no pruning under way or due.
func (t *Table) IsPruned() bool { return len(t.pruning) == 0 }

// EndPruning takes the first kind out of the pruned ones.
func (t *Table) EndPruning() {
	if len(t.pruning) == 1 {
		t.pruning = nil
		return
	}
	t.pruning = t.pruning[1:]
}

// SetListed notes that the listing of a kind is complete and pruned. It returns the fence
// that the kind has passed meanwhile, 0 for none.
func (t *Table) SetListed(name graph.Kind) (pending uint64) {
	s := t.of(name)
	pending = s.Pending
	s.Pruning, s.Listed, s.Pending = false, s.Begun > t.rewound, 0
	t.set(name, s)
	return pending
}

// SeeAll reports whether all kinds are listed for the first time. It returns true once.
func (t *Table) SeeAll() bool {
	if t.allSeen || t.Unseen() {
		return false
	}
	t.allSeen = true
	return true
}
