package world

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// archived has the entries of a store, by the rules of package archive. It is a value.
type archived struct {
	on      bool
	entries []archive.Entry // in the order of the ends
	trails  map[graph.UID]archive.Trail
	reached []graph.UID // sorted: the objects that a user's deletion has reached
}

// Archives makes the store keep entries.
func (w *World) Archives() { w.Store.archived.on = true }

// Archiving reports whether the store keeps entries.
func (s *Store) Archiving() bool { return s.archived.on }

// Entries returns the entries of the store, in the order of the ends. The caller must not change them.
func (s *Store) Entries() []archive.Entry { return s.archived.entries }

// Archived yields words for what later restores depend on: the entries, in the order of their UIDs, and the words of marked
// objects. Versions, finalizers and the causes of deletions are no part of it.
func (s *Store) Archived(yield func(text string, flags uint64)) {
	a := &s.archived
	flag := func(set bool, bit uint64) uint64 {
		if set {
			return bit
		}
		return 0
	}
	sorted := slices.Clone(a.entries)
	slices.SortFunc(sorted, func(x, y archive.Entry) int { return strings.Compare(string(x.Object.UID), string(y.Object.UID)) })
	for _, e := range sorted {
		yield(string(e.Object.UID), 1|flag(e.Explicit, 2)|flag(e.Orphaning, 4))
		for _, r := range e.Object.Owners {
			yield(r.String(), 8)
		}
		yield(string(e.Restored.UID), 16)
	}
	for _, u := range slices.Sorted(maps.Keys(a.trails)) {
		yield(string(u), 32|flag(a.trails[u].Explicit, 2)|flag(a.trails[u].Orphaning, 4))
	}
	for _, u := range a.reached {
		yield(string(u), 64)
	}
}

// note takes a write of an object for its entry, before it is carried out. Cause is that of a deletion.
func (s *Store) note(live graph.Object, out finalizer.Outcome, deletion bool, cause *graph.Cause) {
	a := &s.archived
	if !a.on || !live.Deleting && !deletion {
		return
	}
	trail := a.trails[live.UID]
	if deletion {
		trail = trail.Deleted(live, cause)
	} else {
		trail = trail.Changed(live, out.Object)
	}
	a.trails = maps.Clone(a.trails)
	if out.Effect == finalizer.Removed {
		delete(a.trails, live.UID)
		a.entries = append(slices.Clip(a.entries), trail.Entry(out.Object))
		return
	}
	if a.trails == nil {
		a.trails = map[graph.UID]archive.Trail{}
	}
	a.trails[live.UID] = trail
}

// reach notes that a user's deletion has reached an object. The judge of A1 compares the words with that.
func (s *Store) reach(u graph.UID) {
	if i, ok := slices.BinarySearch(s.archived.reached, u); s.archived.on && !ok {
		s.archived.reached = slices.Insert(slices.Clone(s.archived.reached), i, u)
	}
}

// RestoreEntries restores roots as a user does, in one step. It returns the new objects in the order of their creation. There are
// none if the restore is refused, or a name is taken. The error is a difference from the oracle.
func (w *World) RestoreEntries(req archive.Request) (created []graph.Object, bad error) {
	s := &w.Store
	set := archive.SetOf(archive.World{Entries: s.archived.entries, Lives: s.livesUnmarked}, req)
	unique := s.entriesAreUnique()
	if unique {
		bad = s.judgeSet(set, req)
	}
	places := map[graph.Key]bool{}
	taken := slices.ContainsFunc(set.Members, func(m archive.Member) bool {
		_, is := s.find(m.Place())
		is = is || places[m.Place()]
		places[m.Place()] = true
		return is
	})
	if len(set.Refused) > 0 || taken {
		return nil, bad
	}
	var want []graph.Object
	if unique {
		want = s.specified().Restore(req.Roots, req.Detach, s.next)
	}
	made := map[graph.UID]graph.Key{}
	for i := range set.Members {
		m := &set.Members[i]
		k := s.next(m.Entry.Object.Key)
		s.spend(k.UID)
		made[m.Entry.Object.UID] = k
	}
	holders := map[graph.UID]graph.Key{}
	s.archived.entries = slices.Clone(s.archived.entries)
	for i := range set.Members {
		m := &set.Members[i]
		holders[made[m.Entry.Object.UID].UID] = made[m.Entry.Cause.Holder.UID]
		o := graph.Object{Key: made[m.Entry.Object.UID], Owners: slices.Clone(m.Owners), Version: s.after("0")}
		for j, r := range o.Owners {
			switch k, ok := made[r.UID]; {
			case ok && r.Place() == placeOf(set.Members, r.UID):
				o.Owners[j].Key, o.Owners[j].Unresolved = k, false
			case ok:
				o.Owners[j].UID = k.UID
			}
		}
		at := slices.IndexFunc(s.archived.entries, func(e archive.Entry) bool { return e.Object.UID == m.Entry.Object.UID })
		s.archived.entries[at].Restored = o.Key
		s.archived.entries[at].Explicit = s.archived.entries[at].Explicit || m.Root
		s.put(o)
		w.publish(graph.Event{Type: graph.Put, Object: o})
		created = append(created, o)
	}
	if unique {
		bad = cmp.Or(bad, judgeCreated(created, want, holders))
	}
	return created, bad
}

// placeOf returns the place of the member with a UID.
func placeOf(members []archive.Member, u graph.UID) graph.Key {
	i := slices.IndexFunc(members, func(m archive.Member) bool { return m.Entry.Object.UID == u })
	return members[i].Entry.Object.Place()
}

// PurgeEntries drops the entries that may go once the time of the first explicit entries is over, so many of them (RULES, A6). The
// error is a difference from the oracle.
func (w *World) PurgeEntries(over int) (bad error) {
	s := &w.Store
	entries := slices.Clone(s.archived.entries)
	spec := s.specified()
	for i := range entries {
		if entries[i].Explicit {
			entries[i].Until = w.Now.Add(1)
			if over > 0 {
				entries[i].Until, over, spec.Entries[i].Over = w.Now, over-1, true
			}
		}
	}
	spec.Ends = func(u graph.UID) bool {
		return slices.ContainsFunc(s.objects, func(o graph.Object) bool { return o.UID == u && o.Deleting })
	}
	purged, want := archive.Ended(entries, w.Now, spec.Ends), spec.Purgeable()
	if s.entriesAreUnique() && !slices.Equal(purged, want) {
		bad = fmt.Errorf("A6: the purge drops the entries %q, want %q", purged, want)
	}
	s.archived.entries = slices.DeleteFunc(slices.Clone(s.archived.entries), func(e archive.Entry) bool {
		return slices.Contains(purged, e.Object.UID)
	})
	return bad
}
