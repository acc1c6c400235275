package record

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/policy"
)

// The fast path serves most events: a node with a compact state, whose owners decide
// nothing new. It reads and writes the note alone.

// IsCompact reports whether the note has the state of a node in use.
func (t *Table) IsCompact(g *graph.Graph, id graph.NodeID) bool {
	return g.Note(id)&noteFull == 0
}

// IsDefault reports whether nothing is known of a node in use beyond its version and its
// last decision.
func (t *Table) IsDefault(g *graph.Graph, id graph.NodeID) bool {
	note := g.Note(id)
	return note&noteFull == 0 || t.at(uint32(note)).IsDefault()
}

// SetNew sets the state of a new node: its version became known then.
func (t *Table) SetNew(g *graph.Graph, id graph.NodeID, known seq.Stamp) {
	g.SetNote(id, uint64(known)&maxStamp)
}

// SetKnown notes that another version of a node with a compact state became known.
func (t *Table) SetKnown(g *graph.Graph, id graph.NodeID, known seq.Stamp) {
	g.SetNote(id, g.Note(id)&^(maxStamp|noteAudited)|uint64(known)&maxStamp)
}

// SetKept notes that the fast path decided to keep a default node.
func (t *Table) SetKept(g *graph.Graph, id graph.NodeID, why policy.Reason) {
	note := g.Note(id)
	if note&noteFull == 0 {
		g.SetNote(id, note&(maxStamp|noteFanning)|uint64(why)<<reasonShift|noteKept)
		return
	}
	s := &t.at(uint32(note)).State
	s.Reason, s.Doubt, s.Audited = why, graph.DoubtUnset, false
}

// IsKept reports whether SetKept was called for a node in use and still applies.
func (t *Table) IsKept(g *graph.Graph, id graph.NodeID) bool {
	return g.Note(id)&(noteFull|noteKept) == noteKept
}

// ClearKept takes SetKept back.
func (t *Table) ClearKept(g *graph.Graph, id graph.NodeID) {
	if t.IsKept(g, id) {
		g.SetNote(id, g.Note(id)&^noteKept)
	}
}

// IsFanning reports whether a node in use is listed among the owners that fan out.
func (t *Table) IsFanning(g *graph.Graph, id graph.NodeID) bool {
	note := g.Note(id)
	if note&noteFull != 0 {
		return t.at(uint32(note)).FanningOut
	}
	return note&noteFanning != 0
}

// SetFanning notes whether a node in use is listed among the owners that fan out.
func (t *Table) SetFanning(g *graph.Graph, id graph.NodeID, fans bool) {
	note := g.Note(id)
	switch {
	case note&noteFull != 0:
		t.at(uint32(note)).FanningOut = fans
	case fans:
		g.SetNote(id, note|noteFanning)
	default:
		g.SetNote(id, note&^noteFanning)
	}
}

// AwaitsReads reports whether a node in use waits for reads.
func (t *Table) AwaitsReads(g *graph.Graph, id graph.NodeID) bool {
	note := g.Note(id)
	return note&noteFull != 0 && t.at(uint32(note)).PendingReads > 0
}

// ClearResult notes that a read result is no longer kept for a node in use.
func (t *Table) ClearResult(g *graph.Graph, id graph.NodeID) {
	if note := g.Note(id); note&noteFull != 0 {
		t.at(uint32(note)).HasResult = false
	}
}
