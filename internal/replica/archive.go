package replica

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// archived has the entries of the objects that ended, and the words of marked objects. All of it is
// immutable, as the objects are. Without Config.Archive it stays empty.
type archived struct {
	entries  tree[graph.UID, *archive.Entry]
	payloads tree[graph.UID, map[string]string] // the labels of the objects
	ends     tree[end, struct{}]                // the entries, the newest end first
	names    tree[naming, struct{}]             // the references of the entries
	trails   tree[graph.UID, archive.Trail]     // of marked objects
	holds    tree[graph.UID, holds]             // of objects and entries
	bytes    int64
	restored int
}

type end struct {
	at  int64 // nanoseconds
	uid graph.UID
}

// compare has the newest end first.
func (e end) compare(o end) int { return cmp.Or(cmp.Compare(o.at, e.at), cmp.Compare(e.uid, o.uid)) }

// naming says that an entry names an owner.
type naming struct{ owner, entry graph.UID }

func (n naming) compare(o naming) int {
	return cmp.Or(cmp.Compare(n.owner, o.owner), cmp.Compare(n.entry, o.entry))
}

// holds are the holds of an object or an entry. Protects says that they have put the finalizer of protection on the
// object.
type holds struct {
	list     []archive.Hold
	key      graph.Key
	protects bool
}

func newArchived() archived {
	uids := cmp.Compare[graph.UID]
	return archived{
		entries: tree[graph.UID, *archive.Entry]{compare: uids}, payloads: tree[graph.UID, map[string]string]{compare: uids},
		ends: tree[end, struct{}]{compare: end.compare}, names: tree[naming, struct{}]{compare: naming.compare},
		trails: tree[graph.UID, archive.Trail]{compare: uids}, holds: tree[graph.UID, holds]{compare: uids},
	}
}

// keep notes the words of an entry before a write is carried out, and the entry itself if the object goes (RULES, A1). Del has the options of a deletion. The error says that the entry
// cannot be written, so the write may not be either.
func (s *State) keep(t table, live *graph.Object, out finalizer.Outcome, del *graph.DeleteOptions) error {
	if s.conf.archive == nil || !live.Deleting && del == nil || !s.conf.archive.Has(live.Kind) {
		return nil
	}
	trail, noted := s.archived.trails.get(live.UID)
	if live.Deleting && !noted { // a mark from before the archive has no word: a user may have deleted the object
		trail.Explicit = true
	}
	if del != nil {
		trail = trail.Deleted(*live, del.Cause)
	} else {
		trail = trail.Changed(*live, out.Object)
	}
	if out.Effect != finalizer.Removed {
		s.archived.trails = s.archived.trails.put(live.UID, trail)
		return nil
	}
	return s.addEntry(t, trail.Entry(out.Object))
}

func (s *State) addEntry(t table, e archive.Entry) error {
	uid, labels := e.Object.UID, map[string]string(nil)
	if labels, _ = t.labels.get(e.Object.Place()); len(labels) > 0 {
		text, err := json.Marshal(labels)
		if err != nil {
			return fmt.Errorf("archive %s: labels: %w: %w", name(e.Object.Key), err, graph.ErrRefused)
		}
		e.Size = len(text)
	}
	if most := s.conf.archive.Bound(); e.Size > most {
		return fmt.Errorf("archive %s: labels: %d bytes, more than Archive.MaxBytes (%d): %w", name(e.Object.Key), e.Size, most, graph.ErrRefused)
	}
	if e.At = s.conf.now(); e.Explicit {
		e.Until = s.conf.archive.Until(e.Object.Kind, e.At)
	}
	a := &s.archived
	a.trails = a.trails.remove(uid)
	a.bytes += int64(e.Size)
	a.payloads = a.payloads.put(uid, labels)
	a.ends = a.ends.put(end{e.At.UnixNano(), uid}, struct{}{})
	for _, owner := range e.Names() {
		a.names = a.names.put(naming{owner, uid}, struct{}{})
	}
	a.entries = a.entries.put(uid, &e)
	return nil
}

// Entries returns a page of the entries that a query selects, in the order of archive.Query.
//
// Errors: ErrRefused and ErrInvalid for a query that is too long, or has an After of another one.
//
//test:by TestEntries
func (s *State) Entries(q archive.Query) (archive.Page, error) {
	if err := q.Check(); err != nil {
		return archive.Page{}, err
	}
	limit := cmp.Or(q.Limit, archive.MaxPage)
	if len(q.UIDs)+len(q.Owners) > 0 {
		return s.pageOfNamed(q, limit), nil
	}
	from := end{at: math.MaxInt64}
	if q.After != "" {
		var err error
		if from, err = parseEnd(q.After); err != nil {
			return archive.Page{}, err
		}
	}
	var page archive.Page
	for at := range s.archived.ends.after(from) {
		e, _ := s.archived.entries.get(at.uid)
		switch {
		case !q.Matches(e):
		case len(page.Entries) == limit:
			last := page.Entries[limit-1]
			page.More = end{last.At.UnixNano(), last.Object.UID}.String()
			return page, nil
		default:
			page.Entries = append(page.Entries, s.entry(e))
		}
	}
	return page, nil
}

