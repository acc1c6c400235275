package storetest

import (
	"context"
	"errors"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// answering has the store's three calls answer other errors.
func answering(other func(error) error) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		sound := s.Store
		s.Store = &door{
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

// unwrapped has the text of an error, and wraps nothing.
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
		{name: "not found is not wrapped", law: "error/not-found", reason: "%v in place of %w", spoil: answering(unwrapped(graph.ErrNotFound))},
		{name: "conflict is not wrapped", law: "error/conflict", reason: "%v in place of %w", spoil: answering(unwrapped(graph.ErrConflict))},
		{name: "kind unknown is not wrapped", law: "error/kind-unknown", reason: "%v in place of %w",
			spoil: answering(unwrapped(graph.ErrKindUnknown))},
		{name: "refused is not wrapped", law: "error/refused", reason: "%v in place of %w", spoil: answering(unwrapped(graph.ErrRefused))},
		{name: "a conflict is also not found", law: "error/conflict", reason: "an error that wraps two sentinels says neither",
			spoil: answering(func(err error) error {
				if errors.Is(err, graph.ErrConflict) {
					return errors.Join(err, graph.ErrNotFound)
				}
				return err
			})},
	}
}
