package observed

import (
	"maps"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// kind is what is known of one kind.
type kind struct {
	info    graph.KindInfo
	known   bool // in the set of kinds that the store serves
	ignored bool // by setting
	listing bool // between ListBegun and ListEnded
	void    bool // the listing began before a rewind: its end proves nothing
	listed  bool // a listing has ended, and its pruning is over
	sick    bool
	epoch   uint16 // counts listings
	broken  uint16 // and those in a row whose pruning did not end
	first   NodeID
	pruneAt NodeID // where the pruning stands, 0 at its end and without one
	pruning bool   // a pruning is under way
}

// KindState is what is known of one kind. It is a value.
type KindState struct {
	graph.KindInfo
	// Known: the store serves it. Ignored: it takes no part.
	Known, Ignored bool
	// Listing: a listing is under way, or its pruning. Listed: one is complete.
	Listing, Listed bool
	// Sick: it cannot be watched for now.
	Sick bool
}

func (k *kind) report() KindState {
	return KindState{k.info, k.known, k.ignored, k.listing || k.pruning, k.listed, k.sick}
}

// Kind returns what is known of a kind, and whether anything is.
func (g *Graph) Kind(k graph.Kind) (KindState, bool) {
	id, ok := g.byKind[k]
	return g.kinds[id].report(), ok
}

// Kinds returns what is known of every kind that the store serves or an owner
// reference names, sorted by name.
func (g *Graph) Kinds() []KindState {
	out := make([]KindState, 0, len(g.byKind))
	for _, k := range slices.Sorted(maps.Keys(g.byKind)) {
		out = append(out, g.kinds[g.byKind[k]].report())
	}
	return out
}

// kindOf returns the kind's id and makes one for a kind that only a reference
// names. dropKind takes those back, so that invented names do not pile up.
func (g *Graph) kindOf(k graph.Kind) kindID {
	if k == "" {
		return 0
	}
	if id := g.kindNamed(k); id != 0 {
		return id
	}
	k = graph.Kind(strings.Clone(string(k)))
	var id kindID
	if n := len(g.freeKinds); n > 0 {
		id, g.freeKinds = g.freeKinds[n-1], g.freeKinds[:n-1]
	} else {
		id = kindID(len(g.kinds))
		g.kinds = append(g.kinds, kind{})
	}
	g.kinds[id] = kind{info: graph.KindInfo{Kind: k}, ignored: g.ignores(k)}
	g.byKind[k] = id
	return id
}

// kindNamed returns the kind's id, or 0. An event names the kinds of an object and
// of its owners, so the last ones are at hand, without a map: each where its name
// says, and held against it.
func (g *Graph) kindNamed(k graph.Kind) kindID {
	if k == "" {
		return 0
	}
	last := &g.lastKinds[nameByte(string(k))%uint8(len(g.lastKinds))]
	if g.kinds[*last].info.Kind != k {
		*last = g.byKind[k]
	}
	return *last
}

// nameByte tells names apart that are used together, in most cases.
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
	delete(g.byKind, k.info.Kind)
	*k = kind{}
	g.freeKinds = append(g.freeKinds, id)
}

func (g *Graph) applyKinds(infos []graph.KindInfo) {
	for i := range g.kinds {
		g.kinds[i].known = false
	}
	for _, k := range infos {
		x := &g.kinds[g.kindOf(k.Kind)]
		k.Kind = x.info.Kind
		x.info, x.known = k, true
	}
	for i := range g.kinds {
		if k := &g.kinds[i]; !k.known && k.info.Kind != "" {
			g.vanish(kindID(i))
		}
	}
}

// vanish forgets what was known of a kind but its nodes: they stay as they are,
// unknown to whoever refers to them, until a listing of the kind.
func (g *Graph) vanish(id kindID) {
	k := &g.kinds[id]
	*k = kind{info: k.info, ignored: k.ignored, epoch: k.epoch, broken: k.broken, first: k.first}
	g.dropKind(id)
}

// beginList tells what it brings by the number of the listing. Numbers come
// again after 65,536; so where half as many were broken off one after another,
// what the last did not bring is given the number that comes again last.
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

// maxBroken is how many listings may be broken off, one after another, before
// their numbers are seen to.
const maxBroken = 1 << 15

// endList begins the pruning.
func (k *kind) endList() {
	k.listing, k.pruning = false, !k.void
	if k.pruning {
		k.pruneAt = k.first
	}
}

// Prune goes on with the pruning that the end of a listing of the kind began,
// over at most limit nodes. It returns how many it looked at, and the node at
// which it stopped: one that is PendingPrune, observed but not brought by the listing, which
// the caller removes by applying its Gone, or a phantom, of which the listing
// has now spoken. At the end of the pruning node is 0 and done is true, as it is
// where none is under way. Nodes that came after the end of the listing are not
// looked at. Held by TestPruneVisits, TestPruneSlices and TestPruneDuring.
func (g *Graph) Prune(name graph.Kind, limit int) (node NodeID, seen int, done bool) {
	k := &g.kinds[g.kindNamed(name)]
	for k.pruneAt != 0 && seen < limit {
		id := k.pruneAt
		x := g.at(id)
		k.pruneAt = x.nextKind
		seen++
		if x.state() == Phantom || x.state() == Observed && x.epoch != k.epoch {
			return id, seen, false
		}
	}
	if k.pruning && k.pruneAt == 0 {
		k.pruning, k.listed, k.broken = false, true, 0
		return 0, seen, true
	}
	return 0, seen, !k.pruning
}

func (g *Graph) enlist(id NodeID) {
	x := g.at(id)
	k := &g.kinds[g.places[x.place].kind]
	if x.nextKind = k.first; x.nextKind != 0 {
		g.at(x.nextKind).prevKind = id
	}
	k.first = id
}

func (g *Graph) delist(id NodeID) {
	x := g.at(id)
	kind := g.places[x.place].kind
	k := &g.kinds[kind]
	if k.pruneAt == id {
		k.pruneAt = x.nextKind
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

// PendingPrune reports whether the node is observed, but not by the newest listing of
// its kind, nor since.
func (g *Graph) PendingPrune(id NodeID) bool {
	x := g.at(id)
	return x.state() == Observed && x.epoch != g.kinds[g.places[x.place].kind].epoch
}
