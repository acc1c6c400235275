package graph

import (
	"maps"
	"slices"
	"strings"
)

// kind is the state of one kind.
type kind struct {
	info    KindInfo
	known   bool // in the set of kinds of the store
	ignored bool // by setting
	listing bool // between ListBegun and ListEnded
	void    bool // the listing began before a rewind, and its end proves nothing
	listed  bool // a listing has ended, and its pruning is over
	sick    bool
	epoch   uint16 // counts listings
	broken  uint16 // counts listings in a row whose pruning did not end
	objects int    // observed nodes
	first   NodeID
	pruneAt NodeID // the cursor of the pruning, 0 at its end and without one
	pruning bool   // a pruning is under way
	defined int    // the place among the kinds of its definition
}

// KindState is the state of one kind. It is a value.
type KindState struct {
	KindInfo
	// Known: the store serves the kind. Ignored: it takes no part.
	Known, Ignored bool
	// Listing: a listing or its pruning is under way. Listed: a listing is complete.
	Listing, Listed bool
	// Sick: the store cannot watch the kind for now.
	Sick bool
	// Objects is the number of observed nodes of the kind.
	Objects int
}

// TakesPart reports whether the store serves the kind, a watch can show its objects, and no setting
// leaves it out. A fence covers exactly these kinds.
func (k KindState) TakesPart() bool { return k.Known && !k.Ignored && !k.Unwatched }

func (k *kind) report() KindState {
	return KindState{k.info, k.known, k.ignored, k.listing || k.pruning, k.listed, k.sick, k.objects}
}

// Kind returns the state of a kind, and whether the graph knows the kind.
func (g *Graph) Kind(k Kind) (KindState, bool) {
	id, ok := g.byKind[k]
	return g.kinds[id].report(), ok
}

// Kinds returns the state of every kind that the store serves or that an owner reference
// names, sorted by name.
func (g *Graph) Kinds() []KindState {
	out := make([]KindState, 0, len(g.byKind))
	for _, k := range slices.Sorted(maps.Keys(g.byKind)) {
		out = append(out, g.kinds[g.byKind[k]].report())
	}
	return out
}

// IsFenced reports whether a fence has passed, if the watch has reported its token for these kinds.
// The fence has to pass each kind that the store serves and that a watch can show, also a sick one.
// It has to pass the set of kinds, too, whose report has the kind "" (RULES, R7).
//
//test:by TestIsFenced
func (g *Graph) IsFenced(reported map[Kind]bool) bool {
	for i := range g.kinds {
		if k := g.kinds[i].report(); k.TakesPart() && !reported[k.Kind] {
			return false
		}
	}
	return reported[""]
}

// IsListed reports whether the graph has all objects, as far as its watch can tell: the set of kinds is
// known, and each kind that a watch can show is listed and well. A store without fences has no better
// evidence that no dependent is missing.
//
//test:by TestIsListed
func (g *Graph) IsListed() bool {
	known := false
	for i := range g.kinds {
		k := g.kinds[i].report()
		known = known || k.Known
		if k.TakesPart() && (!k.Listed || k.Listing || k.Sick) {
			return false
		}
	}
	return known
}

// kindOf returns the kind's id. It makes an id for a kind that only a reference names.
// dropKind takes such a kind back, so that invented names do not pile up.
func (g *Graph) kindOf(k Kind) kindID {
	if k == "" {
		return 0
	}
	if id := g.kindNamed(k); id != 0 {
		return id
	}
	k = Kind(strings.Clone(string(k)))
	var id kindID
	if n := len(g.freeKinds); n > 0 {
		id, g.freeKinds = g.freeKinds[n-1], g.freeKinds[:n-1]
	} else {
		id = kindID(len(g.kinds))
		g.kinds = append(g.kinds, kind{})
	}
	g.kinds[id] = kind{info: KindInfo{Kind: k}, ignored: g.ignores(k)}
	g.byKind[k] = id
	return id
}

// kindNamed returns the kind's id, or 0. An event names the kinds of an object and of its
// owners. A small cache by name therefore answers most lookups without the map. The cache
// compares the name.
func (g *Graph) kindNamed(k Kind) kindID {
	if k == "" {
		return 0
	}
	last := &g.lastKinds[nameByte(string(k))%uint8(len(g.lastKinds))]
	if g.kinds[*last].info.Kind != k {
		*last = g.byKind[k]
	}
	return *last
}

// nameByte is a weak hash. It tells most names apart that are in use together.
func nameByte(s string) uint8 {
	n := len(s)
	if n == 0 {
		return 0
	}
	return uint8(n) + s[n-1] + 10*s[n/2]
}

func (g *Graph) dropKind(id kindID) {
	k := &g.kinds[id]
	if id == 0 || k.known || k.first != 0 {
		return
	}
	g.undefine(id)
	delete(g.byKind, k.info.Kind)
	*k = kind{}
	g.freeKinds = append(g.freeKinds, id)
}

