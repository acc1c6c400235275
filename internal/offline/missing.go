package offline

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Missing returns the places of owners that no object is although their kind is dumped in full,
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

// MissingContainers returns the places of containers that no object is although objects have their
// names as scopes, each once, sorted. Their absence rests on the content alone. There is none if
// a kind of such containers is not dumped in full.
//
//test:by TestMissingContainers
func (c *Content) MissingContainers() (list []graph.Key) {
	named, kinds := map[graph.Key]bool{}, []graph.Kind(nil)
	for _, k := range c.Kinds {
		_, partial := c.Partial[k.Kind]
		switch {
		case k.Container.Members != graph.ScopeMembers:
		case partial || k.Unwatched || k.Scoped:
			return nil
		default:
			kinds = append(kinds, k.Kind)
		}
	}
	there := map[string]bool{"": true}
	for i := range c.Objects {
		if slices.Contains(kinds, c.Objects[i].Kind) {
			there[c.Objects[i].Name] = true
		}
	}
	for i := range c.Objects {
		scope := c.Objects[i].Scope
		for _, k := range kinds {
			if at := (graph.Key{Kind: k, Name: scope}); !there[scope] && !named[at] {
				named[at] = true
				list = append(list, at)
			}
		}
	}
	slices.SortFunc(list, graph.Key.Compare)
	return list
}
