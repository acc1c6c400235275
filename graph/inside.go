package graph

import "github.com/ownergraph/ownergraph/internal/inside"

// inner is a graph with the methods that only this module may call. They are the engine's:
// they depend on the order of its steps, or avoid an allocation.
type inner struct{ *Graph }

// Inside returns the graph with further methods. Only this module can call it, because only it can make a Key.
func (g *Graph) Inside(inside.Key) inner { return inner{g} }

func (g *Graph) inner() inner { return inner{g} }

// Config returns the settings of the graph, which the caller does not change.
func (g inner) Config() Config { return g.cfg }

// innerNode is a node with the methods that only this module may call.
type innerNode struct{ Node }

// Inside returns the node with further methods. Only this module can call it, because only it can make a Key.
func (n Node) Inside(inside.Key) innerNode { return innerNode{n} }

func (n Node) inner() innerNode { return innerNode{n} }

// insider has the functions that only this module may call.
type insider struct{}

// Inside returns further functions. Only this module can call it, because only it can make a Key.
func Inside(inside.Key) insider { return insider{} }

// AppendKey appends coordinates to bytes: see append.go for the form.
func (insider) AppendKey(b []byte, k *Key) []byte { return appendKey(b, k) }

// AppendOwner appends an owner reference to bytes: see append.go for the form.
func (insider) AppendOwner(b []byte, o *Owner) []byte { return appendOwner(b, o) }

// NewRingSearch begins a search for the rings that contain a root, or that blocking
// references reach from a root. It keeps roots.
func (insider) NewRingSearch(roots []NodeID) *RingSearch { return newRingSearch(roots) }

// NewIsolatedCycleSearch begins a search for cycles of ownership among observed nodes, in
// any state. It keeps roots.
func (insider) NewIsolatedCycleSearch(roots []NodeID) *RingSearch {
	return newIsolatedCycleSearch(roots)
}

// IsOrphanedBy reports whether the orphaning of an owner drops a reference with its UID at the
// coordinates of k, in a graph with these settings. An object in the scope dep has the reference.
func (insider) IsOrphanedBy(c *Config, dep string, k, owner Key) bool {
	return c.isOrphanedBy(dep, k, owner)
}

// IsKeptBy reports whether an owner keeps a dependent, by a reference with its UID and the
// coordinates of k. The dependent has the scope dep.
func (insider) IsKeptBy(c *Config, dep string, k, owner Key) bool { return c.isKeptBy(dep, k, owner) }

// MaxSameUID returns the bound of the nodes that SameUID of a node returns.
func (insider) MaxSameUID() int { return maxSameUID }
