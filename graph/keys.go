package graph

// KeysFrom appends the keys of the observed nodes, from an id on. It looks at most at limit
// nodes, and stops once it has copied size bytes of text. It returns the id at which to go on,
// and 0 at the end.
//
//test:by TestKeysFrom
func (g inner) KeysFrom(out []Key, from NodeID, limit, size int) (all []Key, next NodeID) {
	for id := max(from, 1); id < g.limit; id++ {
		if limit--; limit < 0 || size <= 0 {
			return out, id
		}
		if g.InUse(id) && g.Node(id).State() == Observed {
			k := g.key(id)
			out = append(out, k)
			size -= len(k.Scope) + len(k.Name) + len(k.UID)
		}
	}
	return out, 0
}
