package memory

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// A write's results, in all four: the event that a watch reports, of type Put
// or Gone, or the zero Event where nothing changed; and the object as it is now,
// or as it was last. Both belong to the caller.

// Create adds an object, as finalizer.Create says, and makes its UID and version.
//
// Errors: ErrKindUnknown; ErrConflict where the place is taken; those of
// finalizer.Create; ErrRefused and ErrInvalid for a scope that its kind does not
// have, or an owner whose kind may not own; ErrRefused for a scope that does not
// take anything: see Config.Scopes.
func (s *State) Create(o graph.Object) (graph.Event, graph.Object, error) {
	return report(s.create(o))
}

// Update replaces the object at o's coordinates by o, as finalizer.Update says.
// UID and Version are preconditions; empty demands nothing.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Update, and Create's
// for what o carries.
func (s *State) Update(o graph.Object) (graph.Event, graph.Object, error) {
	return report(s.update(o))
}

// Patch applies change to the object at key's coordinates, if pre holds, as
// finalizer.Patch says. A change that only takes away is never judged by what
// it leaves, so what is flawed can be freed. DropOwners and Unblock name
// references as Get returns them.
//
// Errors: ErrKindUnknown, ErrNotFound, ErrSick, those of finalizer.Patch, and
// Create's for what a change adds.
func (s *State) Patch(key graph.Key, pre graph.Precondition, change graph.Change) (graph.Event, graph.Object, error) {
	return report(s.patch(key, pre, change))
}

// Delete deletes the object at key's coordinates, as finalizer.Delete says. A
// nil grace stands for none.
//
// Errors: ErrKindUnknown, ErrNotFound, ErrSick, and those of finalizer.Delete.
func (s *State) Delete(key graph.Key, opts graph.DeleteOptions) (graph.Event, graph.Object, error) {
	return report(s.delete(key, opts))
}

// commit is what a write did. Its object is immutable.
type commit struct {
	effect finalizer.Effect
	object *graph.Object
}

func report(c commit, err error) (graph.Event, graph.Object, error) {
	if err != nil {
		return graph.Event{}, graph.Object{}, err
	}
	return c.event(), c.object.Clone(), nil
}

func (c commit) event() graph.Event {
	switch c.effect {
	case finalizer.Stored:
		return graph.Event{Type: graph.Put, Object: c.object.Clone()}
	case finalizer.Removed:
		return graph.Event{Type: graph.Gone, Key: c.object.Key}
	}
	return graph.Event{}
}

func (s *State) create(o graph.Object) (commit, error) {
	const verb = "create"
	sh, err := s.shelf(verb, o.Key)
	if err != nil {
		return commit{}, err
	}
	if sh.info.Scoped != (o.Scope != "") {
		return commit{}, invalid(verb, o.Key, "scope", scopeRule(sh.info))
	}
	out, err := finalizer.Create(s.resolveAll(o), s.conf.limits)
	if err == nil {
		err = s.checkOwners(verb, out.Object)
	}
	if err != nil {
		return commit{}, err
	}
	if err := s.admits(verb, o.Key); err != nil {
		return commit{}, err
	}
	if old, taken := sh.objects.get(o.Place()); taken {
		return commit{}, fmt.Errorf("%s %s: name: taken by uid %q: %w", verb, name(o.Key), old.UID, graph.ErrConflict)
	}
	out.Object.UID = s.nextUID(o.Owners)
	return s.commit(sh, out), nil
}

func (s *State) update(o graph.Object) (commit, error) {
	const verb = "update"
	sh, live, err := s.find(verb, o.Key)
	if err != nil {
		return commit{}, err
	}
	out, err := finalizer.Update(*live, s.resolveAll(o))
	if err == nil && out.Effect == finalizer.Stored {
		err = s.check(verb, out.Object)
	}
	if err != nil {
		return commit{}, err
	}
	return s.commit(sh, out), nil
}

func (s *State) patch(key graph.Key, pre graph.Precondition, change graph.Change) (commit, error) {
	const verb = "patch"
	sh, live, err := s.reach(verb, key)
	if err != nil {
		return commit{}, err
	}
	if change.AddOwner != nil {
		owner := s.resolve(live.Key, *change.AddOwner)
		change.AddOwner = &owner
	}
	out, err := finalizer.Patch(*live, pre, change)
	adds := change.AddOwner != nil || change.AddFinalizer != ""
	if err == nil && adds && out.Effect == finalizer.Stored {
		err = s.check(verb, out.Object)
	}
	if err != nil {
		return commit{}, err
	}
	return s.commit(sh, out), nil
}

func (s *State) delete(key graph.Key, opts graph.DeleteOptions) (commit, error) {
	sh, live, err := s.reach("delete", key)
	if err != nil {
		return commit{}, err
	}
	out, err := finalizer.Delete(*live, opts, s.conf.propagation[key.Kind])
	if err != nil {
		return commit{}, err
	}
	return s.commit(sh, out), nil
}

// commit carries an outcome out. Its object is nobody else's.
func (s *State) commit(sh shelf, out finalizer.Outcome) commit {
	o := &out.Object
	switch out.Effect {
	case finalizer.Stored:
		o.Version = s.next()
		s.put(sh, o)
	case finalizer.Removed:
		s.next()
		s.remove(sh, o)
	}
	return commit{out.Effect, o}
}

// nextUID makes a UID. It passes over those that were recorded, and those that
// the new object refers to, lest it owns itself: both are finitely many.
func (s *State) nextUID(owners []graph.Owner) graph.UID {
	for {
		s.uids++
		u := s.conf.uid(s.uids)
		named := slices.ContainsFunc(owners, func(r graph.Owner) bool { return r.UID == u })
		if !named && !s.conf.recorded[u] {
			return u
		}
	}
}
