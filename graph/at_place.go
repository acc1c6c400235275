package graph

import "iter"

// At yields the nodes with a kind, scope and name, of any UID and in any state. The UID of the key
// does not count. The graph has no index by name, so the work is in proportion to the nodes of the
// kind in the scope. The graph must not change meanwhile.
//
//test:by TestAtPlace
func (g *Graph) At(k Key) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		at, ok := g.byPlace[placeKey{g.byKind[k.Kind], k.Scope}]
		if !ok || g.byKind[k.Kind] == 0 {
			return
		}
		for id := g.places[at].first; id != 0; id = g.inPlace(g.at(id).nextKind, at) {
			if string(g.name(id)) == k.Name && !yield(Node{g, id}) {
				return
			}
		}
	}
}

// AtPlace returns the nodes with a kind, scope and name, of any UID. It looks at no more
// than limit nodes, from an id on, and returns the id at which the next call goes on, 0
// after the last node. The graph has no index by name, so the walk is linear in the nodes.
//
//test:by TestAtPlace
func (g inner) AtPlace(k Key, from NodeID, limit int) (ids []NodeID, next NodeID) {
	at, ok := g.byPlace[placeKey{g.byKind[k.Kind], k.Scope}]
	if !ok || g.byKind[k.Kind] == 0 {
		return nil, 0
	}
	for id := max(from, 1); id < g.limit; id++ {
		if limit--; limit < 0 {
			return ids, id
		}
		if g.InUse(id) && g.at(id).place == at && string(g.name(id)) == k.Name {
			ids = append(ids, id)
		}
	}
	return ids, 0
}
