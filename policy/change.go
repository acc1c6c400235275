package policy

import "github.com/ownergraph/ownergraph/graph"

// Change returns the write that carries the decision out, for the judged object. It is a patch or
// a deletion under the UID and the version of the object (RULES, R1), so a store refuses it with
// graph.ErrConflict if the object has changed since. It returns false for a decision that does not
// write, and for an object without a UID or a version, such as that of a node whose object is gone.
// The decision has to be about this object: an index of Owners that the object does not have returns
// false, too. The write shares no list with the object.
//
//test:by TestChange
func (d *Decision) Change(o graph.Object) (w graph.Write, ok bool) {
	if !d.Action.Writes() || o.UID == "" || o.Version == "" {
		return graph.Write{}, false
	}
	var owners []graph.Owner
	if d.Action == Trim || d.Action == Orphan || d.Action == Unblock {
		for _, i := range d.Owners {
			if i < 0 || i >= len(o.Owners) {
				return graph.Write{}, false
			}
			owners = append(owners, o.Owners[i])
		}
	}
	return d.ChangeOf(o.Key, o.Version, owners), true
}

// ChangeOf is Change for a decision that writes, without the object: for its key and version, which
// are not empty, and the references that Owners of the decision names. The write keeps owners.
//
//test:by TestChange
func (d *Decision) ChangeOf(key graph.Key, version graph.Version, owners []graph.Owner) graph.Write {
	w := graph.Write{Type: graph.WritePatch, Key: key, Precondition: graph.Precondition{UID: key.UID, Version: version}}
	switch d.Action {
	case Trim, Orphan:
		w.Change.DropOwners = owners
	case Unblock:
		w.Change.Unblock = owners
	case Release:
		w.Change.DropFinalizer = d.Finalizer
	case Attach:
		w.Change.AddFinalizer = d.Finalizer
	case Delete:
		w.Options = graph.DeleteOptions{
			Precondition: w.Precondition, Propagation: d.Propagation, GraceSeconds: d.GraceSeconds, GraceAtMost: d.GraceAtMost,
		}
		w.Type, w.Precondition = graph.WriteDelete, graph.Precondition{}
	}
	return w
}
