package world

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// specified returns the archive in the words of the oracle.
func (s *Store) specified() oracle.Archive {
	a := oracle.Archive{Entries: make([]oracle.Ended, len(s.archived.entries)), Lives: s.livesUnmarked}
	for i, e := range s.archived.entries {
		a.Entries[i] = oracle.Ended{
			Object: e.Object, Explicit: e.Explicit, Orphaning: e.Orphaning, Holder: e.Cause.Holder, Restored: e.Restored,
			Unreadable: e.Unreadable != "",
		}
	}
	return a
}

func (s *Store) livesUnmarked(u graph.UID) bool {
	return slices.ContainsFunc(s.objects, func(o graph.Object) bool { return o.UID == u && !o.Deleting })
}

// entriesAreUnique reports whether no two entries have one UID. Otherwise the store breaks its contract (Plant), and the oracle
// has no answer.
func (s *Store) entriesAreUnique() bool {
	seen := map[graph.UID]bool{}
	for _, e := range s.archived.entries {
		if seen[e.Object.UID] {
			return false
		}
		seen[e.Object.UID] = true
	}
	return true
}

// judgeSet compares the set of a restore with that of the oracle (RULES, A2), and its refusals (A3).
func (s *Store) judgeSet(set archive.Set, req archive.Request) error {
	spec := s.specified()
	var members, refused []graph.UID
	for _, m := range set.Members {
		members = append(members, m.Entry.Object.UID)
	}
	for _, x := range set.Refused {
		refused = append(refused, x.Entry.Object.UID)
	}
	slices.Sort(members)
	slices.Sort(refused)
	if want := spec.Set(req.Roots); !slices.Equal(members, want) {
		return fmt.Errorf("A2: the restore of %q has the members %q, want %q", req.Roots, members, want)
	}
	if want := spec.Refused(req.Roots, req.Detach); !slices.Equal(refused, want) {
		return fmt.Errorf("A3: the restore of %q refuses %q, want %q", req.Roots, refused, want)
	}
	return nil
}

// judgeCreated compares the objects of a restore, in the order of their creation, with those of the oracle (RULES, A4). An
// object comes after its owners, except for those that depend on it. The holders of sweeps count as owners there.
func judgeCreated(created, want []graph.Object, holders map[graph.UID]graph.Key) error {
	if got, want := oracle.Line(created), oracle.Line(want); got != want {
		return fmt.Errorf("A4: the restore makes %q, want %q", got, want)
	}
	at, owners := map[graph.UID]int{}, make([][]graph.Owner, len(created))
	for i, o := range created {
		at[o.UID] = i
		owners[i] = append(slices.Clip(o.Owners), graph.Owner{Key: holders[o.UID]})
	}
	for i, o := range created {
		for _, r := range o.Owners {
			if j, in := at[r.UID]; in && j > i && !dependsOn(owners, at, j, i) {
				return fmt.Errorf("A4: the restore makes %s before its owner %s", o.Key, r.Key)
			}
		}
	}
	return nil
}

// dependsOn reports whether references lead from one created object to another.
func dependsOn(owners [][]graph.Owner, at map[graph.UID]int, from, to int) bool {
	seen, todo := map[int]bool{from: true}, []int{from}
	for n := 0; n < len(todo); n++ {
		for _, r := range owners[todo[n]] {
			if j, in := at[r.UID]; in && !seen[j] {
				seen[j], todo = true, append(todo, j)
			}
		}
	}
	return seen[to]
}

// JudgeEntries returns the breach of A1, if there is one: each object that has left the store has one entry, and no other has
// one. An entry is explicit exactly if a user's deletion has reached its object, or if it came back as a root (A6).
func (s *Store) JudgeEntries() error {
	entries := map[graph.UID]int{}
	for _, e := range s.archived.entries {
		entries[e.Object.UID]++
		_, reached := slices.BinarySearch(s.archived.reached, e.Object.UID)
		if mayBeRoot := e.Explicit && e.IsRestored(); e.Explicit != reached && !mayBeRoot {
			return fmt.Errorf("A1: the entry of %s is explicit: %t, and a user's deletion has reached the object: %t", e.Object.Key, e.Explicit, reached)
		}
	}
	for _, u := range s.spent {
		want := 1
		if slices.ContainsFunc(s.objects, func(o graph.Object) bool { return o.UID == u }) {
			want = 0
		}
		if entries[u] != want {
			return fmt.Errorf("A1: %s has %d entries, want %d", u, entries[u], want)
		}
	}
	return nil
}

// RestoreAll restores in one step all that users deleted, without the owners that are not there. It leaves roots out that are
// refused all the same.
func (w *World) RestoreAll() ([]graph.Object, error) {
	var roots []graph.UID
	for _, e := range w.Store.archived.entries {
		if e.Explicit {
			roots = append(roots, e.Object.UID)
		}
	}
	refused := w.Store.specified().Refused(roots, true)
	roots = slices.DeleteFunc(roots, func(u graph.UID) bool { return slices.Contains(refused, u) })
	return w.RestoreEntries(archive.Request{Roots: roots, Detach: true})
}
