package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/evidence"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/rules"
)

// scratch is the memory of the decision at hand. The next decision uses it again.
type scratch struct {
	call     Call
	evidence evidence.Scratch
}

// input gathers the evidence for a decision about an observed node.
func (e *Engine) input(id observed.NodeID) rules.Input {
	v := evidence.View{
		Nodes: e.view(), Kinds: &e.kinds, Reads: &e.reads, Cycles: &e.cycles, Orphaned: &e.orphaned, Retries: e.calls.Retries(), Now: e.now,
		Fence: rules.Fence{
			Exact: e.level >= Level2, Passed: e.fence.Passed(), Released: e.released(), Held: e.fenceHeld(),
		},
		Settings: evidence.Settings{
			Scope: e.cfg.Scope, OwnerName: e.cfg.OwnerName,
			Acknowledge: e.cfg.Acknowledge, AcknowledgeWithin: e.cfg.AcknowledgeWithin,
			Kept: e.sweeps.Any(), // sweeps and the functions of members may keep the objects
		},
	}
	return v.Input(id, &e.scratch.evidence)
}

// acknowledgedBy returns the time by which an orphaning node's controller has to
// acknowledge the deletion.
func (e *Engine) acknowledgedBy(id observed.NodeID) time.Time {
	m := e.state(id)
	return evidence.AcknowledgedBy(&m, e.cfg.AcknowledgeWithin)
}

// useOrphaned counts a decision as a use of the remembered owners that it rests on: the
// bounded memory keeps the used ones.
func (e *Engine) useOrphaned(id observed.NodeID, in *rules.Input) {
	for i := range in.Owners {
		if in.Owners[i].Remembered {
			e.orphaned.Use(e.graph.Node(e.ownerID(id, i)).Key())
		}
	}
}
