package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrOwned says that an object is not adopted because somebody owns it, or
// manages it, already.
var ErrOwned = errors.New("owned already")

// Adopt makes owner an owner of the object with the key. Without Controller it
// takes objects that nobody owns, with it those that no other controller manages
// (collector proposal, "Orphan adoption"). An object that has the reference is
// left as it is.
//
// Everything is checked against fresh reads, the owner after the object, and the
// write is conditional on the UID and the version that were checked: an owner
// that is being deleted adopts nothing, and nothing is adopted from one that is.
// If the owner is marked to orphan in between, the reference is dropped again like
// any other; name its kind in Config.Acknowledge where its controller adopts.
//
// Errors: ErrOwned; ErrInvalid for an owner without a UID; ErrRefused where the
// object or an owner is being deleted, or the owner is in another scope, or is the
// object; ErrNotFound where the object or the owner with exactly its UID is not
// there; ErrConflict where somebody changed the object meanwhile, to be tried again;
// and the store's. Held by TestAdopt, TestAdoptRaces and TestAdoptJudgesWhatItWrites.
func Adopt(ctx context.Context, store Store, owner Owner, key Key) error {
	o, err := exactly(ctx, store, "adopt", key)
	if err != nil || slices.ContainsFunc(o.Owners, owner.Same) {
		return err
	}
	if err := adoptable(ctx, store, owner, o); err != nil {
		return err
	}
	return change(ctx, store, "adopt", o, Change{AddOwner: &owner})
}

// RemoveOwner takes the references to the owner off the object with the key. An
// object without any is left as it is. Errors: ErrNotFound where the object is not
// there, ErrConflict where somebody changed it meanwhile, and the store's. Held by
// TestRelease.
func RemoveOwner(ctx context.Context, store Store, owner, key Key) error {
	o, err := exactly(ctx, store, "release", key)
	if err != nil {
		return err
	}
	drop := refsTo(o, owner)
	if len(drop) == 0 {
		return nil
	}
	return change(ctx, store, "release", o, Change{DropOwners: drop})
}

// ReplaceOwner gives the object with the key from one owner to another in one step, so
// that it is never without. An object that the former does not own is left as it
// is: that the latter does is told by ErrOwned or nil. Errors: those of Adopt, but
// that the former owner may be being deleted. Held by TestMove.
func ReplaceOwner(ctx context.Context, store Store, from Key, to Owner, key Key) error {
	o, err := exactly(ctx, store, "move", key)
	if err != nil {
		return err
	}
	drop := refsTo(o, from)
	switch {
	case len(drop) == 0 && slices.ContainsFunc(o.Owners, to.Same):
		return nil
	case len(drop) == 0:
		return fmt.Errorf("move %s: %s does not own it: %w", o.Key, from, ErrOwned)
	}
	rest := o.Clone()
	rest.Owners = slices.DeleteFunc(rest.Owners, func(r Owner) bool { return r.Key == from })
	if slices.ContainsFunc(rest.Owners, to.Same) {
		if err := keeps(ctx, store, to, o); err != nil {
			return err
		}
		return change(ctx, store, "move", o, Change{DropOwners: drop})
	}
	if err := adoptable(ctx, store, to, rest); err != nil {
		return err
	}
	return change(ctx, store, "move", o, Change{DropOwners: drop, AddOwner: &to})
}

// Hide returns the object without its references to the owner, as a proxy shows
// it to those who shall not see the anchor. The result shares nothing with o. It
// is pure. Held by TestHide.
func Hide(o Object, owner Key) Object {
	o = o.Clone()
	o.Owners = slices.DeleteFunc(o.Owners, func(r Owner) bool { return r.Key == owner })
	return o
}

// Unhide returns what a reader of the hidden object wrote, with the references to
// the owner that the live object has: what nobody was shown nobody can take away.
// It is pure. Held by TestHide.
func Unhide(written, live Object, owner Key) Object {
	written = Hide(written, owner)
	written.Owners = append(written.Owners, refsTo(live, owner)...)
	return written
}

func refsTo(o Object, owner Key) (out []Owner) {
	for _, r := range o.Owners {
		if r.Key == owner {
			out = append(out, r)
		}
	}
	return out
}

// exactly reads the object with the key's UID, or, without one, whoever is there.
func exactly(ctx context.Context, store Store, verb string, key Key) (Object, error) {
	o, err := store.Get(ctx, key)
	if err != nil {
		return o, fmt.Errorf("%s %s: %w", verb, key, err)
	}
	if key.UID != "" && o.UID != key.UID {
		return o, fmt.Errorf("%s %s: uid: is %q: %w", verb, key, o.UID, ErrNotFound)
	}
	return o, nil
}

// adoptable returns why the owner may not adopt the object, or nil.
func adoptable(ctx context.Context, store Store, owner Owner, o Object) error {
	bad := func(cause string, kind error) error {
		return fmt.Errorf("adopt %s: for %s: %s: %w", o.Key, owner.Key, cause, kind)
	}
	switch {
	case owner.UID == "":
		return bad("owner: no uid", ErrInvalid)
	case o.Deleting:
		return bad("it is being deleted", ErrRefused)
	case owner.Key == o.Key:
		return bad("it is itself", ErrRefused)
	case owner.Scope != "" && owner.Scope != o.Scope: // nobody would find the owner from there
		return bad("the owner is in another scope", ErrRefused)
	}
	for _, r := range o.Owners {
		if !owner.Controller || r.Controller {
			return bad(r.Key.String()+" has it", ErrOwned)
		}
		if x, err := store.Get(ctx, r.Key); err == nil && x.UID == r.UID && x.Deleting {
			return bad("its owner "+r.Key.String()+" is being deleted", ErrRefused)
		}
	}
	return keeps(ctx, store, owner, o)
}

// tryKeep returns why the owner does not keep an object that has it, or nil.
func keeps(ctx context.Context, store Store, owner Owner, o Object) error {
	x, err := exactly(ctx, store, "adopt", owner.Key)
	if err == nil && x.Deleting {
		err = fmt.Errorf("adopt %s: for %s: the owner is being deleted: %w", o.Key, owner.Key, ErrRefused)
	}
	return err
}

func change(ctx context.Context, store Store, verb string, o Object, c Change) error {
	if err := store.Patch(ctx, o.Key, Precondition{UID: o.UID, Version: o.Version}, c); err != nil {
		return fmt.Errorf("%s %s: %w", verb, o.Key, err)
	}
	return nil
}
