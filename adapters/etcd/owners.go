package etcdstore

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// check returns the reason to refuse o in the place of an object with the references had, or nil. The
// references of o are resolved.
func (s *Store) check(verb string, had []graph.Owner, o graph.Object) error {
	if err := graph.Validate(o, s.conf.Limits); err != nil {
		return fmt.Errorf("%s: %w: %w", verb, graph.ErrRefused, err)
	}
	return s.checkOwners(verb, had, o)
}

// checkOwners returns an error if o refers to a kind that may not own, or has a new policy before
// the prefix has its version.
func (s *Store) checkOwners(verb string, had []graph.Owner, o graph.Object) error {
	it := &item{verb: verb, key: o.Key}
	for i, r := range o.Owners {
		field := fmt.Sprintf("owners[%d]", i)
		switch {
		case s.kinds[r.Kind].info.NoOwner:
			return it.invalid(field+".kind", "may not own")
		case s.acceptedVersion().version < policiesVersion && !keepsPolicy(had, r):
			return it.invalid(field+".onDelete", fmt.Sprintf("%s: Config.Policies begins the use of policies on this prefix", r.OnDelete))
		}
	}
	return nil
}

// keepsPolicy reports whether a reference has no policy, or the one that it had.
func keepsPolicy(had []graph.Owner, r graph.Owner) bool {
	return r.OnDelete == graph.OnDeleteUnset ||
		slices.ContainsFunc(had, func(old graph.Owner) bool { return old.Same(r) && old.OnDelete == r.OnDelete })
}

// resolveAll returns a copy of o with its references resolved.
func (s *Store) resolveAll(o graph.Object) graph.Object {
	o = o.Clone()
	for i, r := range o.Owners {
		o.Owners[i] = s.resolve(o.Key, r)
	}
	return o
}

// resolve returns the reference as the store keeps it. The package comment has the rules,
// under "Owner references".
//
//test:by TestResolve
func (s *Store) resolve(dependent graph.Key, r graph.Owner) graph.Owner {
	layout, served := s.kinds[r.Kind]
	return r.Resolve(dependent, layout.info.Scoped, served)
}
