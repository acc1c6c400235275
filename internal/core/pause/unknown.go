package pause

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Write is a write of unknown outcome. It is a value.
type Write struct {
	Delete  bool // otherwise a patch
	Ahead   bool // the watch has not shown the version: a read has
	Version graph.Version
	Since   time.Time // its outcome is unknown
}

// NoteUnknown notes a write of unknown outcome to a node.
func (p *Pauses) NoteUnknown(id graph.NodeID, w Write) {
	if p.unknown == nil {
		p.unknown = map[graph.NodeID]Write{}
	}
	p.unknown[id] = w
}

// AnyUnknown reports whether a write has an unknown outcome.
func (p *Pauses) AnyUnknown() bool { return len(p.unknown) > 0 }

// Show notes that the watch shows a version of a node. Another version than that of the
// write tells its outcome, once the watch has shown that of the write. A version before it
// tells nothing.
func (p *Pauses) Show(n graph.Node) {
	switch w, ok := p.unknown[n.ID()]; {
	case !ok:
	case n.Inside(inside.Key{}).HasVersion(w.Version):
		w.Ahead = false
		p.unknown[n.ID()] = w
	case !w.Ahead:
		delete(p.unknown, n.ID())
	}
}

// ShowRead notes that a read shows a version of a node. The read began after the outcome of
// the write was unknown, so another version tells the outcome.
func (p *Pauses) ShowRead(id graph.NodeID, v graph.Version) {
	if w, ok := p.unknown[id]; ok && w.Version != v {
		delete(p.unknown, id)
	}
}

// Drop forgets the write to a node whose object has gone.
func (p *Pauses) Drop(id graph.NodeID) {
	if len(p.unknown) > 0 {
		delete(p.unknown, id)
	}
}

// Unknown returns the nodes with a write of unknown outcome. The machine owns the map.
func (p *Pauses) Unknown() map[graph.NodeID]Write { return p.unknown }
