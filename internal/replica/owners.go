package replica

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// checkWrite returns the reason to refuse next in the place of live, or nil. The references
// of next are resolved.
func (s *State) checkWrite(verb string, live *graph.Object, next graph.Object) error {
	if err := graph.Validate(next, s.conf.limits); err != nil {
		return fmt.Errorf("%s: %w: %w", verb, graph.ErrRefused, err)
	}
	if err := s.checkOwners(verb, next); err != nil {
		return err
	}
	return s.judgeOwners(verb, live.Owners, next)
}

// checkOwners returns an error if o refers to a kind that may not own.
func (s *State) checkOwners(verb string, o graph.Object) error {
	for i, r := range o.Owners {
		if t, _ := s.tables.get(r.Kind); t.served && t.info.NoOwner {
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

// resolve returns the reference with the scope that the state gives it. The package
// comment has the rules, under "Owner references".
//
//test:by TestResolve
func (s *State) resolve(dep graph.Key, r graph.Owner) graph.Owner {
	t, _ := s.tables.get(r.Kind)
	return r.Resolve(dep, t.info.Scoped, t.served)
}

// admits returns the reason why the key's scope admits no new objects, or nil.
func (s *State) admits(verb string, key graph.Key) error {
	if s.conf.scopes == "" || key.Scope == "" {
		return nil
	}
	t, _ := s.tables.get(s.conf.scopes)
	scope, ok := t.objects.get(graph.Key{Kind: s.conf.scopes, Name: key.Scope})
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
