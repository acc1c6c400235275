package order

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// Keeps reports whether an object with this reason stays, although its owners go.
func Keeps(why policy.Reason) bool {
	return why == policy.OwnerUnknown || why == policy.Protected || why == policy.ProtectionUnknown
}

// Releases reports whether a decision ends a foreground deletion.
func Releases(d policy.Decision) bool {
	return d.Action == policy.Release && d.Finalizer == graph.FinalizerForeground
}
