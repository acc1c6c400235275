package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

type deleteFunc = func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error

// deleting replaces the store's Delete. The replacement gets the sound store.
func deleting(delete func(sound ownergraph.Store) deleteFunc) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		s.Store = &wrapper{Store: s.Store, delete: delete(s.Store)}
		return s
	}
}

// changingOptions deletes with other options than the caller's. They may depend on
// the object.
func changingOptions(other func(live ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions) func(TB, Subject) Subject {
	return deleting(func(sound ownergraph.Store) deleteFunc {
		return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
			if live, err := sound.Get(ctx, key); err == nil {
				opts = other(live, opts)
			}
			return sound.Delete(ctx, key, opts)
		}
	})
}

func mutantsOfDelete() []mutant {
	return []mutant{
		{name: "delete only marks", law: deleteRemoves, reason: "a soft deletion without an end", plant: deleting(onlyMarks)},
		{name: "delete ignores finalizers", law: deleteMarks, reason: "a row is removed with its finalizers", plant: deleting(noFinalizers)},
		{name: "delete ignores the UID", law: deleteUID, reason: "a row is found by its name",
			plant: changingOptions(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				opts.Precondition.UID = ""
				return opts
			})},
		{name: "delete ignores the version", law: deleteVersion, reason: "a delete has no version in its condition",
			plant: changingOptions(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				opts.Precondition.Version = ""
				return opts
			})},
		{name: "delete marks before it compares", law: "delete/conflict-changes-nothing", reason: "no transaction around both", plant: deleting(conflictMarks)},
		{name: "delete cascades", law: "delete/only-this", reason: "ON DELETE CASCADE", plant: cascading},
		{name: "a second delete removes", law: "delete/twice", reason: "a marked object counts as done", plant: deleting(twiceRemoves)},
		{name: "foreground is background", law: "delete/foreground", reason: "the propagation finalizer is not set",
			plant: changingOptions(inPlaceOf(ownergraph.Foreground, ownergraph.Background))},
		{name: "orphan is background", law: "delete/orphan", reason: "the propagation finalizer is not set",
			plant: changingOptions(inPlaceOf(ownergraph.Orphan, ownergraph.Background))},
		{name: "background keeps the finalizer", law: "delete/background", reason: "a later deletion does not change the propagation",
			plant: changingOptions(func(live ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				if live.Deleting && opts.Propagation == ownergraph.Background {
					opts.Propagation = graph.Unset
				}
				return opts
			})},
		{name: "no propagation is background", law: "delete/keeps-propagation", reason: "the object's own finalizer is ignored",
			plant: changingOptions(inPlaceOf(graph.Unset, ownergraph.Background))},
		{name: "the last finalizer does not remove", law: lastFinalizer, reason: "an update removes nothing", plant: patching(lastStays)},
		{name: "any finalizer removes", law: "delete/other-finalizers", reason: "the first finalizer that goes counts as the last", plant: patching(firstRemoves)},
		{name: "a finalizer comes too late", law: "delete/no-new-finalizers", reason: "the mark is ignored", plant: lateFinalizers},
		{name: "an update removes the mark", law: "delete/mark-stays", reason: "the writer's object is stored as it is", plant: unmarking},
		{name: "a UID returns", law: "delete/new-uid", reason: "UIDs are taken from a list of free ones", plant: reusingUIDs},
		{name: "no grace periods", law: deleteGrace, reason: "the option is ignored",
			plant: changingOptions(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				opts.GraceSeconds = nil
				return opts
			})},
		{name: "a grace period never ends", law: "delete/grace-ends", reason: "a grace of 0 counts as none",
			plant: changingOptions(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				if opts.GraceSeconds != nil && *opts.GraceSeconds == 0 {
					opts.GraceSeconds = nil
				}
				return opts
			})},
		{name: "finalizers end the grace period", law: "delete/grace-holds", reason: "only finalizers are counted", plant: patching(impatient)},
		{name: "a period at most is dropped", law: deleteAtMost, reason: "the object's own period of 0 counts as shorter",
			plant: changingOptions(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				if opts.GraceAtMost && opts.GraceSeconds != nil {
					opts.GraceSeconds = grace(0)
				}
				return opts
			})},
		{name: "a period at most extends", law: deleteAtMost, reason: "the longer period counts",
			plant: changingOptions(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				if opts.GraceAtMost && opts.GraceSeconds != nil {
					opts.GraceSeconds = grace(max(*opts.GraceSeconds, 30))
				}
				return opts
			})},
		{name: "at most alone is a period", law: deleteAtMost, reason: "the default of the store counts",
			plant: changingOptions(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				if opts.GraceAtMost && opts.GraceSeconds == nil {
					opts.GraceSeconds = grace(30)
				}
				return opts
			})},
		{name: "the mark raises no generation", law: "delete/generation", reason: "a counter is forgotten", plant: renaming(func(n *renamed) {
			n.object = func(o ownergraph.Object) ownergraph.Object {
				if o.Deleting && o.Generation > 0 {
					o.Generation--
				}
				return o
			}
		})},
	}
}

func inPlaceOf(asked, done graph.Propagation) func(ownergraph.Object, ownergraph.DeleteOptions) ownergraph.DeleteOptions {
	return func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
		if opts.Propagation == asked {
			opts.Propagation = done
		}
		return opts
	}
}

