package graph

import (
	"iter"
	"maps"
	"slices"
)

// Config holds a graph's settings. The zero value works.
type Config struct {
	// Scope says how references across scopes are read.
	Scope ScopeRule
	// Limits bounds what one object may carry before it counts as flawed.
	Limits Limits
	// Ignore names kinds that take no part: their objects are not kept, and a
	// reference to one is unknown.
	Ignore []Kind
}

// Graph holds what was observed: objects, their owner references, and who
// refers to whom. It changes only through Apply.
//
// A Graph is not safe for concurrent use. Its invariants, which Check verifies:
//
//	I1  a node is found under its key, and under no other
//	I2  the observed nodes with one UID, mostly one, are one list; it holds nothing else
//	I3  every reference with a UID is one edge; it stands in its owner's list once
//	I4  counts of references and of blocking ones equal the lists, without self-references
//	I5  a phantom or absent node has a dependent, or it would not be there
//	I6  a node stands in its kind's list once; a kind is served or has a node
//	I7  nodes, edges and kinds are in use or free, never both, and none is lost
//	I8  the cursor of a fan-out or sweep stands on a member of its own list
type Graph struct {
	cfg   Config
	nodes []node // 0 is never used
	edges []edge // 0 is never used
	kinds []kind // 0 is what no kind is known of

	freeNodes []NodeID
	freeEdges []edgeID
	freeKinds []kindID
	byKey     map[Key]NodeID
	alive     map[UID]NodeID  // observed nodes: the first of a list, mostly of one
	twins     map[NodeID]twin // the links of the lists with more than one
	byKind    map[Kind]kindID

	observed int
	delta    Delta
	loose    []NodeID // nodes that lost a dependent in this Apply
}

// New returns an empty graph.
func New(cfg Config) *Graph {
	cfg.Ignore = slices.Clone(cfg.Ignore)
	return &Graph{
		cfg:    cfg,
		nodes:  make([]node, 1),
		edges:  make([]edge, 1),
		kinds:  make([]kind, 1),
		byKey:  map[Key]NodeID{},
		alive:  map[UID]NodeID{},
		twins:  map[NodeID]twin{},
		byKind: map[Kind]kindID{},
	}
}

// Clone returns a copy that shares nothing that either may change. It costs a
// copy of the tables; objects are shared, since they are never changed. Held by
// TestCloneIndependence.
func (g *Graph) Clone() *Graph {
	c := *g
	c.nodes = slices.Clone(g.nodes)
	c.edges = slices.Clone(g.edges)
	c.kinds = slices.Clone(g.kinds)
	c.freeNodes = slices.Clone(g.freeNodes)
	c.freeEdges = slices.Clone(g.freeEdges)
	c.freeKinds = slices.Clone(g.freeKinds)
	c.byKey = maps.Clone(g.byKey)
	c.alive = maps.Clone(g.alive)
	c.twins = maps.Clone(g.twins)
	c.byKind = maps.Clone(g.byKind)
	c.delta, c.loose = Delta{}, nil
	return &c
}

// Node returns the node with the id. It must be in use.
func (g *Graph) Node(id NodeID) Node { return Node{g, id} }

// Lookup returns the node with exactly these coordinates.
func (g *Graph) Lookup(k Key) (Node, bool) {
	id, ok := g.byKey[k]
	return Node{g, id}, ok
}

// Len returns how many nodes are in use, phantoms included.
func (g *Graph) Len() int { return len(g.byKey) }

// Observed returns how many nodes are observed.
func (g *Graph) Observed() int { return g.observed }

// Cap returns one more than the largest id that was ever in use: the length of
// a table that is indexed by id.
func (g *Graph) Cap() int { return len(g.nodes) }

// InUse reports whether the id names a node.
func (g *Graph) InUse(id NodeID) bool {
	return int(id) < len(g.nodes) && g.nodes[id].state != StateUnset
}

// Nodes yields every node in order of keys. It sorts, so it is for reports and
// tests; the engine walks ids.
func (g *Graph) Nodes() iter.Seq[Node] {
	keys := slices.SortedFunc(maps.Keys(g.byKey), Key.Compare)
	return func(yield func(Node) bool) {
		for _, k := range keys {
			if !yield(Node{g, g.byKey[k]}) {
				return
			}
		}
	}
}

// resolve returns the coordinates under which the reference r of dep is kept.
func (g *Graph) resolve(dep Key, r Owner) Key {
	if r.Unresolved {
		return claimOn(r.UID)
	}
	if g.cfg.Scope == ScopeAbsent && r.Scope != "" && dep.Scope != "" {
		r.Key.Scope = dep.Scope
	}
	return r.Key
}

// claimOn returns the coordinates under which unresolved references to a UID
// are kept. No object has them: it would have a kind.
func claimOn(u UID) Key { return Key{UID: u} }

// claim returns the node that stands for unresolved references to the UID of
// an observed node, or 0, whose counts are zero.
func (g *Graph) claim(id NodeID) NodeID {
	if g.nodes[id].state != Observed {
		return 0
	}
	return g.byKey[claimOn(g.nodes[id].obj.UID)]
}

// leadsBack reports whether a reference of dep that is kept under owner is one
// to itself, directly or through the claim on its own UID.
func leadsBack(dep, owner Key) bool { return owner == dep || owner == claimOn(dep.UID) }

// Claim returns the node that stands for the unresolved references to the UID
// of an observed node, if there are any.
func (g *Graph) Claim(id NodeID) (NodeID, bool) {
	c := g.claim(id)
	return c, c != 0
}

func (g *Graph) addNode(k Key, s State) NodeID {
	var id NodeID
	if n := len(g.freeNodes); n > 0 {
		id, g.freeNodes = g.freeNodes[n-1], g.freeNodes[:n-1]
	} else {
		id = NodeID(len(g.nodes))
		g.nodes = append(g.nodes, node{})
	}
	g.nodes[id] = node{obj: Object{Key: k}, state: s, kind: g.kindOf(k.Kind)}
	g.byKey[k] = id
	g.enlist(id)
	return id
}

// settle frees what nothing holds any more: unobserved nodes without
// dependents. It runs last in an Apply, so that no id changes its meaning
// within one.
func (g *Graph) settle() {
	for _, id := range g.loose {
		x := &g.nodes[id]
		if x.state == StateUnset || x.state == Observed || x.firstDep != 0 {
			continue
		}
		g.delta.Freed = append(g.delta.Freed, Freed{id, x.obj.Key, x.state == Absent})
		g.delist(id)
		delete(g.byKey, x.obj.Key)
		*x = node{}
	}
	for _, f := range g.delta.Freed {
		g.freeNodes = append(g.freeNodes, f.ID)
	}
	g.loose = g.loose[:0]
}
