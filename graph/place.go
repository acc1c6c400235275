package graph

import (
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// placeID stands for a kind and a scope. Most objects share them with many others, so
// four bytes take the place of two strings. 0 has neither kind nor scope.
type placeID uint32

type place struct {
	kind  kindID
	sound bool // kind and scope are no flaw
	name  Kind // the name of the kind
	scope string
	used  int    // the number of its nodes
	alive int    // the observed ones among them
	first NodeID // of these in the list of the kind, where they stand together
	// next and prev are the places of the same scope: see contents.
	next, prev placeID
}

type placeKey struct {
	kind  kindID
	scope string
}

// is reports whether the key has the kind and the scope of the place. Most scopes and
// kinds have 8 to 16 bytes. Two words that overlap cover such a name, without a call to
// compare strings.
func (p *place) is(k *Key) bool {
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

// placeOf returns the place for one more node of the kind, and makes the place if it does
// not exist.
func (g *Graph) placeOf(k *Key) placeID {
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
		g.joinScope(id)
		g.maxNames = max(g.maxNames, len(g.byKind)+len(g.byPlace)+len(g.contents.scopes))
	}
	g.places[id].used++
	*last = id
	return id
}

// leavePlace removes one node from the place. A place without nodes goes.
func (g *Graph) leavePlace(id placeID) {
	at := &g.places[id]
	if at.used--; at.used > 0 || id == 0 {
		return
	}
	delete(g.byPlace, placeKey{at.kind, at.scope})
	g.leaveScope(at)
	*at = place{}
	g.freePlaces = append(g.freePlaces, id)
}

// minNames is the number of kinds and places whose memory always stays.
const minNames = 256

// shrinkNames gives back the memory of kinds and places that are gone. Go's maps keep
// their size, so it copies the maps when three of four names are gone. It cuts the unused
// end off the tables. A user who may write references can invent names without bound.
func (g *Graph) shrinkNames() {
	n := len(g.byKind) + len(g.byPlace) + len(g.contents.scopes)
	bare := g.maxNames > minNames && 4*n < g.maxNames
	if bare {
		g.maxNames = n
		g.byKind, g.byPlace, g.contents.scopes = copyMap(g.byKind), copyMap(g.byPlace), copyMap(g.contents.scopes)
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

// truncate cuts the unused end off a long table, and out of the list of free ids.
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
