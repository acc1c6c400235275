package storetest

import (
	"context"
	"errors"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// answering replaces the errors of the store's three calls.
func answering(other func(error) error) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		sound := s.Store
		s.Store = &wrapper{
			Store: sound,
			get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
				o, err := sound.Get(ctx, key)
				return o, other(err)
			},
			patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
				return other(sound.Patch(ctx, key, pre, c))
			},
			delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
				return other(sound.Delete(ctx, key, opts))
			},
		}
		return s
	}
}

// unwrapped returns an error with the same text that wraps nothing.
func unwrapped(of error) func(error) error {
	return func(err error) error {
		if errors.Is(err, of) {
			return errors.New(err.Error())
		}
		return err
	}
}

func mutantsOfErrors() []mutant {
	return []mutant{
		{name: "not found is not wrapped", law: "error/not-found", reason: "%v in place of %w", plant: answering(unwrapped(graph.ErrNotFound))},
		{name: "conflict is not wrapped", law: "error/conflict", reason: "%v in place of %w", plant: answering(unwrapped(graph.ErrConflict))},
		{name: "kind unknown is not wrapped", law: "error/kind-unknown", reason: "%v in place of %w",
			plant: answering(unwrapped(graph.ErrKindUnknown))},
		{name: "refused is not wrapped", law: "error/refused", reason: "%v in place of %w", plant: answering(unwrapped(graph.ErrRefused))},
		{name: "an owner of an absent object is added", law: "error/not-found", reason: "INSERT of the reference, without a look at the object",
			plant: patching(func(sound ownergraph.Store) patchFunc {
				return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
					if err := sound.Patch(ctx, key, pre, c); c.AddOwner == nil || !errors.Is(err, graph.ErrNotFound) {
						return err
					}
					return nil
				}
			})},
		{name: "an orphan deletion of an old version is refused", law: "error/conflict", reason: "a propagation has a path of its own",
			plant: deleting(func(sound ownergraph.Store) deleteFunc {
				return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
					err := sound.Delete(ctx, key, opts)
					if errors.Is(err, graph.ErrConflict) && opts.Propagation == ownergraph.Orphan {
						return graph.ErrRefused
					}
					return err
				}
			})},
		{name: "a conflict is also not found", law: "error/conflict", reason: "an error that wraps two sentinels says neither",
			plant: answering(func(err error) error {
				if errors.Is(err, graph.ErrConflict) {
					return errors.Join(err, graph.ErrNotFound)
				}
				return err
			})},
	}
}
