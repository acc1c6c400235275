package graph

import (
	"iter"
	"maps"
	"slices"
)

// Config has the settings of a graph. The zero value works.
type Config struct {
	// Scope is the reading of references across scopes.
	Scope ScopeRule
	// OwnerName is the reading of references with another name than their owner's.
	OwnerName NameRule
	// Limits bounds the size of an object. A larger object is flawed.
	Limits Limits
	// Ignore names the kinds that take no part. The graph keeps no object of these. A
	// reference to such a kind is unknown, and counts by its UID alone.
	Ignore []Kind
	// Policies lets the policies of references act: see [OnDelete]. Without it an object with a policy
	// is flawed, so that no decision deletes or trims it. Its references with OnDeleteRestrict restrict
	// their owners all the same.
	//
	//test:by TestPoliciesOff
	Policies bool
	// WithholdsMark, if set, reports whether the mark of a marked object counts for no dependent,
	// beyond the finalizers of [Object.MarkWithheld]. It is pure.
	WithholdsMark func(Object) bool
}

// Graph has the observed state of a store: objects, their owner references, and the
// dependents of each object. Only Apply and ApplyEvent change it.
//
// A Graph is not safe for concurrent use. Its invariants, which Check verifies:
//
//	I1  a node is found under its key, and under no other
//	I2  the observed nodes with one UID, mostly one, are one list without other nodes
//	I3  every reference with a UID is one edge, once in its owner's list
//	I4  counts of references and of blocking ones equal the lists, without self-references
//	I5  a phantom or absent node has a dependent
//	I6  a node stands in its kind's list once; a kind is served or has a node
//	I7  nodes, edges and kinds are in use or free, never both, and none is lost
//	I8  the cursor of a fan-out or pruning stands on a member of its own list
//	I9  text and owner records of a page belong to its nodes, or count as unused
//	I10 places, kinds and containers are found by scope, definition and name
//	I11 the index of restricting references equals the references and the marks of their objects
type Graph struct {
	cfg       Config
	pages     []page   // of nodes; node 0 is never used
	openPages []uint32 // the pages with a free node
	limit     NodeID   // one more than the largest id ever in use
	live      int      // nodes in use
	edges     table[edge]
	index     index // of nodes by UID

	kinds      []kind // 0 stands for no kind
	freeKinds  []kindID
	byKind     map[Kind]kindID
	lastKinds  [16]kindID // the last lookups: see kindNamed
	places     []place    // 0 has neither kind nor scope
	freePlaces []placeID
	byPlace    map[placeKey]placeID
	contents   contents // of containers
	lastPlaces [64]placeID
	maxNames   int // the most kinds and places that the maps have had

	groups     map[UID]*uidGroup // by UID, where several nodes have it
	groupNodes map[Key]NodeID    // the nodes of groups that are not in the index
	groupLinks map[NodeID]links  // the lists of groupNodes, by UID
	duplicates map[NodeID]links  // the lists of observed nodes with one UID

	restrictions restrictions // the references with OnDeleteRestrict

	observed   int
	delta      Delta
	unused     []NodeID    // nodes that lost a dependent in this Apply
	packing    form        // the form of the present object
	found      found       // the node of the present object
	lastOwner  NodeID      // the owner of the last reference
	prefetched *prefetched // the next events, or nil
	touched    uint64      // see Prefetch
	cursors    []*Cursor   // the open ones
}

// defaultText is the limit of text that Limits documents.
//
//test:by TestDefaultText
const defaultText = 1024

// New returns an empty graph.
func New(cfg Config) *Graph {
	cfg.Ignore = slices.Clone(cfg.Ignore)
	if cfg.Limits.Text <= 0 {
		cfg.Limits.Text = defaultText
	}
	return &Graph{
		cfg:       cfg,
		pages:     []page{{nodes: make([]node, 1, 8), used: 1}},
		openPages: []uint32{0},
		limit:     1,
		index:     newIndex(),
		kinds:     make([]kind, 1),
		byKind:    map[Kind]kindID{},
		places:    make([]place, 1),
		byPlace:   map[placeKey]placeID{{}: 0},
		contents:  newContents(),
	}
}

// Clone returns a copy that shares nothing that either may change. It costs a copy of the
// tables.
//
//test:by TestCloneIndependence
func (g *Graph) Clone() *Graph {
	c := *g
	c.pages = make([]page, len(g.pages))
	for i := range g.pages {
		c.pages[i] = g.pages[i].clone()
	}
	c.openPages = slices.Clone(g.openPages)
	c.edges = g.edges.clone()
	c.index = g.index.clone()
	c.kinds, c.freeKinds, c.byKind = slices.Clone(g.kinds), slices.Clone(g.freeKinds), maps.Clone(g.byKind)
	c.places, c.freePlaces, c.byPlace = slices.Clone(g.places), slices.Clone(g.freePlaces), maps.Clone(g.byPlace)
	c.contents, c.restrictions = g.contents.clone(), g.restrictions.clone()
	c.groupNodes, c.groupLinks, c.duplicates = maps.Clone(g.groupNodes), maps.Clone(g.groupLinks), maps.Clone(g.duplicates)
	if c.groups = nil; g.groups != nil {
		c.groups = make(map[UID]*uidGroup, len(g.groups))
		for u, f := range g.groups {
			own := *f
			own.elsewhere, own.own = maps.Clone(f.elsewhere), maps.Clone(f.own)
			c.groups[u] = &own
		}
	}
	c.delta, c.unused, c.packing, c.prefetched, c.cursors = Delta{}, nil, form{}, nil, nil
	return &c
}

