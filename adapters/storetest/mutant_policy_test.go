package storetest

import (
	"context"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfPolicies() []mutant {
	return []mutant{
		{name: "an update drops policies", law: "policy/kept", reason: "no column for the field", plant: updating(withoutPolicies)},
		{name: "a read drops policies", law: "policy/kept", reason: "a column that is written and never read", plant: reading(
			func(_ ownergraph.Key, o ownergraph.Object, err error) (ownergraph.Object, error) {
				return withoutPolicies(o), err
			})},
		{name: "a watch drops policies", law: "policy/kept", reason: "events have a type of their own", plant: watching(
			func() func(ownergraph.Event, sinkFunc) error {
				return func(e ownergraph.Event, sink sinkFunc) error {
					e.Object = withoutPolicies(e.Object)
					return sink(e)
				}
			})},
		{name: "a patch drops the policy of its owner", law: "policy/kept", reason: "the statement lists the columns", plant: changing(
			func(c ownergraph.Change) ownergraph.Change {
				if c.AddOwner != nil {
					owner := *c.AddOwner
					owner.OnDelete = graph.OnDeleteUnset
					c.AddOwner = &owner
				}
				return c
			})},
		{name: "a policy is refused without ErrInvalid", law: "policy/kept", reason: "an error of the driver", plant: refusingPolicies(graph.ErrRefused)},
		{name: "cascade is written as unset", law: policyKept, reason: "a column that knows two policies", plant: updating(func(o ownergraph.Object) ownergraph.Object {
			o = o.Clone()
			for i, r := range o.Owners {
				if r.OnDelete == graph.OnDeleteCascade {
					o.Owners[i].OnDelete = graph.OnDeleteUnset
				}
			}
			return o
		})},
		{name: "an update keeps the former policy", law: policyChanged, reason: "the row of a reference is inserted, and never updated", plant: keepingPolicies},
	}
}

// keepingPolicies updates no policy of a reference that the object has.
func keepingPolicies(_ TB, s Subject) Subject {
	store, u := s.Store, &wrappedClient{Client: s.Client}
	u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		live, err := store.Get(ctx, o.Key)
		if err != nil {
			return ownergraph.Object{}, err
		}
		o = o.Clone()
		for i, r := range o.Owners {
			if at := slices.IndexFunc(live.Owners, r.Same); at >= 0 {
				o.Owners[i].OnDelete = live.Owners[at].OnDelete
			}
		}
		return u.Client.Update(ctx, o)
	}
	s.Client = u
	return s
}

func withoutPolicies(o ownergraph.Object) ownergraph.Object {
	o = o.Clone()
	for i := range o.Owners {
		o.Owners[i].OnDelete = graph.OnDeleteUnset
	}
	return o
}

// refusingPolicies is a store without a place for a policy. It is sound with ErrInvalid.
func refusingPolicies(with error) func(TB, Subject) Subject {
	refuse := func(owners []ownergraph.Owner) error {
		for i, r := range owners {
			if r.OnDelete != graph.OnDeleteUnset {
				return fmt.Errorf("owners[%d].onDelete: no place for it: %w", i, with)
			}
		}
		return nil
	}
	return func(_ TB, s Subject) Subject {
		sound, u := s.Store, &wrappedClient{Client: s.Client}
		s.Store = &wrapper{Store: sound, patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			if c.AddOwner != nil {
				if err := refuse([]ownergraph.Owner{*c.AddOwner}); err != nil {
					return err
				}
			}
			return sound.Patch(ctx, key, pre, c)
		}}
		u.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			if err := refuse(o.Owners); err != nil {
				return ownergraph.Object{}, err
			}
			return u.Client.Create(ctx, o)
		}
		u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
			if err := refuse(o.Owners); err != nil {
				return ownergraph.Object{}, err
			}
			return u.Client.Update(ctx, o)
		}
		s.Client = u
		return s
	}
}
