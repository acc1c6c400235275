package replica

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Create adds an object by the rules of finalizer.Create, and makes its UID and
// version. The Create of memory.Store documents the errors.
func (s *State) Create(o graph.Object) (Commit, error) {
	const verb = "create"
	t, err := s.table(verb, o.Key)
	if err != nil {
		return Commit{}, err
	}
	if t.info.Scoped != (o.Scope != "") {
		return Commit{}, invalid(verb, o.Key, "scope", scopeRule(t.info))
	}
	out, err := finalizer.Create(s.resolveAll(o), s.conf.limits)
	if err == nil {
		err = s.checkOwners(verb, out.Object)
	}
	if err != nil {
		return Commit{}, err
	}
	if err := s.admits(verb, o.Key); err != nil {
		return Commit{}, err
	}
	if old, taken := t.objects.get(o.Place()); taken {
		return Commit{}, fmt.Errorf("%s %s: name: taken by uid %q: %w", verb, name(o.Key), old.UID, graph.ErrConflict)
	}
	if err := s.judgeOwners(verb, nil, out.Object); err != nil {
		return Commit{}, err
	}
	out.Object.UID = s.nextUID(o.Owners)
	return s.commit(t, out), nil
}

// Update replaces the object at o's coordinates by o, by the rules of finalizer.Update.
// The Update of memory.Store documents the errors.
func (s *State) Update(o graph.Object) (Commit, error) {
	const verb = "update"
	t, live, err := s.find(verb, o.Key)
	if err != nil {
		return Commit{}, err
	}
	out, err := finalizer.Update(*live, s.resolveAll(o))
	if err == nil && out.Effect == finalizer.Stored {
		err = s.checkWrite(verb, live, out.Object)
	}
	if err == nil {
		err = s.keep(t, live, out, nil)
	}
	if err != nil {
		return Commit{}, err
	}
	return s.commit(t, out), nil
}

// Patch applies change to the object at key's coordinates, if pre is met, by the rules
// of finalizer.Patch. The Patch of memory.Store documents the errors.
func (s *State) Patch(key graph.Key, pre graph.Precondition, change graph.Change) (Commit, error) {
	const verb = "patch"
	t, live, err := s.reach(verb, key)
	if err != nil {
		return Commit{}, err
	}
	if change.AddOwner != nil {
		owner := s.resolve(live.Key, *change.AddOwner)
		change.AddOwner = &owner
	}
	out, err := finalizer.Patch(*live, pre, change)
	adds := change.AddOwner != nil || len(change.Relink) > 0 || change.AddFinalizer != ""
	if err == nil && adds && out.Effect == finalizer.Stored {
		err = s.checkWrite(verb, live, out.Object)
	}
	if err == nil {
		err = s.keep(t, live, out, nil)
	}
	if err != nil {
		return Commit{}, err
	}
	return s.commit(t, out), nil
}

// Delete deletes the object at key's coordinates, by the rules of finalizer.Delete. The
// Delete of memory.Store documents the errors.
func (s *State) Delete(key graph.Key, opts graph.DeleteOptions) (Commit, error) {
	t, live, err := s.reach("delete", key)
	if err != nil {
		return Commit{}, err
	}
	out, err := finalizer.Delete(*live, opts, s.conf.propagation[key.Kind])
	if err == nil {
		err = s.checkRestricted(live)
	}
	if err == nil {
		err = s.keep(t, live, out, &opts)
	}
	if err != nil {
		return Commit{}, err
	}
	return s.commit(t, out), nil
}

// commit carries an outcome out. The state takes over the object of the outcome.
func (s *State) commit(t table, out finalizer.Outcome) Commit {
	o := &out.Object
	switch out.Effect {
	case finalizer.Stored:
		o.Version = s.nextVersion()
		s.put(t, o)
	case finalizer.Removed:
		s.nextVersion()
		s.remove(t, o)
	}
	return Commit{out.Effect, o, s.Version()}
}

// nextUID makes a UID. It skips recorded UIDs. It also skips UIDs that the new object
// refers to, because the object would own itself. Both sets are finite.
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