func (g *Graph) applyKinds(infos []KindInfo) {
	for i := range g.kinds {
		g.kinds[i].known = false
	}
	for _, k := range infos {
		x := &g.kinds[g.kindOf(k.Kind)]
		k.Kind = x.info.Kind
		x.known = true
		g.describe(g.byKind[k.Kind], k)
	}
	clear(g.contents.definitions) // define makes them anew
	for i := range g.kinds {
		if k := &g.kinds[i]; !k.known && k.info.Kind != "" {
			g.vanish(kindID(i))
		}
	}
	g.define()
}

// vanish forgets the state of a kind and keeps its nodes. References to these are unknown
// until a listing of the kind.
func (g *Graph) vanish(id kindID) {
	k := &g.kinds[id]
	*k = kind{info: k.info, ignored: k.ignored, epoch: k.epoch, broken: k.broken, first: k.first, objects: k.objects, defined: k.defined}
	g.dropKind(id)
}

// beginList begins a listing. A node brought by the listing has the listing's number.
// Numbers repeat after 65,536 listings. After half as many listings without an end, each
// node that the last one did not bring gets the number that repeats last.
func (g *Graph) beginList(k *kind) {
	if k.broken++; k.broken == maxBroken {
		k.broken = 0
		for id := range g.chain(k.first) {
			if g.at(id).epoch != k.epoch {
				g.at(id).epoch = k.epoch - 1
			}
		}
	}
	k.epoch++
	k.listing, k.void, k.pruning, k.pruneAt = true, false, false, 0
}

// maxBroken bounds the listings in a row without an end.
const maxBroken = 1 << 15

// endList begins the pruning.
func (k *kind) endList() {
	k.listing, k.pruning = false, !k.void
	if k.pruning {
		k.pruneAt = k.first
	}
}

// Prune continues the pruning that the end of a listing of the kind began, over at most
// limit nodes. It returns the number of visited nodes, and the node at which it stopped.
// That is a node with PendingPrune, whose Gone the caller applies. Or it is a phantom, of
// which the listing has now spoken.
//
// At the end of the pruning, and without a pruning, node is 0 and done is true. Prune
// does not visit the nodes that came after the end of the listing.
//
//test:by TestPruneVisits TestPruneSlices TestPruneDuring
func (g inner) Prune(name Kind, limit int) (node NodeID, seen int, done bool) {
	k := &g.kinds[g.kindNamed(name)]
	for k.pruneAt != 0 && seen < limit {
		id := k.pruneAt
		x := g.at(id)
		k.pruneAt = x.nextKind
		seen++
		if x.epoch != k.epoch && (x.state() == Phantom || x.state() == Observed) {
			if x.state() == Phantom {
				x.epoch = k.epoch - 1 // so that its number repeats last
			}
			return id, seen, false
		}
	}
	if k.pruning && k.pruneAt == 0 {
		k.pruning, k.listed, k.broken = false, true, 0
		return 0, seen, true
	}
	return 0, seen, !k.pruning
}

// countObserved counts a node that becomes observed, or that is no longer observed.
func (g *Graph) countObserved(id NodeID, n int) {
	g.observed += n
	at := &g.places[g.at(id).place]
	k := &g.kinds[at.kind]
	k.objects += n
	at.alive += n
	g.noteContainer(id, k.info.Container.Members, n > 0)
}

// enlist puts a node into its kind's list, before the other nodes of its place. The nodes of one
// place therefore stand together. A pruning under way may still come to the node. The number of
// the listing says that the listing has not spoken of it.
func (g *Graph) enlist(id NodeID) {
	x := g.at(id)
	at := &g.places[x.place]
	k := &g.kinds[at.kind]
	if x.nextKind = at.first; x.nextKind == 0 {
		x.nextKind = k.first
	}
	if x.nextKind != 0 {
		next := g.at(x.nextKind)
		x.prevKind, next.prevKind = next.prevKind, id
	}
	if x.prevKind == 0 {
		k.first = id
	} else {
		g.at(x.prevKind).nextKind = id
	}
	if at.first = id; k.pruning {
		x.epoch = k.epoch
	}
}

func (g *Graph) delist(id NodeID) {
	x := g.at(id)
	at := &g.places[x.place]
	kind := at.kind
	k := &g.kinds[kind]
	g.passMember(id)
	if k.pruneAt == id {
		k.pruneAt = x.nextKind
	}
	if at.first == id {
		at.first = g.inPlace(x.nextKind, x.place)
	}
	if x.prevKind == 0 {
		k.first = x.nextKind
	} else {
		g.at(x.prevKind).nextKind = x.nextKind
	}
	if x.nextKind != 0 {
		g.at(x.nextKind).prevKind = x.prevKind
	}
	g.dropKind(kind)
}

// PendingPrune reports whether the node is observed, and neither the newest listing of
// its kind nor a later event brought it.
func (g inner) PendingPrune(id NodeID) bool {
	x := g.at(id)
	return x.state() == Observed && x.epoch != g.kinds[g.places[x.place].kind].epoch
}
