package graph

// AtPlace returns the nodes with a kind, scope and name, of any UID. It looks at no more
// than limit nodes, from an id on, and returns the id at which the next call goes on, 0
// after the last node. The graph has no index by name, so the walk is linear in the nodes.
//
// Held by TestAtPlace.
func (g *Graph) AtPlace(k Key, from NodeID, limit int) (ids []NodeID, next NodeID) {
	at, ok := g.byPlace[placeKey{g.byKind[k.Kind], k.Scope}]
	if !ok || k.Kind == "" {
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
