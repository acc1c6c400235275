package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

type patchFunc = func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error

// patching replaces the store's Patch. The replacement gets the sound store.
func patching(patch func(sound ownergraph.Store) patchFunc) func(TB, Subject) Subject {
	return func(_ TB, s Subject) Subject {
		s.Store = &wrapper{Store: s.Store, patch: patch(s.Store)}
		return s
	}
}

// changing patches with another change than the caller's.
func changing(other func(ownergraph.Change) ownergraph.Change) func(TB, Subject) Subject {
	return patching(func(sound ownergraph.Store) patchFunc {
		return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			return sound.Patch(ctx, key, pre, other(c))
		}
	})
}

func mutantsOfPatch() []mutant {
	return []mutant{
		{name: "patch refuses under UID and version", law: patchAccepted, reason: "UID and version are both compared, with or", plant: patching(refusingExact)},
		{name: "patch ignores the UID", law: patchUID, reason: "a row is found by its name", plant: patching(ignoring(true, false))},
		{name: "patch ignores the version", law: patchVersion, reason: "the last writer wins", plant: patching(ignoring(false, true))},
		{name: "patch demands a version", law: "patch/no-precondition", reason: "an empty field is compared like any other", plant: patching(demanding)},
		{name: "patch writes before it compares", law: "patch/conflict-changes-nothing", reason: "no transaction around both", plant: patching(conflictWrites)},
		{name: "patch drops owners by UID", law: "patch/drop-owners", reason: "a reference is more than its UID", plant: patching(droppingByUID)},
		{name: "patch drops the first owner only", law: "patch/drop-owners", reason: "the list is not walked",
			plant: changing(func(c ownergraph.Change) ownergraph.Change {
				if len(c.DropOwners) > 1 {
					c.DropOwners = c.DropOwners[:1]
				}
				return c
			})},
		{name: "patch compares the flags of owners", law: "patch/drop-owners", reason: "references are compared as a whole", plant: patching(comparingFlags)},
		{name: "patch adds an owner that does not block", law: "patch/add-owner", reason: "a column is forgotten",
			plant: changing(func(c ownergraph.Change) ownergraph.Change {
				if c.AddOwner != nil {
					owner := *c.AddOwner
					owner.Block = false
					c.AddOwner = &owner
				}
				return c
			})},
		{name: "patch unblocks nothing", law: "patch/unblock", reason: "a verb is forgotten",
			plant: changing(func(c ownergraph.Change) ownergraph.Change {
				c.Unblock = nil
				return c
			})},
		{name: "patch drops no finalizer", law: "patch/drop-finalizer", reason: "a verb is forgotten",
			plant: changing(func(c ownergraph.Change) ownergraph.Change {
				c.DropFinalizer = ""
				return c
			})},
		{name: "patch adds no finalizer", law: "patch/add-finalizer", reason: "a verb is forgotten", plant: patching(addingNone)},
		{name: "patch in two steps", law: "patch/one-step", reason: "one statement for removals, and one for additions", plant: patching(inTwoSteps)},
		{name: "patch always makes a version", law: "patch/no-change", reason: "every statement raises it", plant: patching(alwaysNew)},
		{name: "a refused patch is half done", law: "patch/refused-changes-nothing", reason: "references go before finalizers are checked",
			plant: patching(halfRefused)},
	}
}

func refusingExact(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		if live, err := sound.Get(ctx, key); err == nil && pre == exact(live) {
			return fmt.Errorf("patch %s: %w", key, graph.ErrConflict)
		}
		return sound.Patch(ctx, key, pre, c)
	}
}

func ignoring(uid, version bool) func(ownergraph.Store) patchFunc {
	return func(sound ownergraph.Store) patchFunc {
		return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
			if uid {
				pre.UID = ""
			}
			if version {
				pre.Version = ""
			}
			return sound.Patch(ctx, key, pre, c)
		}
	}
}

// addingNone checks the mark before it forgets the verb.
func addingNone(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		if live, err := sound.Get(ctx, key); err == nil && !live.Deleting {
			c.AddFinalizer = ""
		}
		return sound.Patch(ctx, key, pre, c)
	}
}

func demanding(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		if _, err := sound.Get(ctx, key); err == nil && pre.Version == "" {
			return fmt.Errorf("patch %s: version: %w", key, graph.ErrConflict)
		}
		return sound.Patch(ctx, key, pre, c)
	}
}

func conflictWrites(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		err := sound.Patch(ctx, key, pre, c)
		if errors.Is(err, graph.ErrConflict) {
			return errors.Join(err, sound.Patch(ctx, key, ownergraph.Precondition{}, c))
		}
		return err
	}
}

func droppingByUID(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		live, err := sound.Get(ctx, key)
		if err != nil {
			return sound.Patch(ctx, key, pre, c)
		}
		var drop []ownergraph.Owner
		for _, r := range c.DropOwners {
			for _, have := range live.Owners {
				if r.UID == have.UID {
					drop = append(drop, have)
				}
			}
		}
		c.DropOwners = drop
		return sound.Patch(ctx, key, pre, c)
	}
}

func comparingFlags(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		if live, err := sound.Get(ctx, key); err == nil {
			c.DropOwners = slices.DeleteFunc(slices.Clone(c.DropOwners), func(r ownergraph.Owner) bool { return !slices.Contains(live.Owners, r) })
		}
		return sound.Patch(ctx, key, pre, c)
	}
}

func inTwoSteps(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		drop := ownergraph.Change{DropOwners: c.DropOwners, DropFinalizer: c.DropFinalizer}
		rest := ownergraph.Change{Unblock: c.Unblock, AddOwner: c.AddOwner, AddFinalizer: c.AddFinalizer}
		if live, err := sound.Get(ctx, key); err != nil || live.Deleting || drop.IsZero() || rest.IsZero() {
			return sound.Patch(ctx, key, pre, c)
		}
		if err := sound.Patch(ctx, key, pre, drop); err != nil {
			return err
		}
		return sound.Patch(ctx, key, ownergraph.Precondition{UID: pre.UID}, rest)
	}
}

// alwaysNew writes twice where nothing changes.
func alwaysNew(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		before, err := sound.Get(ctx, key)
		if err := sound.Patch(ctx, key, pre, c); err != nil {
			return err
		}
		if after, now := sound.Get(ctx, key); err != nil || now != nil || after.Version != before.Version || after.Deleting {
			return nil
		}
		const some = "storetest.example.org/there-and-back"
		return errors.Join(sound.Patch(ctx, key, ownergraph.Precondition{}, ownergraph.Change{AddFinalizer: some}),
			sound.Patch(ctx, key, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: some}))
	}
}

func halfRefused(sound ownergraph.Store) patchFunc {
	return func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
		err := sound.Patch(ctx, key, pre, c)
		if errors.Is(err, graph.ErrRefused) {
			return errors.Join(err, sound.Patch(ctx, key, pre, ownergraph.Change{DropOwners: c.DropOwners, Unblock: c.Unblock}))
		}
		return err
	}
}
