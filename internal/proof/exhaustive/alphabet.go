package exhaustive

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	"github.com/ownergraph/ownergraph/internal/proof/world"
)

// Users says what users may do.
type Users uint8

const (
	// UsersUnset: all actions except touches.
	UsersUnset Users = iota
	// Deleting: users delete in the foreground and in the background, strip finalizers
	// of propagation, and remove foreign finalizers.
	Deleting
	// Adopting: as Deleting, and users add plain references.
	Adopting
	// Touching: all actions, and users write an object anew without a change.
	Touching
	// Restoring: all actions except touches and creations. This search does not model
	// the UIDs that a restored store gives to later incarnations.
	Restoring
	// Foreseeing: users delete in the background, create gone objects again, and write
	// objects anew without a change. They also refer to incarnations that are made
	// later.
	Foreseeing
	// Guarding: users delete the guarded root, and its owners, in three ways and again. They
	// approve the deletion, protect objects and end that, create the root again, and let an
	// object refer to the root late.
	Guarding
	// Rebinding: as Deleting, and users delete with orphan, and give references other policies.
	Rebinding
	// Undeleting: as Deleting, and users delete with orphan, and restore what has ended. The store
	// keeps entries.
	Undeleting
)

// actions collects the possible actions on a store.
type actions struct {
	store *world.Store
	out   []oracle.Action
}

func (a *actions) add(v oracle.Verb, k graph.Key, owners ...graph.Owner) {
	a.out = append(a.out, oracle.Action{Verb: v, Object: graph.Object{Key: k, Owners: owners}})
}

// alphabet returns the possible actions of a user on the present store:
//
//   - delete each object in three ways, also a marked one
//   - strip a propagation finalizer, and remove other finalizers
//   - add a plain or blocking reference to any named object, or to any live one
//   - drop a reference
//   - create a gone object again, under the same name
func alphabet(s *world.Store, start []graph.Object, users Users) []oracle.Action {
	if users == Guarding {
		a := actions{store: s}
		a.guarding(start)
		return a.out
	}
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
		if !users.fewer() || users == Rebinding || users == Undeleting {
			add(oracle.Orphan, o.Key)
		}
		if o.Deleting && o.Propagation() != graph.Unset {
			add(oracle.Strip, o.Key)
		}
		if slices.Contains(o.Finalizers, foreign) {
			add(oracle.Finish, o.Key)
		}
		if users == Rebinding {
			out = append(out, rebinding(o)...)
		}
		if users.fewer() && users != Adopting {
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
	return append(out, undeleting(s, users)...)
}

// foreseeing returns the possible actions of Foreseeing users on the i-th object, which
// is o if it lives.
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

// fewer reports whether users have few sorts of actions, so that the search affords
// more of them.
func (u Users) fewer() bool {
	return u == Deleting || u == Adopting || u == Rebinding || u == Undeleting
}

// rebinding returns the possible changes of the policies of an object's references: to the next
// policy of each.
func rebinding(o graph.Object) (out []oracle.Action) {
	for _, r := range o.Owners {
		next := graph.Owner{Key: r.Key, OnDelete: (r.OnDelete + 1) % (graph.OnDeleteCascade + 1)}
		out = append(out, oracle.Action{Verb: oracle.Repolicy, Object: graph.Object{Key: o.Key, Owners: []graph.Owner{next}}})
	}
	return out
}

// incarnations returns the keys of a name to which a reference may lead. They are those
// of the first incarnation, which may be gone, and of the live one.
func incarnations(s *world.Store, first graph.Key) []graph.Key {
	if o, err := s.Get(first); err == nil && o.Key != first {
		return []graph.Key{first, o.Key}
	}
	return []graph.Key{first}
}
