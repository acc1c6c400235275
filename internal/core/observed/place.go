package observed

import (
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// placeID stands for a kind and a scope, which most objects share with many
// others: four bytes instead of two strings. 0 is neither of them.
type placeID uint32

type place struct {
	kind  kindID
	sound bool       // neither name is a flaw
	name  graph.Kind // of the kind
	scope string
	used  int // nodes that are there
}

type placeKey struct {
	kind  kindID
	scope string
}

// is reports whether the key is at the place. Most names of scopes and kinds have 8 to
// 16 bytes: two words, which overlap, are all of these, and take no call to compare.
func (p *place) is(k *graph.Key) bool {
	scope, kind := p.scope, string(p.name)
	n, m := len(scope), len(kind)
	switch {
	case n != len(k.Scope) || m != len(k.Kind):
		return false
	case n < 8 || n > 16:
		if scope != k.Scope {
			return false
		}
	case swar.Word(scope) != swar.Word(k.Scope) || swar.Word(scope[n-8:]) != swar.Word(k.Scope[n-8:]):
		return false
	}
	if m < 8 || m > 16 {
		return kind == string(k.Kind)
	}
	return swar.Word(kind) == swar.Word(string(k.Kind)) && swar.Word(kind[m-8:]) == swar.Word(string(k.Kind[m-8:]))
}

// placeOf returns the place for one more node of the kind, and makes one where
// there is none.
func (g *Graph) placeOf(k *graph.Key) placeID {
	last := &g.lastPlaces[(nameByte(k.Scope)^nameByte(string(k.Kind)))%uint8(len(g.lastPlaces))]
	if at := &g.places[*last]; at.used > 0 && at.is(k) {
		at.used++
		return *last
	}
	key := placeKey{g.kindOf(k.Kind), k.Scope}
	id, ok := g.byPlace[key]
	if !ok {
		key.scope = strings.Clone(k.Scope)
		if n := len(g.freePlaces); n > 0 {
			id, g.freePlaces = g.freePlaces[n-1], g.freePlaces[:n-1]
		} else {
			id = placeID(len(g.places))
			g.places = append(g.places, place{})
		}
		g.places[id] = place{kind: key.kind, name: g.kinds[key.kind].info.Kind, scope: key.scope, sound: k.Kind != "" && g.isPlainText(string(k.Kind)) && g.isPlainText(k.Scope)}
		g.byPlace[key] = id
		g.maxNames = max(g.maxNames, len(g.byKind)+len(g.byPlace))
	}
	g.places[id].used++
	*last = id
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

// minNames is how many kinds and places are kept room for in any case.
const minNames = 256

// shrinkNames gives back the room of kinds and places that are gone: of the maps when
// three of four are, since Go's maps keep their room, and of the tables as far as
// nothing at their end is in use. Whoever may write references can invent names.
func (g *Graph) shrinkNames() {
	n := len(g.byKind) + len(g.byPlace)
	bare := g.maxNames > minNames && 4*n < g.maxNames
	if bare {
		g.maxNames = n
		g.byKind, g.byPlace = copyMap(g.byKind), copyMap(g.byPlace)
	}
	if bare || n < minNames/4 && len(g.kinds)+len(g.places) > minNames {
		g.kinds, g.freeKinds = truncate(g.kinds, g.freeKinds, func(k *kind) bool { return k.info.Kind == "" })
		g.places, g.freePlaces = truncate(g.places, g.freePlaces, func(p *place) bool { return p.used == 0 })
		g.lastKinds, g.lastPlaces = [len(g.lastKinds)]kindID{}, [len(g.lastPlaces)]placeID{}
	}
}

func copyMap[K comparable, V any](m map[K]V) map[K]V {
	out := make(map[K]V, len(m))
	maps.Copy(out, m)
	return out
}

// truncate takes what is not in use off the end of a long table, and out of the list
// of what is free.
func truncate[T any, ID ~uint32](table []T, free []ID, unused func(*T) bool) ([]T, []ID) {
	n := len(table)
	for n > 1 && unused(&table[n-1]) {
		n--
	}
	if n == len(table) || len(table) <= minNames {
		return table, free
	}
	free = slices.DeleteFunc(free, func(id ID) bool { return int(id) >= n })
	return slices.Clone(table[:n]), slices.Clone(free)
}
