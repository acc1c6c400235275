// Package evidence reads the machines for a decision, and returns the input of the rules.
// The input has facts alone: the package makes no text of an object. It changes nothing. It implements two rules of RULES.md:
//
//   - R2, absence: [View.Input] takes an absence that the graph does not show only where a
//     call or the watch has proven it for this dependent.
//   - R8: an owner without a proof stays unknown.
//
// The proofs of presence are stamps in the input, and package policy compares them.
package evidence

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/cycle"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/orphaned"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/policy"
)

// View has the machines that have evidence, and the settings. The caller makes one for a
// decision. No method changes a machine.
type View struct {
	record.Nodes
	Settings
	Kinds    *kinds.Table
	Reads    *reads.Machine
	Cycles   *cycle.Detector
	Orphaned *orphaned.Memory              // the owners whose orphaning this engine ended
	Retries  map[graph.NodeID]graph.Object // the answers of conflicts' reads, by node
	Fence    policy.Fence
	Now      time.Time
}

// Settings are the parts of the engine's configuration that evidence depends on.
type Settings struct {
	Scope             graph.ScopeRule
	OwnerName         graph.NameRule
	Acknowledge       []graph.Kind // controllers of these kinds get time to acknowledge a deletion
	AcknowledgeWithin time.Duration
}

// remembers reports whether the memory of the orphaned owners serves the reference of a
// dependent to an absent owner.
func (v *View) remembers(dep, owner graph.Node) bool {
	if v.Orphaned.Empty() {
		return false
	}
	_, ok := v.Orphaned.Of(graph.Config{Scope: v.Scope, OwnerName: v.OwnerName}, dep.Key().UID, owner.Key())
	return ok
}

// Scratch is the memory of one input. The next input with it uses it again. The zero value
// is empty.
type Scratch struct {
	input policy.Facts
	facts []policy.OwnerFacts
}

// maxScratch bounds the references that Scratch has: those of an object within the default limits.
const maxScratch = 1024
