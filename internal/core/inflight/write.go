package inflight

import (
	"github.com/ownergraph/ownergraph/graph"
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

// WriteOf sets w to the write that a decision about the subject asks for. R1: every write
// carries UID and version. The write shares the finalizers' texts with the decision, and
// no list. WriteOf makes the only text of an object between its events and its write.
func WriteOf(w *Write, s Subject, d *policy.Decision) {
	key, version := s.Named()
	pre := graph.Precondition{UID: key.UID, Version: version}
	*w = Write{
		Call:         Call{Purpose: Patch, Node: s.node.ID(), Key: key, Version: version, Ahead: s.retry != nil},
		Precondition: pre,
	}
	var named []graph.Owner
	switch d.Action {
	case policy.Trim, policy.Orphan:
		named = s.References(d.Owners)
		w.Change.DropOwners = named
		if d.Action == policy.Orphan {
			w.Call.Orphan = Frees
		}
	case policy.Unblock:
		named = s.References(d.Owners)
		w.Change.Unblock = named
	case policy.Release:
		w.Change.DropFinalizer = d.Finalizer
		if d.Finalizer == graph.FinalizerOrphan {
			w.Call.Orphan = Ends
			if d.BestEffort {
				w.Call.Orphan = EndsUnfenced
			}
		}
	case policy.Attach:
		w.Change.AddFinalizer = d.Finalizer
	case policy.Delete:
		w.Call.Purpose = Delete
		w.Precondition = graph.Precondition{}
		w.Options = graph.DeleteOptions{Precondition: pre, Propagation: d.Propagation, GraceSeconds: d.GraceSeconds}
	}
	w.Call.Wrote = Digest(d, named)
}
