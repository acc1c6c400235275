package graph

import "strings"

// placeID stands for a kind and a scope, which most objects share with many
// others: four bytes instead of two strings. 0 is neither of them.
type placeID uint32

type place struct {
	kind  kindID
	scope string
	used  int // nodes that are there
}

type placeKey struct {
	kind  kindID
	scope string
}

// placeOf returns the place for one more node of the kind, and makes one where
// there is none.
func (g *Graph) placeOf(k Kind, scope string) placeID {
	if at := &g.places[g.lastPlace]; at.used > 0 && at.scope == scope && g.kinds[at.kind].info.Kind == k {
		at.used++
		return g.lastPlace
	}
	key := placeKey{g.kindOf(k), scope}
	id, ok := g.byPlace[key]
	if !ok {
		key.scope = strings.Clone(scope)
		if n := len(g.freePlaces); n > 0 {
			id, g.freePlaces = g.freePlaces[n-1], g.freePlaces[:n-1]
		} else {
			id = placeID(len(g.places))
			g.places = append(g.places, place{})
		}
		g.places[id] = place{kind: key.kind, scope: key.scope}
		g.byPlace[key] = id
	}
	g.places[id].used++
	g.lastPlace = id
	return id
}

// leavePlace takes back that a node is there. The last one takes the place along.
func (g *Graph) leavePlace(id placeID) {
	at := &g.places[id]
	if at.used--; at.used > 0 || id == 0 {
		return
	}
	delete(g.byPlace, placeKey{at.kind, at.scope})
	*at = place{}
	g.freePlaces = append(g.freePlaces, id)
}
