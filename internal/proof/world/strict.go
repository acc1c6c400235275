package world

import (
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// Refuses reports whether a store of level 3 refuses a user's action because of a
// reference, or because of an object that restricts the deleted one. Like the oracle it lets
// an action without an effect pass.
func (w *World) Refuses(a oracle.Action) bool {
	a = w.resolved(a)
	live, lives := w.Store.At(a.Object.Key)
	var had, refs []graph.Owner
	switch {
	case a.Verb == oracle.Create && !lives:
		refs = a.Object.Owners
	case !lives || live.UID != a.Object.UID:
		return false
	case a.Verb == oracle.Foreground || a.Verb == oracle.Background || a.Verb == oracle.Orphan:
		return w.Store.restricted(live) != nil
	case a.Verb == oracle.AddRef || a.Verb == oracle.Flip || a.Verb == oracle.Repolicy:
		out, err := change(live, a)
		if err != nil {
			return false
		}
		had, refs = live.Owners, out.Object.Owners
	}
	return slices.ContainsFunc(refs, func(r graph.Owner) bool {
		old := func(p graph.Owner) bool { return p.Same(r) && (p.Block || !r.Block) && p.OnDelete == r.OnDelete }
		return !r.Unresolved && !slices.ContainsFunc(had, old) && !w.takes(r)
	})
}

// takes reports whether the object that the reference names may get it.
func (w *World) takes(r graph.Owner) bool {
	o, ok := w.Store.At(r.Key)
	return ok && o.Key == r.Key && !o.Waiting() && !o.Orphaning() && !(o.Deleting && r.OnDelete == graph.OnDeleteRestrict)
}

// restricted returns the error of an engine's delete that a store of level 3 refuses. A conflict comes
// first.
func (w *World) restricted(c engine.Call) error {
	live, lives := w.Store.At(c.Key)
	if !w.Strict || !lives || !c.Options.Precondition.Holds(live) {
		return nil
	}
	return w.Store.restricted(live)
}

// restricted returns the error of a store of level 3 for a deletion of an unmarked object that others
// restrict, nil for none (RULES, E4).
func (s *Store) restricted(live graph.Object) error {
	if live.Deleting {
		return nil
	}
	var by []graph.Key
	for _, d := range s.objects {
		if finalizer.Restricts(d, live) {
			by = append(by, d.Key)
		}
	}
	if len(by) == 0 {
		return nil
	}
	return graph.NewRestrictedError(live.Key, by)
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
