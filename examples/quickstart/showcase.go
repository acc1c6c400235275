package main

import (
	"github.com/ownergraph/ownergraph/graph"
)

// step is one deletion of the example.
type step struct {
	target      target
	propagation graph.Propagation
}

// showcase is what the example deletes without being told: one Deployment with
// each propagation. They have several ReplicaSets each and share nothing, so
// that no step changes what another leaves behind. Held by TestShowcase.
func showcase() []step {
	deployment := func(scope, name string) target {
		return target{kind: "Deployment", group: "apps", grouped: true, scope: scope, name: name}
	}
	return []step{
		{deployment("shop", "frontend"), graph.Background},
		{deployment("shop", "search"), graph.Foreground},
		{deployment("payments", "checkout"), graph.Orphan},
	}
}
