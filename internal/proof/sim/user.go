package sim

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

const maxOwners = 5

var verbs = [...]oracle.Verb{
	oracle.Background, oracle.Foreground, oracle.Orphan, oracle.Background, oracle.Foreground, oracle.Orphan,
	oracle.Touch, oracle.Strip, oracle.Finish, oracle.AddRef, oracle.AddRef, oracle.DropRef, oracle.Flip,
	oracle.Create, oracle.Create, oracle.Create, oracle.Recreate, oracle.Grace0, oracle.VerbUnset,
}

func (s *sim) acts(how op, o graph.Object) step {
	return step{op: how, action: &oracle.Action{Object: o}}
}

// user draws an action of a user or a controller on the present store.
func (s *sim) user() step {
	objects := s.w.Store.Objects()
	if s.o.tenancy.labelled() && len(objects) > 0 && s.rng.IntN(4) == 0 {
		return s.relabel(objects)
	}
	if s.o.has(brakes) && len(objects) > 0 && s.rng.IntN(2) == 0 {
		return s.crowd(objects)
	}
	if s.o.has(guards) && len(objects) > 0 && s.rng.IntN(3) == 0 {
		return s.guardMove(objects)
	}
	if s.o.has(policies) && len(objects) > 0 && s.rng.IntN(8) == 0 {
		if st, ok := s.repolicy(objects); ok {
			return st
		}
	}
	if s.o.has(periods) && len(objects) > 0 && s.rng.IntN(3) == 0 {
		return s.periodMove(objects)
	}
	if s.o.has(archives) && s.rng.IntN(4) == 0 {
		if st, ok := s.undelete(); ok {
			return st
		}
	}
	verb := verbs[s.rng.IntN(len(verbs))]
	if len(objects) < s.o.objects && s.rng.IntN(3) == 0 || len(objects) == 0 {
		verb = oracle.Create
	}
	st := step{op: opUser, action: &oracle.Action{Verb: verb}}
	switch verb {
	case oracle.VerbUnset:
		st.op, st.action.Object.Key = opAck, s.target(objects).Key
	case oracle.Create:
		st.action.Object = s.creation(objects)
	case oracle.Recreate:
		st.action.Object.Key = s.pool[s.rng.IntN(len(s.pool))]
	case oracle.AddRef, oracle.DropRef, oracle.Flip:
		s.edit(st.action, objects)
	default:
		st.action.Object.Key = s.target(objects).Key
	}
	return st
}

// creation draws a new object, the next incarnation of a name that may be taken.
func (s *sim) creation(objects []graph.Object) graph.Object {
	k := s.pool[s.rng.IntN(len(s.pool))]
	o := graph.Object{Key: s.w.Store.Next(k)}
	for range min(s.rng.IntN(3), len(objects)) {
		owner := objects[s.rng.IntN(len(objects))].Key
		if ref, ok := s.reference(k, owner); ok && !slices.ContainsFunc(o.Owners, ref.Same) {
			o.Owners = append(o.Owners, ref)
		}
	}
	if s.rng.IntN(4) == 0 {
		o.Finalizers = []string{[]string{"foreign", handled, graph.FinalizerOrphan, graph.FinalizerForeground}[s.rng.IntN(4)]}
	}
	s.o.freed(s.rng, &o)
	return o
}

// reference draws an owner reference of dep to owner, or to an object that a user makes
// later. The UIDs of this store can be foreseen.
func (s *sim) reference(dep, owner graph.Key) (graph.Owner, bool) {
	if s.o.has(forgeries) && s.rng.IntN(3) == 0 {
		owner = s.w.Store.Next(s.pool[s.rng.IntN(len(s.pool))])
	}
	return s.o.reference(s.rng, dep, owner)
}

// edit draws a change of one reference of an object.
func (s *sim) edit(a *oracle.Action, objects []graph.Object) {
	dep := &objects[s.rng.IntN(len(objects))]
	a.Object.Key = dep.Key
	if a.Verb == oracle.AddRef && len(dep.Owners) < maxOwners {
		ref, ok := s.reference(dep.Key, s.target(objects).Key)
		if a.Object.Owners = []graph.Owner{ref}; ok {
			return
		}
	}
	a.Object.Owners = nil
	if len(dep.Owners) == 0 {
		a.Verb = oracle.Touch
		return
	}
	if a.Verb == oracle.AddRef {
		a.Verb = oracle.DropRef
	}
	a.Object.Owners = []graph.Owner{{Key: dep.Owners[s.rng.IntN(len(dep.Owners))].Key}}
}

// target draws an object. It prefers objects that have dependents or a mark.
func (s *sim) target(objects []graph.Object) *graph.Object {
	o := &objects[s.rng.IntN(len(objects))]
	if s.o.has(sweeps) && s.rng.IntN(3) == 0 {
		for range 4 {
			if x := &objects[s.rng.IntN(len(objects))]; x.Kind == tenants || x.Kind == spaces {
				return x
			}
		}
	}
	switch s.rng.IntN(4) {
	case 0, 1: // an owner
		if len(o.Owners) > 0 {
			k := o.Owners[s.rng.IntN(len(o.Owners))].Key
			if i := slices.IndexFunc(objects, func(x graph.Object) bool { return x.Key == k }); i >= 0 {
				return &objects[i]
			}
		}
	case 2:
		for range 4 {
			if x := &objects[s.rng.IntN(len(objects))]; x.Deleting {
				return x
			}
		}
	}
	return o
}