// onlyMarks gives a deletion without a mark a grace period that never ends.
func onlyMarks(sound ownergraph.Store) deleteFunc {
	return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		live, err := sound.Get(ctx, key)
		if err == nil && len(live.Finalizers) == 0 && opts.Propagation.Finalizer() == "" && !live.Deleting && opts.GraceSeconds == nil {
			opts.GraceSeconds = grace(1 << 30)
		}
		return sound.Delete(ctx, key, opts)
	}
}

// noFinalizers removes an object's own finalizers before it deletes.
func noFinalizers(sound ownergraph.Store) deleteFunc {
	return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		live, err := sound.Get(ctx, key)
		if err != nil || live.Deleting || !opts.Precondition.Holds(live) {
			return sound.Delete(ctx, key, opts)
		}
		for _, f := range live.Finalizers {
			if err := sound.Patch(ctx, key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: f}); err != nil {
				return err
			}
		}
		opts.Precondition.Version = ""
		return sound.Delete(ctx, key, opts)
	}
}

func conflictMarks(sound ownergraph.Store) deleteFunc {
	return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		err := sound.Delete(ctx, key, opts)
		if errors.Is(err, graph.ErrConflict) {
			opts.Precondition = ownergraph.Precondition{}
			return errors.Join(err, sound.Delete(ctx, key, opts))
		}
		return err
	}
}

// cascading deletes every known object that refers to the deleted one.
func cascading(_ TB, s Subject) Subject {
	sound, users := s.Store, &wrappedClient{Client: s.Client}
	var made guarded[[]ownergraph.Object]
	users.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		o, err := users.Client.Create(ctx, o)
		made.with(func(list *[]ownergraph.Object) { *list = append(*list, o) })
		return o, err
	}
	s.Client = users
	s.Store = &wrapper{Store: sound, delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		owner, _ := sound.Get(ctx, key)
		err := sound.Delete(ctx, key, opts)
		if err != nil {
			return err
		}
		made.with(func(list *[]ownergraph.Object) {
			for _, o := range *list {
				if slices.ContainsFunc(o.Owners, func(r ownergraph.Owner) bool { return r.UID == owner.UID }) {
					_ = sound.Delete(ctx, o.Key, ownergraph.DeleteOptions{})
				}
			}
		})
		return nil
	}}
	return s
}

func twiceRemoves(sound ownergraph.Store) deleteFunc {
	return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		live, err := sound.Get(ctx, key)
		again := err == nil && live.Deleting && live.GraceSeconds == 0 && opts.Precondition.Holds(live) &&
			(opts.Propagation == graph.Unset || opts.Propagation.Finalizer() == live.Propagation().Finalizer())
		if !again {
			return sound.Delete(ctx, key, opts)
		}
		for _, f := range live.Finalizers {
			_ = sound.Patch(ctx, key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: f})
		}
		return nil
	}
}

// lastStays ignores a patch that would remove the object.
func lastStays(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		live, err := sound.Get(ctx, key)
		if err == nil && pre.Holds(live) && live.Deleting && live.GraceSeconds == 0 && len(c.Apply(live).Finalizers) == 0 {
			return nil // the version stays too, because there is no new state
		}
		return sound.Patch(ctx, key, pre, c)
	}
}

func firstRemoves(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		if err := sound.Patch(ctx, key, pre, c); err != nil || c.DropFinalizer == "" {
			return err
		}
		live, err := sound.Get(ctx, key)
		if err != nil || !live.Deleting || live.GraceSeconds > 0 || live.Propagation() != graph.Unset {
			return nil
		}
		for _, f := range live.Finalizers {
			_ = sound.Patch(ctx, key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: f})
		}
		return nil
	}
}

// lateFinalizers accepts a finalizer that comes too late.
func lateFinalizers(_ TB, s Subject) Subject {
	sound := s.Store
	s.Store = &wrapper{Store: sound, patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		err := sound.Patch(ctx, key, pre, c)
		if errors.Is(err, graph.ErrRefused) && c.AddFinalizer != "" {
			c.AddFinalizer = ""
			return sound.Patch(ctx, key, pre, c)
		}
		return err
	}}
	return s
}

// unmarking shows an updated object without its mark.
func unmarking(_ TB, s Subject) Subject {
	var taken guarded[map[graph.UID]bool]
	u := &wrappedClient{Client: s.Client}
	u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		out, err := u.Client.Update(ctx, o)
		if err == nil && out.Deleting && !o.Deleting {
			taken.with(func(m *map[graph.UID]bool) { *m = map[graph.UID]bool{out.UID: true} })
		}
		return out, err
	}
	sound := s.Store
	s.Client = u
	s.Store = &wrapper{Store: sound, get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
		o, err := sound.Get(ctx, key)
		taken.with(func(m *map[graph.UID]bool) {
			if (*m)[o.UID] {
				o.Deleting = false
			}
		})
		return o, err
	}}
	return s
}

// impatient ends the grace period with the last finalizer.
func impatient(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		if err := sound.Patch(ctx, key, pre, c); err != nil {
			return err
		}
		if live, err := sound.Get(ctx, key); err == nil && live.Deleting && live.GraceSeconds > 0 && len(live.Finalizers) == 0 {
			return sound.Delete(ctx, key, ownergraph.DeleteOptions{GraceSeconds: grace(0)})
		}
		return nil
	}
}
