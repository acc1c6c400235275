package main

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// resolve gives the new references of an object the scope of their owners, as adapters/memory
// does. A reference to a kind that is not served is Unresolved. The kinds are those of the
// write's own transaction.
func (t *tx) resolve(live, next graph.Object) (graph.Object, error) {
	if len(next.Owners) == 0 {
		return next, nil
	}
	kinds, err := t.kinds()
	if err != nil {
		return next, err
	}
	next.Owners = slices.Clone(next.Owners)
	for i, r := range next.Owners {
		if slices.Contains(live.Owners, r) {
			continue
		}
		at := slices.IndexFunc(kinds, func(k kind) bool { return k.info.Kind == r.Kind && k.served })
		if at < 0 && t.s.has(PatchResolvesUnserved) && t.verb == "patch" {
			continue
		}
		next.Owners[i] = r.Resolve(next.Key, at >= 0 && kinds[at].info.Scoped, at >= 0)
	}
	return next, nil
}

// fillIn is for a planted bug. It gives the owners of the caller's object its own scope.
func (s *Store) fillIn(o graph.Object) {
	if !s.has(FilledInPlace) {
		return
	}
	for i := range o.Owners {
		r := &o.Owners[i]
		if r.Scope == "" && slices.ContainsFunc(s.memo.kinds, func(k kind) bool { return k.info.Kind == r.Kind && k.info.Scoped }) {
			r.Scope = o.Scope
		}
	}
}
