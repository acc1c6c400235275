package history

import (
	"bytes"
	"github.com/ownergraph/ownergraph/internal/inside"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Names reports whether one of the roots that a number stands for is a wanted one. Whole is
// false if the set has left out roots, or was forgotten. Own: the object is its own root,
// and the set has no other. Wanted takes the text of a key, which is valid during the call.
//
//test:by TestNames
func (m *Machine) Names(root uint64, wanted func(key []byte) bool) (found, whole, own bool) {
	if root == Self || root == Unknown {
		return false, true, root == Self
	}
	text := m.setOf(root)
	if text == nil {
		return false, false, false
	}
	r := reader{text}
	r.byte()
	whole = r.number() == 0
	for len(r.b) > 0 && !found {
		found = wanted(r.skipKey())
	}
	return found, whole, false
}

// Owners returns the owners of an object at its last end. It returns false if the history
// has no such end among the last 16 at the place, or has left out an owner.
//
//test:by TestNames
func (m *Machine) Owners(k graph.Key) ([]graph.Owner, bool) {
	key := graph.Inside(inside.Key{}).AppendKey(nil, &k)
	hash := m.ended.hash(key[:placeSize(key)])
	for n, steps := m.ended.find(hash, 0), 0; n != 0 && steps < maxSteps; n, steps = m.ended.find(hash, n), steps+1 {
		b := m.ended.at(n)
		if !beginsWith(b[endKey:], key) {
			continue
		}
		r := reader{bytes.Clone(b[endKey:])}
		r.skipKey()
		r.bytes() // the roots
		r.bytes() // the version
		owners, cut := r.owners()
		return slices.Clip(owners), cut == 0
	}
	return nil, false
}

// RootsOf returns the roots that a number of an object stands for. Open: one is not known, or
// is left out.
func (m *Machine) RootsOf(n graph.Node, root uint64) (keys []graph.Key, open bool) {
	r := m.RootAt(n, root)
	return r.Keys, r.Nearest || r.More > 0
}

// Last returns the object of Find, and its roots, as RootsOf does.
func (m *Machine) Last(k graph.Key) (last graph.Key, roots []graph.Key, open, ok bool) {
	e, ok := m.Find(k)
	return e.Object.Key, e.Root.Keys, e.Root.Nearest || e.Root.More > 0, ok
}
