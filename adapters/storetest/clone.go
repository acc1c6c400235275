package storetest

import (
	"slices"

	"github.com/ownergraph/ownergraph"
)

// cloneChange returns a copy that shares nothing with the change.
func cloneChange(c ownergraph.Change) ownergraph.Change {
	c.DropOwners, c.Relink, c.Unblock = slices.Clone(c.DropOwners), slices.Clone(c.Relink), slices.Clone(c.Unblock)
	if c.AddOwner != nil {
		owner := *c.AddOwner
		c.AddOwner = &owner
	}
	return c
}

// cloneWrites returns copies that share nothing with the writes.
func cloneWrites(writes []ownergraph.Write) []ownergraph.Write {
	writes = slices.Clone(writes)
	for i := range writes {
		w := &writes[i]
		w.Change = cloneChange(w.Change)
		if w.Options.GraceSeconds != nil {
			seconds := *w.Options.GraceSeconds
			w.Options.GraceSeconds = &seconds
		}
		if w.Options.Cause != nil {
			cause := *w.Options.Cause
			w.Options.Cause = &cause
		}
	}
	return writes
}
