package ownergraph

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/run"
)

// clone returns an engine that goes on from here on its own. The two share the Config, and
// nothing that either may change.
func (e *Engine) clone() *Engine {
	c := *e
	c.graph = e.graph.Clone()
	c.nodes = e.nodes.Clone()
	c.kinds, c.fence = e.kinds.Clone(), e.fence.Clone()
	c.work, c.reads = e.work.Clone(), e.reads.Clone()
	c.expected = e.expected.Clone()
	c.undone = e.undone.Clone()
	c.held, c.calls = e.held.Clone(), e.calls.Clone()
	c.misplaced = make(map[graph.UID][]observed.NodeID, len(e.misplaced))
	for u, w := range e.misplaced {
		c.misplaced[u] = slices.Clone(w)
	}
	c.absent, c.orphaned = e.absent.Clone(), e.orphaned.Clone()
	c.cycles, c.handlers = e.cycles.Clone(), e.handlers.Clone()
	c.sweeps = e.sweeps.Clone()
	c.audit = e.audit.Clone()
	if e.audit.IsSearching() { // the copy begins the audit anew
		c.auditSoon()
	}
	c.revision = run.NewRevision(e.revision.Number())
	c.effects, c.carrying = effect.List{}, false
	c.scratch = scratch{}
	c.fanout = e.fanout.Clone()
	return &c
}