// pageOfNamed returns a page of the entries with UIDs or owners.
func (s *State) pageOfNamed(q archive.Query, limit int) (page archive.Page) {
	for {
		uids := s.named(q, limit)
		for _, uid := range uids {
			e, _ := s.archived.entries.get(uid)
			switch {
			case !q.Matches(e):
			case len(page.Entries) == limit:
				page.More = string(page.Entries[limit-1].Object.UID)
				return page
			default:
				page.Entries = append(page.Entries, s.entry(e))
			}
		}
		if len(uids) <= limit {
			return page
		}
		q.After = string(uids[limit])
	}
}

// named returns the UIDs of the entries with the UIDs of a query, or with its owners, after a UID. They are sorted, and at
// most one more than the limit.
func (s *State) named(q archive.Query, limit int) (out []graph.UID) {
	after := graph.UID(q.After)
	for _, uid := range q.UIDs {
		if _, ok := s.archived.entries.get(uid); ok && uid > after {
			out = append(out, uid)
		}
	}
	for _, owner := range q.Owners {
		left := limit
		for n := range s.archived.names.after(naming{owner, after}) {
			if n.owner != owner || left < 0 {
				break
			}
			left--
			out = append(out, n.entry)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out[:min(len(out), limit+1)]
}

// entry returns a copy of an entry with its holds, which shares nothing.
func (s *State) entry(e *archive.Entry) archive.Entry {
	out := *e
	out.Object = e.Object.Clone()
	h, _ := s.archived.holds.get(e.Object.UID)
	out.Holds = slices.Clone(h.list)
	return out
}

// Extent returns the size of the archive.
func (s *State) Extent() (x archive.Extent) {
	var last end
	for at := range s.archived.ends.all() {
		x.Entries, last = x.Entries+1, at
	}
	if x.Restored, x.Bytes = s.archived.restored, s.archived.bytes; x.Entries > 0 {
		x.Oldest = time.Unix(0, last.at)
	}
	return x
}

// PurgeEntries drops ended holds, and the entries that may go by now. With UIDs it drops those entries at once, unless
// a hold is on one: then it does nothing. It returns the number of dropped entries, and the commits of objects that lose
// their protection.
//
// Errors: ErrRefused for a hold on one of the UIDs. An object that cannot lose its protection is an error too, and all the
// rest is done.
//
//test:by TestPurgeEntries
func (s *State) PurgeEntries(uids []graph.UID) (n int, done []Commit, err error) {
	if s.conf.archive == nil {
		return 0, nil, nil
	}
	now := s.conf.now()
	if len(uids) == 0 {
		var all []archive.Entry
		for _, e := range s.archived.entries.all() {
			all = append(all, s.entry(e))
		}
		uids = archive.Ended(all, now, func(uid graph.UID) bool { _, marked := s.marks.get(uid); return marked })
	}
	for _, uid := range uids {
		if e, ok := s.archived.entries.get(uid); ok {
			if x := s.entry(e); x.IsHeld(now) {
				return 0, nil, fmt.Errorf("purge %s: %d holds: %w", name(x.Object.Key), len(x.Holds), graph.ErrRefused)
			}
		}
	}
	for _, uid := range uids {
		if e, ok := s.archived.entries.get(uid); ok {
			s.dropEntry(e)
			n++
		}
	}
	done, err = s.endHolds()
	return n, done, err
}

func (s *State) dropEntry(e *archive.Entry) {
	a, uid := &s.archived, e.Object.UID
	a.bytes -= int64(e.Size)
	if e.IsRestored() {
		a.restored--
	}
	a.entries, a.payloads = a.entries.remove(uid), a.payloads.remove(uid)
	a.ends = a.ends.remove(end{e.At.UnixNano(), uid})
	for _, owner := range e.Names() {
		a.names = a.names.remove(naming{owner, uid})
	}
}

// labelsOf returns the payload of an entry.
func (s *State) labelsOf(uid graph.UID) map[string]string {
	labels, _ := s.archived.payloads.get(uid)
	return maps.Clone(labels)
}