// Node returns the node with the id. It must be in use.
func (g *Graph) Node(id NodeID) Node { return Node{g, id} }

// Lookup returns the node with exactly these coordinates.
func (g *Graph) Lookup(k Key) (Node, bool) {
	id := g.lookup(&k)
	return Node{g, id}, id != 0
}

// Len returns the number of nodes in use, phantoms included.
func (g *Graph) Len() int { return g.live }

// Observed returns the number of observed nodes.
func (g *Graph) Observed() int { return g.observed }

// Cap returns one more than the largest id that was ever in use. A table that is indexed
// by id needs that length.
func (g inner) Cap() int { return int(g.limit) }

// InUse reports whether the id names a node.
func (g inner) InUse(id NodeID) bool {
	return id < g.limit && int(slotOf(id)) < len(g.page(id).nodes) && g.at(id).state() != StateUnset
}

// ids yields the nodes in use, by id.
func (g *Graph) ids() iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for n := range g.pages {
			for slot := range g.pages[n].nodes {
				id := NodeID(n<<pageBits | slot)
				if g.at(id).state() != StateUnset && !yield(id) {
					return
				}
			}
		}
	}
}

// Nodes yields every node in order of keys. It sorts, so it is for reports and tests.
func (g *Graph) Nodes() iter.Seq[Node] {
	type keyed struct {
		key Key
		id  NodeID
	}
	all := make([]keyed, 0, g.live)
	for id := range g.ids() {
		all = append(all, keyed{g.key(id), id})
	}
	slices.SortFunc(all, func(a, b keyed) int { return a.key.Compare(b.key) })
	return func(yield func(Node) bool) {
		for _, n := range all {
			if !yield(Node{g, n.id}) {
				return
			}
		}
	}
}

// resolve returns the coordinates under which the graph keeps a reference of an object in
// the scope dep.
func (g *Graph) resolve(dep string, r Owner) Key {
	if g.isByUID(&r) {
		return claimOn(r.UID)
	}
	if g.cfg.Scope == ScopeAbsent && r.Scope != "" && dep != "" {
		r.Key.Scope = dep
	}
	return r.Key
}

// isByUID reports whether a reference counts by its UID alone. Either the store cannot
// resolve its coordinates, or its kind takes no part.
func (g *Graph) isByUID(r *Owner) bool {
	return r.Unresolved || len(g.cfg.Ignore) > 0 && g.ignores(r.Kind)
}

// claimOn returns the coordinates under which the graph keeps such references to a UID.
// No object has them, since every object has a kind.
func claimOn(u UID) Key { return Key{UID: u} }

// claim returns the node for unresolved references to the UID of an observed node. It
// returns 0, whose counts are zero, without such references.
func (g *Graph) claim(id NodeID) NodeID {
	if x := g.at(id); x.state() != Observed || !x.is(groupHeadMark|groupMemberMark) {
		return 0
	}
	return g.groupOf(id).claim
}

// Claim returns the node for the unresolved references to the UID of an observed node, if
// such references exist.
func (g inner) Claim(id NodeID) (NodeID, bool) {
	c := g.claim(id)
	return c, c != 0
}

// addPhantom makes a node that has its key alone.
func (g *Graph) addPhantom(k *Key, s *location) NodeID {
	return g.addNode(k, g.keyForm(k, s.uid), s)
}

// addNode makes a phantom with the content of the form, without references. The caller
// has looked the key up and found no node.
func (g *Graph) addNode(k *Key, f *form, s *location) NodeID {
	id := g.newID()
	x := g.at(id)
	x.uid, x.version, x.marks = s.uid.uid, f.version, marks(Phantom)|f.marks
	x.place = g.placeOf(k)
	g.write(id, f.text)
	g.enlist(id)
	g.enterIndex(id, k, s)
	g.live++
	return id
}

// freeUnused frees the unobserved nodes without dependents. It runs last in an Apply, so
// that no id changes its meaning within an Apply.
func (g *Graph) freeUnused(e *Event) {
	for _, id := range g.unused {
		x := g.at(id)
		if x.state() == StateUnset || x.state() == Observed || g.ownerRecordOf(id).firstDep != 0 {
			continue
		}
		f := Freed{ID: id, Absent: x.state() == Absent, Note: x.note}
		if e.Type == Gone && id == g.delta.Node {
			f.Key = e.Key
		} else {
			f.Key = g.key(id)
		}
		g.delta.Freed = append(g.delta.Freed, f)
		g.leaveCursors(id)
		g.delist(id)
		g.leaveIndex(id, &f.Key)
		g.leavePlace(x.place)
		g.erase(id)
		g.live--
		*x = node{}
	}
	for _, f := range g.delta.Freed {
		g.freeID(f.ID)
	}
	if len(g.unused) > 0 {
		g.unused = g.unused[:0]
		g.shrinkNames()
	}
}
