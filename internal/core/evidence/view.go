// Package evidence reads the machines for a decision, and returns the input of the rules.
// The input has facts alone: the package makes no text of an object. It changes nothing. It implements two rules of package policy:
//
//   - R2, absence: [View.Input] takes an absence that the graph does not show only where a
//     call or the watch has proven it for this dependent.
//   - R8: an owner without a proof stays unknown.
//
// The proofs of presence are stamps in the input, and package rules compares them.
package evidence

import (
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/cycle"
	"github.com/ownergraph/ownergraph/internal/core/kinds"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/internal/core/reads"
	"github.com/ownergraph/ownergraph/internal/core/record"
	"github.com/ownergraph/ownergraph/internal/core/rules"
	"github.com/ownergraph/ownergraph/internal/core/tombstone"
)

// View has the machines that hold evidence, and the settings. The caller makes one for a
// decision. No method changes a machine.
type View struct {
	record.Nodes
	Settings
	Kinds    *kinds.Table
	Reads    *reads.Machine
	Cycles   *cycle.Detector
	Orphaned *tombstone.Set                   // the owners whose orphaning this engine ended
	Retries  map[observed.NodeID]graph.Object // the answers of conflicts' reads, by node
	Fence    rules.Fence
	Now      time.Time
}

// Settings are the parts of the engine's configuration that evidence depends on.
type Settings struct {
	Scope             graph.ScopeRule
	OwnerName         graph.NameRule
	Acknowledge       []graph.Kind // controllers of these kinds get time to acknowledge a deletion
	AcknowledgeWithin time.Duration
}

// Remembered returns the owner of a memory that a reference with the key means. The memory
// counts by the UID, as the orphaning did that has ended: a mistake there keeps an object. A
// setting that reads other coordinates as absent leaves no owner for them.
//
// Held by TestRemembered.
func (s *Settings) Remembered(memory *tombstone.Set, k graph.Key) (graph.Key, bool) {
	if memory.Has(k) {
		return k, true
	}
	was, ok := memory.OfUID(k.UID)
	reading := observed.Config{Scope: s.Scope, OwnerName: s.OwnerName}
	return was, ok && reading.IsOrphanedBy(k.Scope, k, was)
}

// Scratch is the memory of one input. The next input with it uses it again. The zero value
// is empty.
type Scratch struct {
	input rules.Input
	facts []rules.OwnerFact
}

// maxScratch bounds the references that Scratch holds: those of an object within the default limits.
const maxScratch = 1024
