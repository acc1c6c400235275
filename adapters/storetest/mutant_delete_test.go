package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

type deleteFunc = func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error

// deleting has delete stand in for the sound store's, which it is given.
func deleting(delete func(sound ownergraph.Store) deleteFunc) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		s.Store = &door{Store: s.Store, delete: delete(s.Store)}
		return s
	}
}

// asking has the store delete with other options than it is asked for, which
// may depend on the object.
func asking(other func(live ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions) func(TB, Subject) Subject {
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
		{name: "delete only marks", law: deleteRemoves, reason: "soft deletion that nobody ends", spoil: deleting(onlyMarks)},
		{name: "delete ignores finalizers", law: deleteMarks, reason: "a row is removed, whatever it holds", spoil: deleting(noFinalizers)},
		{name: "delete ignores the UID", law: deleteUID, reason: "a row is found by its name",
			spoil: asking(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				opts.Precondition.UID = ""
				return opts
			})},
		{name: "delete ignores the version", law: deleteVersion, reason: "a delete has no version in its condition",
			spoil: asking(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				opts.Precondition.Version = ""
				return opts
			})},
		{name: "delete marks before it compares", law: "delete/conflict-changes-nothing", reason: "no transaction around both", spoil: deleting(conflictMarks)},
		{name: "delete cascades", law: "delete/only-this", reason: "ON DELETE CASCADE", spoil: cascading},
		{name: "a second delete removes", law: "delete/twice", reason: "what is marked already is taken for done", spoil: deleting(twiceRemoves)},
		{name: "foreground is background", law: "delete/foreground", reason: "the propagation finalizer is not set",
			spoil: asking(inPlaceOf(ownergraph.Foreground, ownergraph.Background))},
		{name: "orphan is background", law: "delete/orphan", reason: "the propagation finalizer is not set",
			spoil: asking(inPlaceOf(ownergraph.Orphan, ownergraph.Background))},
		{name: "background keeps the finalizer", law: "delete/background", reason: "a later deletion does not change the propagation",
			spoil: asking(func(live ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				if live.Deleting && opts.Propagation == ownergraph.Background {
					opts.Propagation = ownergraph.Unset
				}
				return opts
			})},
		{name: "no propagation is background", law: "delete/keeps-propagation", reason: "the object's own finalizer is not asked",
			spoil: asking(inPlaceOf(ownergraph.Unset, ownergraph.Background))},
		{name: "the last finalizer does not remove", law: "delete/last-finalizer", reason: "an update removes nothing", spoil: patching(lastStays)},
		{name: "any finalizer removes", law: "delete/other-finalizers", reason: "whoever is done first is taken for the last", spoil: patching(firstRemoves)},
		{name: "a finalizer comes too late", law: "delete/no-new-finalizers", reason: "the mark is not looked at", spoil: lateFinalizers},
		{name: "an update takes the mark back", law: "delete/mark-stays", reason: "the writer's object is stored as it is", spoil: unmarking},
		{name: "a UID returns", law: "delete/new-uid", reason: "UIDs are taken from a list of free ones", spoil: reusingUIDs},
		{name: "no grace periods", law: deleteGrace, reason: "the option is not looked at",
			spoil: asking(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				opts.GraceSeconds = nil
				return opts
			})},
		{name: "a grace period never ends", law: "delete/grace-ends", reason: "a grace of 0 is taken for none given",
			spoil: asking(func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
				if opts.GraceSeconds != nil && *opts.GraceSeconds == 0 {
					opts.GraceSeconds = nil
				}
				return opts
			})},
		{name: "finalizers end the grace period", law: "delete/grace-holds", reason: "only finalizers are counted", spoil: patching(impatient)},
		{name: "the mark raises no generation", law: "delete/generation", reason: "a counter is forgotten", spoil: renaming(func(n *renamed) {
			n.object = func(o ownergraph.Object) ownergraph.Object {
				if o.Deleting && o.Generation > 0 {
					o.Generation--
				}
				return o
			}
		})},
	}
}

func inPlaceOf(asked, done ownergraph.Propagation) func(ownergraph.Object, ownergraph.DeleteOptions) ownergraph.DeleteOptions {
	return func(_ ownergraph.Object, opts ownergraph.DeleteOptions) ownergraph.DeleteOptions {
		if opts.Propagation == asked {
			opts.Propagation = done
		}
		return opts
	}
}

// onlyMarks gives what would go at once a grace period that nobody ends.
func onlyMarks(sound ownergraph.Store) deleteFunc {
	return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		live, err := sound.Get(ctx, key)
		if err == nil && len(live.Finalizers) == 0 && opts.Propagation.Finalizer() == "" && !live.Deleting && opts.GraceSeconds == nil {
			opts.GraceSeconds = grace(1 << 30)
		}
		return sound.Delete(ctx, key, opts)
	}
}

// noFinalizers takes an object's own finalizers off before it deletes.
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

// cascading deletes what it has ever heard of that names the object as owner.
func cascading(_ TB, s Subject) Subject {
	sound, users := s.Store, &users{Client: s.Client}
	var made guarded[[]ownergraph.Object]
	users.create = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		o, err := users.Client.Create(ctx, o)
		made.with(func(list *[]ownergraph.Object) { *list = append(*list, o) })
		return o, err
	}
	s.Client = users
	s.Store = &door{Store: sound, delete: func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
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
			(opts.Propagation == ownergraph.Unset || opts.Propagation.Finalizer() == live.Propagation().Finalizer())
		if !again {
			return sound.Delete(ctx, key, opts)
		}
		for _, f := range live.Finalizers {
			_ = sound.Patch(ctx, key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: f})
		}
		return nil
	}
}

// lastStays puts the mark's grace period in the way of what would remove.
func lastStays(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		live, err := sound.Get(ctx, key)
		if err == nil && pre.Holds(live) && live.Deleting && live.GraceSeconds == 0 && len(c.Apply(live).Finalizers) == 0 {
			return nil // the version stays too: there is no state for it
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
		if err != nil || !live.Deleting || live.GraceSeconds > 0 || live.Propagation() != ownergraph.Unset {
			return nil
		}
		for _, f := range live.Finalizers {
			_ = sound.Patch(ctx, key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: f})
		}
		return nil
	}
}

// lateFinalizers says yes to a finalizer that comes too late.
func lateFinalizers(_ TB, s Subject) Subject {
	sound := s.Store
	s.Store = &door{Store: sound, patch: func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		err := sound.Patch(ctx, key, pre, c)
		if errors.Is(err, graph.ErrRefused) && c.AddFinalizer != "" {
			c.AddFinalizer = ""
			return sound.Patch(ctx, key, pre, c)
		}
		return err
	}}
	return s
}

// unmarking shows what was updated without its mark.
func unmarking(_ TB, s Subject) Subject {
	var taken guarded[map[ownergraph.UID]bool]
	u := &users{Client: s.Client}
	u.update = func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
		out, err := u.Client.Update(ctx, o)
		if err == nil && out.Deleting && !o.Deleting {
			taken.with(func(m *map[ownergraph.UID]bool) { *m = map[ownergraph.UID]bool{out.UID: true} })
		}
		return out, err
	}
	sound := s.Store
	s.Client = u
	s.Store = &door{Store: sound, get: func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
		o, err := sound.Get(ctx, key)
		taken.with(func(m *map[ownergraph.UID]bool) {
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
