package memory

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// check stands at the door: it returns why the store does not take o, whose
// references are resolved.
func (s *State) check(verb string, o graph.Object) error {
	if err := graph.Validate(o, s.conf.limits); err != nil {
		return fmt.Errorf("%s: %w: %w", verb, graph.ErrRefused, err)
	}
	return s.checkOwners(verb, o)
}

// checkOwners returns why an owner of o may own nothing, or nil.
func (s *State) checkOwners(verb string, o graph.Object) error {
	for i, r := range o.Owners {
		if sh, _ := s.shelves.get(r.Kind); sh.served && sh.info.NoOwner {
			return invalid(verb, o.Key, fmt.Sprintf("owners[%d].kind", i), "may not own")
		}
	}
	return nil
}

// resolveAll returns a copy of o with its references resolved.
func (s *State) resolveAll(o graph.Object) graph.Object {
	o = o.Clone()
	for i, r := range o.Owners {
		o.Owners[i] = s.resolve(o.Key, r)
	}
	return o
}

// resolve returns the reference as the store understands it: see the package's
// comment, "Owner references".
func (s *State) resolve(dep graph.Key, r graph.Owner) graph.Owner {
	sh, _ := s.shelves.get(r.Kind)
	switch {
	case !sh.served:
		r.Unresolved = true
	case !sh.info.Scoped || r.Scope != "":
	case dep.Scope == "":
		r.Unresolved = true
	case !r.Unresolved:
		r.Scope = dep.Scope
	}
	return r
}

// admits returns why nothing may be created in the key's scope, or nil.
func (s *State) admits(verb string, key graph.Key) error {
	if s.conf.scopes == "" || key.Scope == "" {
		return nil
	}
	sh, _ := s.shelves.get(s.conf.scopes)
	scope, ok := sh.objects.get(graph.Key{Kind: s.conf.scopes, Name: key.Scope})
	switch {
	case !ok:
		return fmt.Errorf("%s %s: scope: there is no %s %q: %w", verb, name(key), s.conf.scopes, key.Scope, graph.ErrRefused)
	case scope.Deleting:
		return fmt.Errorf("%s %s: scope: it is being deleted: %w", verb, name(key), graph.ErrRefused)
	}
	return nil
}

func invalid(verb string, key graph.Key, field, cause string) error {
	return fmt.Errorf("%s %s: %s: %s: %w, %w", verb, name(key), field, cause, graph.ErrRefused, graph.ErrInvalid)
}
