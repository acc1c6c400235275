package oracle

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Ended is the entry of an object that ended (RULES, A1). It is a value.
type Ended struct {
	// Object is the object at its end.
	Object graph.Object
	// Explicit: a user deleted the object. Orphaning: it left its dependents behind.
	Explicit, Orphaning bool
	// Holder is that of the sweep that deleted the object, zero for none.
	Holder graph.Key
	// Restored is the object that a restore has made from the entry, zero before that.
	Restored graph.Key
	// Unreadable: the store cannot read the payload.
	Unreadable bool
	// Over: the time of an explicit entry is over. Held: a hold is on the entry.
	Over, Held bool
}

// references returns the references that count for a restore. The holder of a sweep counts as a Cascade
// owner (RULES, A1).
func (e Ended) references() []graph.Owner {
	refs := slices.DeleteFunc(slices.Clone(e.Object.Owners), func(r graph.Owner) bool { return r.UID == e.Object.UID })
	if e.Holder.UID != "" {
		refs = append(refs, graph.Owner{Key: e.Holder, OnDelete: graph.OnDeleteCascade})
	}
	return refs
}

// leads reports property 2 of a reference.
func leads(r graph.Owner) bool { return r.OnDelete != graph.OnDeleteRelease }

// Archive has the entries of a store. No two entries have the same object.
type Archive struct {
	Entries []Ended
	// Lives reports whether the object with the UID lives unmarked.
	Lives func(graph.UID) bool
	// Ends reports whether the object with the UID is marked, and has not ended. It is for Purgeable. Nil stands for none.
	Ends func(graph.UID) bool
}

// own returns the entry of the object with the UID, or -1.
func (a Archive) own(u graph.UID) int {
	return slices.IndexFunc(a.Entries, func(e Ended) bool { return e.Object.UID == u })
}

// last returns the last entry of the object with the UID, or -1: that of the object, of a later one that a
// restore has made from it, or the entry from which a restore has made the object.
func (a Archive) last(u graph.UID) int {
	i := a.own(u)
	if i < 0 {
		i = slices.IndexFunc(a.Entries, func(e Ended) bool { return e.restored() && e.Restored.UID == u })
	}
	for range a.Entries { // forged entries may lead in a ring
		if i < 0 || !a.Entries[i].restored() {
			return i
		}
		next := a.own(a.Entries[i].Restored.UID)
		if next < 0 {
			return i
		}
		i = next
	}
	return i
}

func (e Ended) restored() bool { return e.Restored.UID != "" }

// back reports whether the object that a restore has made from the i-th entry lives.
func (a Archive) back(i int) bool {
	return a.Entries[i].restored() && a.Lives(a.Entries[i].Restored.UID)
}

// Set returns the restore set of some roots, sorted: the largest set of entries with the properties 1 to 4 of
// RULES, A2. Each property of a member holds in every larger set, too. So the entries that miss one go,
// until no entry misses one.
//
//test:by TestSetIsTheLargest
func (a Archive) Set(roots []graph.UID) []graph.UID {
	return a.uids(a.set(roots).in)
}

func (a Archive) set(roots []graph.UID) restoring {
	x := newRestoring(a, roots)
	for again := true; again; {
		again = false
		for i, led := range x.led() {
			if x.in[i] && !x.root[i] && !(led && x.keeps(i)) {
				x.in[i], again = false, true
			}
		}
	}
	return x
}

// uids returns the objects of the chosen entries, sorted.
func (a Archive) uids(chosen []bool) (out []graph.UID) {
	for i, e := range a.Entries {
		if chosen[i] {
			out = append(out, e.Object.UID)
		}
	}
	slices.Sort(out)
	return out
}

// Refused returns the roots that cannot come back now, sorted (RULES, A3). If there is one, nothing is restored. A root that came
// back and ended has its last object here.
// With detach no root needs an owner.
//
//test:by TestRestoreRefused
func (a Archive) Refused(roots []graph.UID, detach bool) (out []graph.UID) {
	x := a.set(roots)
	for _, u := range roots {
		switch i := a.rootOf(u); {
		case i < 0:
			out = append(out, u)
		case x.in[i] && (a.Entries[i].Unreadable || !detach && !x.keeps(i)):
			out = append(out, a.Entries[i].Object.UID)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Restore returns the objects that a restore makes, by key (RULES, A4). Each gets the key that next returns for its
// former key. There are none if a root is refused.
//
//test:by TestRestoreObjects
func (a Archive) Restore(roots []graph.UID, detach bool, next func(graph.Key) graph.Key) (out []graph.Object) {
	if len(a.Refused(roots, detach)) > 0 {
		return nil
	}
	x := a.set(roots)
	keys := make([]graph.Key, len(a.Entries)) // of the present objects
	for i, e := range a.Entries {
		switch {
		case x.in[i]:
			keys[i] = next(e.Object.Key)
		case a.back(i):
			keys[i] = e.Restored
		}
	}
	for i := range a.Entries {
		if x.in[i] {
			out = append(out, graph.Object{Key: keys[i], Owners: x.renewed(i, keys)})
		}
	}
	slices.SortFunc(out, func(a, b graph.Object) int { return a.Key.Compare(b.Key) })
	return out
}

// Purgeable returns the entries that may be purged, sorted (RULES, A6).
//
//test:by TestPurgeable
func (a Archive) Purgeable() []graph.UID {
	stays := make([]bool, len(a.Entries))
	needed := make([]bool, len(a.Entries)) // for a restore from an entry that stays
	hangs := func(e Ended) bool {
		return slices.ContainsFunc(e.references(), func(r graph.Owner) bool {
			i := a.own(r.UID)
			return leads(r) && (i >= 0 && needed[i] || a.Ends != nil && a.Ends(r.UID))
		})
	}
	for again := true; again; {
		again = false
		for i, e := range a.Entries {
			if !needed[i] && (e.Explicit && (!e.Over || e.Held) || !e.Explicit && hangs(e)) {
				needed[i], again = true, true
			}
		}
	}
	for i, e := range a.Entries {
		stays[i] = needed[i] || e.Held
	}
	purged := make([]bool, len(a.Entries))
	for i, e := range a.Entries {
		named := func(d Ended) bool {
			to := func(r graph.Owner) bool { return r.UID == e.Object.UID }
			return stays[a.own(d.Object.UID)] && !d.restored() && slices.ContainsFunc(d.references(), to)
		}
		purged[i] = !stays[i] && !(e.restored() && slices.ContainsFunc(a.Entries, named))
	}
	return a.uids(purged)
}
