package inflight

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// Write is the write that a decision asks for. Fields that the purpose of Call does not
// name are zero. It is a value.
type Write struct {
	Call         Call
	Precondition graph.Precondition  // patch
	Change       graph.Change        // patch
	Options      graph.DeleteOptions // delete
}

// WriteOf sets w to the write that a decision about the object asks for. R1: every write
// carries UID and version. The write shares the finalizers' texts with the decision, and
// no list.
func WriteOf(w *Write, id observed.NodeID, o *graph.Object, d *policy.Decision) {
	pre := graph.Precondition{UID: o.UID, Version: o.Version}
	*w = Write{
		Call:         Call{Purpose: Patch, Node: id, Key: o.Key, Version: o.Version, Wrote: Digest(o, d)},
		Precondition: pre,
	}
	switch d.Action {
	case policy.Trim, policy.Orphan:
		w.Change.DropOwners = references(o, d.Owners)
	case policy.Unblock:
		w.Change.Unblock = references(o, d.Owners)
	case policy.Release:
		w.Change.DropFinalizer = d.Finalizer
		if d.Finalizer == graph.FinalizerOrphan {
			w.Call.Ending = graph.Orphan
		}
	case policy.Attach:
		w.Change.AddFinalizer = d.Finalizer
	case policy.Delete:
		w.Call.Purpose = Delete
		w.Precondition = graph.Precondition{}
		w.Options = graph.DeleteOptions{Precondition: pre, Propagation: d.Propagation, GraceSeconds: d.GraceSeconds}
	}
}

// references returns the owners that a decision names.
func references(o *graph.Object, named []int) []graph.Owner {
	refs := make([]graph.Owner, len(named))
	for j, i := range named {
		refs[j] = o.Owners[i]
	}
	return refs
}
