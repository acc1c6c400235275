package follow

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/garbage"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// maxRoots bounds the objects that are gone and that one name may stand for.
const maxRoots = 9

// Roots returns the keys that stand for a root, after the search: one, or more for a name
// that is ambiguous, or none. Objects that exist come before all others. With none the newest
// end in the history counts, then the other ends that the watch has shown. References that
// name an object count last, once a call has not found it.
//
//test:by TestRoots
func (f *Follower) Roots(v View, key graph.Key) []graph.Key {
	x := Found{}
	if s := f.search.places[key]; s != nil {
		x = *s
	}
	if n, ok := v.Graph.Lookup(key); ok {
		x.Named = append(slices.Clip(x.Named), n.ID())
	}
	var alive, gone, named []graph.Key
	for _, id := range slices.Concat(x.Alive, x.Gone, x.Named) {
		if !v.InUse(id) || !v.Graph.Node(id).Inside(inside.Key{}).IsPlaced(key) {
			continue
		}
		n, s := v.Graph.Node(id), v.Peek(id, new(record.State))
		switch {
		case n.State() == graph.Observed:
			alive = append(alive, n.Key())
		case n.State() == graph.Absent, s.Absent > v.Rewound && s.GoneObserved:
			gone = append(gone, n.Key())
		case s.Absent > v.Rewound:
			named = append(named, n.Key())
		}
	}
	if len(alive) > 0 {
		return alive
	}
	if last, _, _, ok := v.Ends.Last(key); ok {
		return []graph.Key{last}
	}
	if gone = v.remembered(key, gone); len(gone) > 0 {
		return gone
	}
	return named
}

// remembered adds the objects that have left the graph and that the engine remembers.
func (v *View) remembered(key graph.Key, gone []graph.Key) []graph.Key {
	if key.UID != "" {
		if len(gone) == 0 && v.Absent.Has(key) {
			gone = append(gone, key)
		}
		return gone
	}
	for k := range v.Absent.All() {
		if k.Kind == key.Kind && k.Scope == key.Scope && k.Name == key.Name && len(gone) < maxRoots && !slices.Contains(gone, k) {
			gone = append(gone, k)
		}
	}
	return gone
}

// originOf returns the roots of the deletion of an object that is marked or gone, as far as
// the engine remembers them.
func (v *View) originOf(k graph.Key) (roots []graph.Key, open bool) {
	if n, ok := v.Graph.Lookup(k); ok {
		roots, open = v.Ends.RootsOf(n, v.Peek(n.ID(), new(record.State)).Root)
		if open && n.State() == graph.Observed && isOwned(n) { // a listing may bring the mark before the owner
			return []graph.Key{k}, false
		}
		return roots, open
	}
	if _, roots, open, ok := v.Ends.Last(k); ok {
		return roots, open
	}
	return nil, true
}

// isOwned reports whether an object that exists has a solid owner. Its owners did not delete it
// then, so it is its own root.
//
//test:by TestGoneBefore
func isOwned(n graph.Node) bool {
	var sum garbage.Sum
	any := false
	for i := range n.Owners() {
		if r := n.Reference(i); !r.Self {
			sum.Add(r.OnDelete, r.Class != graph.Solid)
			any = any || r.Class == graph.Solid
		}
	}
	return any && !sum.Goes()
}
