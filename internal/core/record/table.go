// Package record keeps the engine's knowledge of each node beyond the graph.
//
// Most nodes need only the moment of their version and the reason of their last
// decision. Eight bytes store that, in the node's own note. Another node has a full
// State. Edit makes one, and Compact gives it back when the note suffices again.
package record

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// Table has the states of the nodes of one graph. The zero value is empty. A Table is
// not safe for concurrent use.
//
// Its invariants, which Check verifies:
//
//  1. the note of a node in use names a full state that is not free, or has a compact one
//  2. each full state in use has one node
type Table struct {
	pages [][]full // of pageSize each, which do not move
	free  []uint32
	used  int
	dirty []graph.NodeID // their state may have changed since the last Compact
}

type full struct {
	State
	listed bool // among dirty
}

// The note of a node: bit 63 says that the low 32 bits number a full state. Without it
// the note is a compact state: 48 bits of the stamp Known, 7 of the reason, 5 of the
// doubt, and three flags.
const (
	pageSize = 16

	noteFull    = 1 << 63
	noteAudited = 1 << 62
	noteKept    = 1 << 61 // the fast path decided to keep it
	noteFanning = 1 << 60
	reasonShift = 48
	doubtShift  = 55
	maxReason   = 1<<(doubtShift-reasonShift) - 1
	maxDoubt    = 1<<(60-doubtShift) - 1
	maxStamp    = uint64(seq.Max)
)

func (t *Table) at(i uint32) *full { return &t.pages[i/pageSize][i%pageSize] }

func (t *Table) add(s State) uint32 {
	if len(t.free) == 0 {
		n := uint32(len(t.pages) * pageSize)
		t.pages = append(t.pages, make([]full, pageSize))
		for i := range uint32(pageSize) {
			t.free = append(t.free, n+pageSize-1-i)
		}
	}
	i := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	t.used++
	*t.at(i) = full{State: s}
	return i
}

// drop gives a full state back, and with the last of many all memory.
func (t *Table) drop(i uint32) {
	*t.at(i) = full{}
	t.free = append(t.free, i)
	if t.used--; t.used == 0 && len(t.pages) > pageSize {
		t.pages, t.free, t.dirty = nil, nil, nil
	}
}

// Get returns a copy of the state of a node, the zero State for a node that is not in use.
func (t *Table) Get(g *graph.Graph, id graph.NodeID) State {
	if !g.Inside(inside.Key{}).InUse(id) {
		return State{}
	}
	return t.read(g.Note(id))
}

// Peek returns the state of a node for reading, until the next change of the table. It is
// the table's own state, or the memory of the caller with a compact one.
func (t *Table) Peek(g *graph.Graph, id graph.NodeID, memory *State) *State {
	note := uint64(0)
	if g.Inside(inside.Key{}).InUse(id) {
		note = g.Note(id)
	}
	if note&noteFull != 0 {
		return &t.at(uint32(note)).State
	}
	*memory = readCompact(note)
	return memory
}

func (t *Table) read(note uint64) State {
	if note&noteFull != 0 {
		return t.at(uint32(note)).State
	}
	return readCompact(note)
}

// readCompact returns the compact state that a note has.
func readCompact(note uint64) State {
	known := seq.Stamp(note & maxStamp)
	return State{
		Known: known, Changed: known, Audited: note&noteAudited != 0, FanningOut: note&noteFanning != 0,
		Reason: policy.Reason(note >> reasonShift & maxReason), Doubt: graph.Doubt(note >> doubtShift & maxDoubt),
	}
}

// Edit returns the state of a node. The caller may change it until the next Compact.
// Changes to a node that is not in use are lost.
func (t *Table) Edit(g *graph.Graph, id graph.NodeID) *State {
	if !g.Inside(inside.Key{}).InUse(id) {
		return new(State)
	}
	note := g.Note(id)
	if note&noteFull == 0 {
		note = noteFull | uint64(t.add(t.read(note)))
		g.SetNote(id, note)
	}
	s := t.at(uint32(note))
	if !s.listed {
		s.listed = true
		t.dirty = append(t.dirty, id)
	}
	return &s.State
}

// Compact gives back the full states that are no longer needed.
func (t *Table) Compact(g *graph.Graph) {
	for _, id := range t.dirty {
		if !g.Inside(inside.Key{}).InUse(id) || g.Note(id)&noteFull == 0 {
			continue
		}
		i := uint32(g.Note(id))
		s := t.at(i)
		s.listed = false
		if note, ok := s.compact(); ok {
			g.SetNote(id, note)
			t.drop(i)
		}
	}
	t.dirty = t.dirty[:0]
}

// compact returns the state as a note, if a note can store it.
func (s *State) compact() (note uint64, ok bool) {
	if !s.IsDefault() || s.HasResult || s.Root != 0 || s.Ended != 0 || s.Known > seq.Max || s.Reason > maxReason || s.Doubt > maxDoubt {
		return 0, false
	}
	note = uint64(s.Known) | uint64(s.Reason)<<reasonShift | uint64(s.Doubt)<<doubtShift
	if s.Audited {
		note |= noteAudited
	}
	if s.FanningOut {
		note |= noteFanning
	}
	return note, true
}

// Free forgets the state of a node that left the graph with this note, and returns it.
func (t *Table) Free(note uint64) State {
	s := t.read(note)
	if note&noteFull != 0 {
		t.drop(uint32(note))
	}
	return s
}

// ForgetRoots makes the root of every node unknown.
func (t *Table) ForgetRoots() {
	for _, p := range t.pages {
		for i := range p {
			p[i].Root = 0
		}
	}
}

// Clone returns a table that shares nothing with t.
func (t *Table) Clone() Table {
	c := *t
	c.pages = slices.Clone(t.pages)
	for i := range c.pages {
		c.pages[i] = slices.Clone(c.pages[i])
	}
	c.free, c.dirty = slices.Clone(t.free), slices.Clone(t.dirty)
	return c
}
