package exhaustive

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/oracle"
	"github.com/ownergraph/ownergraph/internal/world"
)

// Users says what users may do.
type Users uint8

const (
	// UsersUnset: everything but to touch.
	UsersUnset Users = iota
	// Deleting: they delete in the foreground and in the background, strip, and
	// take foreign finalizers off.
	Deleting
	// Adopting: the same, and they add plain references.
	Adopting
	// Touching: everything, and to write an object anew as it is.
	Touching
	// Restoring: everything but to touch and to create. What a restored store
	// calls the next incarnation is no business of this search.
	Restoring
	// Foreseeing: they delete in the background, create objects that are gone again,
	// write objects anew as they are, and refer to incarnations that are still to be
	// made.
	Foreseeing
)

// alphabet returns what a user may do to the store as it is: delete each object
// in three ways, also one that is marked; strip a propagation finalizer, and take
// others off; add a plain or blocking reference to any of the named objects, or to
// any that lives; drop a reference; create an object that is gone again, under the
// same name.
func alphabet(s *world.Store, start []graph.Object, users Users) []oracle.Action {
	var out []oracle.Action
	add := func(v oracle.Verb, k graph.Key, owners ...graph.Owner) {
		out = append(out, oracle.Action{Verb: v, Object: graph.Object{Key: k, Owners: owners}})
	}
	for i, first := range start {
		o, err := s.Get(first.Key)
		if users == Foreseeing {
			for _, a := range foreseeing(s, start, i, o, err == nil) {
				add(a.Verb, a.Object.Key, a.Object.Owners...)
			}
			continue
		}
		if err != nil {
			if !users.fewer() && users != Restoring {
				add(oracle.Recreate, first.Key)
			}
			continue
		}
		if users == Touching {
			add(oracle.Touch, o.Key)
		}
		add(oracle.Background, o.Key)
		add(oracle.Foreground, o.Key)
		if !users.fewer() {
			add(oracle.Orphan, o.Key)
		}
		if o.Deleting && o.Propagation() != graph.Unset {
			add(oracle.Strip, o.Key)
		}
		if slices.Contains(o.Finalizers, foreign) {
			add(oracle.Finish, o.Key)
		}
		if users == Deleting {
			continue
		}
		for j, other := range start {
			if i == j {
				continue
			}
			for _, k := range incarnations(s, other.Key) {
				r := graph.Owner{Key: k}
				switch has := slices.ContainsFunc(o.Owners, r.Same); {
				case has && users != Adopting:
					add(oracle.DropRef, o.Key, r)
				case !has:
					add(oracle.AddRef, o.Key, r)
					if r.Block = true; users != Adopting {
						add(oracle.AddRef, o.Key, r)
					}
				}
			}
		}
	}
	return out
}

// foreseeing returns what such users may do to the i-th object, which is o if it lives.
func foreseeing(s *world.Store, start []graph.Object, i int, o graph.Object, lives bool) []oracle.Action {
	if !lives {
		return []oracle.Action{{Verb: oracle.Recreate, Object: graph.Object{Key: start[i].Key}}}
	}
	out := []oracle.Action{{Verb: oracle.Touch, Object: graph.Object{Key: o.Key}}, {Verb: oracle.Background, Object: graph.Object{Key: o.Key}}}
	for j, other := range start {
		r := graph.Owner{Key: s.Next(other.Key)}
		if i != j && !slices.ContainsFunc(o.Owners, r.Same) {
			out = append(out, oracle.Action{Verb: oracle.AddRef, Object: graph.Object{Key: o.Key, Owners: []graph.Owner{r}}})
		}
	}
	return out
}

// fewer reports whether users do little, so that they may do it more often.
func (u Users) fewer() bool { return u == Deleting || u == Adopting }

// incarnations returns the keys of a name that a reference may be made to: of
// the first incarnation, which may be gone, and of the one that lives.
func incarnations(s *world.Store, first graph.Key) []graph.Key {
	if o, err := s.Get(first); err == nil && o.Key != first {
		return []graph.Key{first, o.Key}
	}
	return []graph.Key{first}
}
