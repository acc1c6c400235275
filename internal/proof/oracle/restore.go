package oracle

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// restoring is a set of entries, with the roots of its restore, by entry.
type restoring struct {
	Archive
	root, in []bool
	at       map[graph.UID]int // the last entry of each object that an entry names
}

// newRestoring returns the set of all entries that may be members.
func newRestoring(a Archive, roots []graph.UID) restoring {
	x := restoring{Archive: a, root: make([]bool, len(a.Entries)), in: make([]bool, len(a.Entries)), at: map[graph.UID]int{}}
	for _, u := range roots {
		if i := a.rootOf(u); i >= 0 {
			x.root[i] = true
		}
	}
	for i, e := range a.Entries {
		x.in[i] = !e.restored() && (x.root[i] || !e.Explicit && !e.Unreadable) // property 1
		for _, r := range e.references() {
			if _, known := x.at[r.UID]; !known {
				x.at[r.UID] = a.last(r.UID)
			}
		}
	}
	return x
}

// rootOf returns the last entry of a root, or -1 for a root that cannot come back: it has no entry, or its new object is
// ending, or a user has deleted that one.
func (a Archive) rootOf(u graph.UID) int {
	first, last := a.own(u), a.last(u)
	if first < 0 || !a.back(last) && (a.Entries[last].restored() || first != last && a.Entries[last].Explicit) {
		return -1
	}
	return last
}

// owner returns the last entry of the owner of the i-th entry, or -1. A former object of the entry itself is none.
func (x restoring) owner(i int, r graph.Owner) int {
	if at := x.at[r.UID]; at != i {
		return at
	}
	return -1
}

// there reports whether the owner lives unmarked, is back, or is in the set.
func (x restoring) there(i int, r graph.Owner) bool {
	if at := x.owner(i, r); at >= 0 {
		return x.in[at] || x.back(at)
	}
	return x.Lives(r.UID)
}

// led returns the entries of which property 2 is true: references lead from them to a root, inside of the set.
func (x restoring) led() []bool {
	led := slices.Clone(x.root)
	for again := true; again; {
		again = false
		for i, e := range x.Entries {
			above := func(r graph.Owner) bool {
				at := x.owner(i, r)
				return leads(r) && at >= 0 && led[at]
			}
			if !led[i] && (x.in[i] || x.back(i)) && slices.ContainsFunc(e.references(), above) {
				led[i], again = true, true
			}
		}
	}
	return led
}

// keeps reports properties 3 and 4 of the i-th entry. A reference of an unknown policy counts as Cascade.
func (x restoring) keeps(i int) bool {
	unset, kept := false, false
	for _, r := range x.Entries[i].references() {
		there, at := x.there(i, r), x.owner(i, r)
		dropped := !there && at >= 0 && x.Entries[at].Orphaning
		switch r.OnDelete {
		case graph.OnDeleteUnset:
			unset, kept = unset || !dropped, kept || there
		case graph.OnDeleteRelease:
		case graph.OnDeleteRestrict:
			if !there {
				return false
			}
		default:
			if !there && !dropped {
				return false
			}
		}
	}
	return kept || !unset
}

// renewed returns the references of the object that a restore makes from the i-th entry, where keys has the
// present keys (RULES, A4). A reference gets a place, unless it has
// other coordinates than its owner had. Then it keeps them.
func (x restoring) renewed(i int, keys []graph.Key) (out []graph.Owner) {
	e := x.Entries[i]
	for _, r := range e.Object.Owners {
		if r.UID == e.Object.UID || !x.there(i, r) {
			continue
		}
		if at := x.owner(i, r); at >= 0 && r.UID != keys[at].UID {
			if own := x.own(r.UID); x.Entries[own].Object.Place() == r.Place() {
				r.Key, r.Unresolved = keys[at], false
			} else {
				r.UID = keys[at].UID
			}
		}
		out = append(out, r)
	}
	return out
}
