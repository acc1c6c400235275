package pause

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
)

// Write is a write of unknown outcome. It is a value.
type Write struct {
	Delete  bool // otherwise a patch
	Version graph.Version
	Since   time.Time // its outcome is unknown
}

// NoteUnknown notes a write of unknown outcome to a node.
func (p *Pauses) NoteUnknown(id observed.NodeID, w Write) {
	if p.unknown == nil {
		p.unknown = map[observed.NodeID]Write{}
	}
	p.unknown[id] = w
}

// AnyUnknown reports whether a write has an unknown outcome.
func (p *Pauses) AnyUnknown() bool { return len(p.unknown) > 0 }

// Show notes that the watch shows a version of a node. Another version than that of the
// write tells its outcome.
func (p *Pauses) Show(n observed.Node) {
	if w, ok := p.unknown[n.ID()]; ok && !n.HasVersion(w.Version) {
		delete(p.unknown, n.ID())
	}
}

// Drop forgets the write to a node whose object has gone.
func (p *Pauses) Drop(id observed.NodeID) {
	if len(p.unknown) > 0 {
		delete(p.unknown, id)
	}
}

// Unknown returns the nodes with a write of unknown outcome. The machine owns the map.
func (p *Pauses) Unknown() map[observed.NodeID]Write { return p.unknown }
