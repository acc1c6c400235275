package inflight

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Sent is a decision that a call under way carries out, for a forecast.
type Sent struct {
	Call uint64
	Key  graph.Key
	policy.Decision
	// Owners are the references of the decision, and Holder is that of the sweep that deletes the
	// object.
	Owners []graph.Owner
	Holder graph.Key
}
