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
	owners := named(s, d)
	x := d.ChangeOf(key, version, owners)
	*w = Write{
		Call:         Call{Purpose: Patch, Node: s.node.ID(), Key: key, Version: version, Ahead: s.retry != nil},
		Precondition: x.Precondition, Change: x.Change, Options: x.Options,
	}
	switch {
	case d.Action == policy.Orphan:
		w.Call.Orphan = Frees
	case d.Action == policy.Release && d.Finalizer == graph.FinalizerOrphan && d.BestEffort:
		w.Call.Orphan = EndsUnfenced
	case d.Action == policy.Release && d.Finalizer == graph.FinalizerOrphan:
		w.Call.Orphan = Ends
	case d.Action == policy.Delete:
		w.Call.Purpose = Delete
	}
	w.Call.Wrote = Digest(d, owners)
}

// named returns the references that the write of a decision names.
func named(s Subject, d *policy.Decision) []graph.Owner {
	switch d.Action {
	case policy.Trim, policy.Orphan, policy.Unblock:
		return s.References(d.Owners)
	}
	return nil
}
