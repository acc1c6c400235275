package rules

import "github.com/ownergraph/ownergraph/graph"

// Acknowledged reports whether the object's controller has seen its latest
// generation, the deletion mark among it. An orphaning waits for that where its
// kind is configured so, lest the controller adopt again what is set free
// (proposal, "Orphan adoption"). True where the store keeps no generations.
// How long to wait is the engine's. Held by TestAcknowledged.
func Acknowledged(o graph.Object) bool { return o.ObservedGeneration >= o.Generation }
