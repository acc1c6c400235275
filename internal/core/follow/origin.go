package follow

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Ends has the ends of objects that the engine remembers: see package history.
type Ends interface {
	// Names reports whether one of the roots of a deletion is a wanted one. Whole: no root
	// is left out. Own: the object is its own root.
	Names(root uint64, wanted func(key []byte) bool) (found, whole, own bool)
	// Owners returns the owners of an object at its end, if the engine knows all of them.
	Owners(k graph.Key) ([]graph.Owner, bool)
	// RootsOf returns the roots of a node that is marked or gone. Open: one is not known.
	RootsOf(n graph.Node, root uint64) (keys []graph.Key, open bool)
	// Last returns the object with the newest end of those with a key, which may leave out
	// the UID, and the roots of the object.
	Last(k graph.Key) (last graph.Key, roots []graph.Key, open, ok bool)
}

// link says whether an object that is gone went with the roots of a follower.
type link uint8

const (
	apart    link = iota
	doubtful      // the roots of its deletion do not tell
	below
)

// origins has the roots of a follower, and the roots of their deletions.
type origins struct {
	keys   map[string]bool // by text: true for a root of the follower
	open   bool            // a root of their deletions is not known
	links  map[uint64]link // by the number of a root
	scopes map[string]bool // of the roots of the follower
}

func newOrigins() origins {
	return origins{keys: map[string]bool{}, links: map[uint64]link{}, scopes: map[string]bool{}}
}

// add adds a root of the follower that is marked or gone. An owner of it went without it.
func (o *origins) add(v *View, root graph.Key) {
	clear(o.links)
	keys, open := v.originOf(root)
	o.keys[text(root)], o.open = true, o.open || open
	for _, k := range keys {
		o.keys[text(k)] = o.keys[text(k)]
	}
	o.scopes[root.Scope] = true
	if !open {
		return
	}
	owners, _ := v.ownersOf(root)
	for _, r := range owners {
		o.keys[text(r.Key)] = o.keys[text(r.Key)]
	}
}

func text(k graph.Key) string { return string(graph.Inside(inside.Key{}).AppendKey(nil, &k)) }

// linkOf returns the link of the deletions with a root.
func (o *origins) linkOf(v *View, root uint64) link {
	if x, ok := o.links[root]; ok {
		return x
	}
	x := apart
	found, whole, own := v.Ends.Names(root, func(k []byte) bool { return o.keys[string(k)] })
	shared, _, _ := v.Ends.Names(root, func(k []byte) bool { _, ok := o.keys[string(k)]; return ok })
	switch {
	case found:
		x = below
	case shared, !whole, o.open && !own:
		x = doubtful
	}
	o.links[root] = x
	return x
}

const (
	// maxWays bounds the objects on the way from an object that is gone to a root.
	maxWays = 64
	// wayCost is the cost of one of them in a step.
	wayCost = 8
)

// wentBefore reports whether a node stands for an object that is gone and went with a root,
// and the cost of the answer. An object whose way to the root is forgotten is taken for one.
// So is one whose root is not known, if that of the follower's deletion is not known either.
//
//test:by TestGoneBefore
func (f *Follower) wentBefore(v *View, id graph.NodeID) (yes bool, cost int) {
	n := v.Graph.Node(id)
	if len(f.origins.keys) == 0 || n.State() == graph.Observed || n.Inside(inside.Key{}).ByUID() || f.set.has(id) || !f.origins.reach(n.Scope()) {
		return false, 1
	}
	var memory record.State
	s := v.Peek(id, &memory)
	switch f.origins.linkOf(v, s.Root) {
	case below:
		return true, 1
	case apart:
		return false, 1
	}
	if n.State() == graph.Phantom && s.Absent == 0 && !n.Inside(inside.Key{}).KindState().Known { // no read can prove it gone
		return false, 1
	}
	return f.leads(v, n.Key())
}

// leads climbs from an object that is gone to a root, by the owners at each end.
func (f *Follower) leads(v *View, from graph.Key) (yes bool, cost int) {
	todo, seen := []graph.Key{from}, map[graph.Key]bool{from: true}
	for at := 0; at < len(todo); at++ {
		k := todo[at]
		cost += wayCost
		if f.isRoot(k) || f.past.has(k) {
			return true, cost
		}
		if _, ok := f.origins.keys[text(k)]; ok { // its deletion began with itself
			continue
		}
		owners, ok := v.ownersOf(k)
		if len(todo) > maxWays || !ok && f.origins.reach(k.Scope) {
			return true, cost
		}
		for _, o := range owners {
			if !seen[o.Key] && mayOwn(o.Scope, k.Scope) {
				seen[o.Key] = true
				todo = append(todo, o.Key)
			}
		}
	}
	return false, cost
}

// ownersOf returns the owners of an object that exists, or those at its end.
func (v *View) ownersOf(k graph.Key) (owners []graph.Owner, ok bool) {
	n, ok := v.Graph.Lookup(k)
	if !ok || n.State() != graph.Observed {
		return v.Ends.Owners(k)
	}
	for i := range min(n.Owners(), maxWays) {
		owners = append(owners, n.OwnerAt(i))
	}
	return owners, n.Owners() <= maxWays
}

// joinGone makes the place of an object that went before the call a member, if it went with
// a root.
func (f *Follower) joinGone(v *View, id graph.NodeID) (cost int) {
	yes, cost := f.wentBefore(v, id)
	if yes {
		key := v.Graph.Node(id).Key()
		if !f.past.has(key) {
			f.past.add(key, false)
		}
		f.anchor(v, key)
		f.changed = true
	}
	return cost
}

// stepScan looks at about budget nodes for objects that are gone, and returns the rest.
func (f *Follower) stepScan(v *View, budget int) (rest int) {
	for f.scan != 0 && budget > 0 {
		id := f.scan
		f.scan++
		switch {
		case int(id) >= v.Graph.Inside(inside.Key{}).Cap():
			f.scan = 0
		case !v.InUse(id):
			budget--
		case v.Graph.Node(id).State() == graph.Observed:
			budget -= f.joinHolders(v, id)
		default:
			budget -= f.joinGone(v, id)
		}
	}
	return budget
}

// joinHolders looks at the holders of an object that went before the call. Their sweeps go
// on without them.
func (f *Follower) joinHolders(v *View, id graph.NodeID) (cost int) {
	if cost = 1; !v.Sweeps.Any() || !v.Sweeps.Detached() {
		return cost
	}
	for _, k := range v.Sweeps.GoneHoldersOf(id) {
		if f.past.has(k) {
			continue
		}
		yes, more := f.leads(v, k)
		if cost += more; yes {
			f.past.add(k, false)
			f.wantScan()
		}
	}
	return cost
}

// wantScan asks for a scan for the members of sweeps.
func (f *Follower) wantScan() {
	for _, m := range f.sets() {
		m.holder, m.again = true, true
	}
}
