package offline

import "github.com/ownergraph/ownergraph/graph"

// Missing returns the places of owners that no object is although their kind is held in full,
// each once, in the order of the references. Their absence rests on the content alone.
func (c *Content) Missing() (list []graph.Key) {
	there := make(map[graph.UID]bool, len(c.Objects))
	full := make(map[graph.Kind]bool, len(c.Kinds))
	for i := range c.Objects {
		there[c.Objects[i].UID] = true
	}
	for _, k := range c.Kinds {
		_, partial := c.Partial[k.Kind]
		full[k.Kind] = !partial && !k.Unwatched
	}
	seen := map[graph.Key]bool{}
	for i := range c.Objects {
		for _, owner := range c.Objects[i].Owners {
			if at := owner.Place(); !there[owner.UID] && !owner.Unresolved && full[owner.Kind] && !seen[at] {
				seen[at] = true
				list = append(list, at)
			}
		}
	}
	return list
}
