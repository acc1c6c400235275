package etcdstore

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// check returns the reason to refuse o, whose references are resolved, or nil.
func (s *Store) check(verb string, o graph.Object) error {
	if err := graph.Validate(o, s.conf.Limits); err != nil {
		return fmt.Errorf("%s: %w: %w", verb, graph.ErrRefused, err)
	}
	return s.checkOwners(verb, o)
}

// checkOwners returns an error if o refers to a kind that may not own.
func (s *Store) checkOwners(verb string, o graph.Object) error {
	for i, r := range o.Owners {
		if s.kinds[r.Kind].info.NoOwner {
			return (&item{verb: verb, key: o.Key}).invalid(fmt.Sprintf("owners[%d].kind", i), "may not own")
		}
	}
	return nil
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
