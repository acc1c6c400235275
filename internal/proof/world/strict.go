package world

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// Refuses reports whether a store of level 3 refuses a user's action because of a
// reference. Like the oracle it lets an action without an effect pass.
func (w *World) Refuses(a oracle.Action) bool {
	a = w.resolved(a)
	live, lives := w.Store.At(a.Object.Key)
	var had, refs []graph.Owner
	switch {
	case a.Verb == oracle.Create && !lives:
		refs = a.Object.Owners
	case a.Verb == oracle.AddRef || a.Verb == oracle.Flip:
		if !lives || live.UID != a.Object.UID {
			return false
		}
		out, err := change(live, a)
		if err != nil {
			return false
		}
		had, refs = live.Owners, out.Object.Owners
	}
	return slices.ContainsFunc(refs, func(r graph.Owner) bool {
		old := func(p graph.Owner) bool { return p.Same(r) && (p.Block || !r.Block) }
		return !r.Unresolved && !slices.ContainsFunc(had, old) && !w.takes(r.Key)
	})
}

// takes reports whether the object with this key may get a dependent.
func (w *World) takes(k graph.Key) bool {
	o, ok := w.Store.At(k)
	return ok && o.Key == k && !o.Waiting() && !o.Orphaning()
}

// resolved returns the action with its new references to unserved kinds unresolved, as a
// store writes them.
func (w *World) resolved(a oracle.Action) oracle.Action {
	if a.Verb != oracle.Create && a.Verb != oracle.AddRef {
		return a
	}
	a.Object.Owners = slices.Clone(a.Object.Owners)
	for i := range a.Object.Owners {
		if r := &a.Object.Owners[i]; w.serves(r.Key) != nil {
			r.Unresolved = true
		}
	}
	return a
}
