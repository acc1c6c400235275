package rules

import "github.com/ownergraph/ownergraph/graph"

// Acknowledged reports whether the object's controller has acknowledged its latest
// generation, which the deletion mark has raised. An orphaning waits for that for the
// configured kinds. Otherwise the controller could adopt the freed dependents again
// (proposal, "Orphan adoption"). It is true in a store without generations. The engine
// bounds the wait.
//
// Held by TestAcknowledged.
func Acknowledged(o graph.Object) bool { return o.ObservedGeneration >= o.Generation }
