package history

import (
	"bytes"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// RootCache has the roots of one object, by their number. Most objects have the roots of the one
// before.
type RootCache struct {
	number uint64
	keys   []graph.Key
}

// keep returns roots with their number, and keeps them if the number names them alone.
func (c *RootCache) keep(number uint64, r Root, rest graph.Key) []graph.Key {
	if r.More > 0 || len(r.Keys) == 0 { // too many, or with names that are too long
		r.Keys = append(r.Keys, rest)
	}
	if number > Self {
		c.number, c.keys = number, r.Keys
	}
	return r.Keys
}

// has reports whether the cache has the roots of a number.
func (c *RootCache) has(number uint64) bool { return number > Self && number == c.number }

// FixRoots returns the roots that an object has if it is deleted by a decision with this evidence, and
// fixes them: see RootOf. If some are not known, rest is among them.
//
//test:by TestAskRoots engine.TestBrakeOldRoots
func (m *Machine) FixRoots(v record.Nodes, id graph.NodeID, in *policy.Facts, rest graph.Key, c *RootCache) []graph.Key {
	number := m.RootOf(v, id, in)
	if c.has(number) {
		return c.keys
	}
	return c.keep(number, m.RootAt(v.Node(id), number), rest)
}

// AskRoots returns the roots of FixRoots. Fixes says that FixRoots would fix a root or number a set. A set
// that it numbers may make another one old, so the next question may say so again. AskRoots changes
// nothing but the cache and scratch.
//
//test:by TestAskRoots engine.TestBrakeManyRoots engine.TestBrakeLongNames engine.TestBrakeUnknownRoot
func (m *Machine) AskRoots(v record.Nodes, id graph.NodeID, in *policy.Facts, rest graph.Key, c *RootCache) (roots []graph.Key, fixes bool) {
	a, number := m.ask(v, id, in)
	if c.has(number) {
		return c.keys, a.found.fixes
	}
	r := a.RootAt(v.Node(id), number)
	if a.isFound(number) { // its number is no one's yet
		number = Unknown
	}
	return c.keep(number, r, rest), a.found.fixes
}

// AskRoot returns the root that RootOf would fix. It changes nothing but scratch.
//
//test:by TestAskRoots
func (m *Machine) AskRoot(v record.Nodes, id graph.NodeID, in *policy.Facts) Root {
	a, number := m.ask(v, id, in)
	return a.RootAt(v.Node(id), number)
}

// ask returns a machine with the sets of m that keeps nothing, and the number that a root has there.
func (m *Machine) ask(v record.Nodes, id graph.NodeID, in *policy.Facts) (a Machine, number uint64) {
	a = Machine{sets: m.sets, found: owners{ids: m.found.ids, text: m.found.text, asks: true}}
	number = a.RootOf(v, id, in)
	m.found.ids, m.found.text = a.found.ids, a.found.text // the next search uses their memory
	return a, number
}

// SeedsOf returns the nodes of a root, and of those owners of an object that have this root. Without
// facts it returns the root alone.
//
//test:by engine.TestBrakeWalk
func (m *Machine) SeedsOf(v record.Nodes, id graph.NodeID, in *policy.Facts, root graph.Key) (seeds []graph.NodeID) {
	if n, ok := v.Graph.Lookup(root); ok {
		seeds = append(seeds, n.ID())
	}
	if in == nil {
		return seeds
	}
	text := graph.Inside(inside.Key{}).AppendKey(nil, &root)
	for i := range in.Owners {
		o := v.OwnerID(id, i)
		if o == 0 || slices.Contains(seeds, o) {
			continue
		}
		if found, _, _ := m.Names(v.State(o).Root, func(k []byte) bool { return bytes.Equal(k, text) }); found {
			seeds = append(seeds, o)
		}
	}
	return seeds
}

// firstFound is the number of the first set that a search has found and does not keep.
func (m *Machine) firstFound() uint64 { return m.sets.next - 1 + firstSet }

// isFound reports whether a search has found a set, and does not keep it.
func (m *Machine) isFound(root uint64) bool {
	return len(m.found.sets) > 0 && root >= m.firstFound() && root-m.firstFound() < uint64(len(m.found.sets))
}

// find returns the number of the text of a set that is not kept. Equal texts have one number. A text that
// is too long for the history has none.
func (m *Machine) find(text []byte) uint64 {
	if m.found.fixes = true; len(text) > maxRecord {
		return Unknown
	}
	at := slices.IndexFunc(m.found.sets, func(set []byte) bool { return bytes.Equal(set, text) })
	if at < 0 {
		at = len(m.found.sets)
		m.found.sets = append(m.found.sets, bytes.Clone(text))
	}
	return m.firstFound() + uint64(at)
}
