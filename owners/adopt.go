package owners

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// ErrOwned means that an object is not adopted because it already has an owner, or a
// controller.
var ErrOwned = errors.New("owned already")

// Adopt makes owner an owner of the object with the key. Without Controller it adopts
// objects without owners. With Controller it adopts objects without another controller
// (collector proposal, "Orphan adoption"). An object that has the reference already stays
// as it is.
//
// Adopt checks fresh reads, first of the object and then of the owner. The write is
// conditional on the UID and the version of the check. Adopt refuses if the new owner, or a present
// owner of the object, is being deleted. If the owner is marked to orphan in between, the engine
// drops the new reference again. The controller of an owner may adopt too. Name the kind of such an
// owner in ownergraph.Config.Acknowledge: an orphan deletion then waits for its controller.
//
// Besides the errors of the store, Adopt returns:
//
//   - ErrOwned: the object has an owner, or with Controller another controller.
//   - graph.ErrInvalid: the owner has no UID.
//   - graph.ErrRefused: the object or an owner is being deleted, the owner is in another scope,
//     or the owner is the object.
//   - graph.ErrNotFound: there is no object, or no owner with exactly this UID.
//   - graph.ErrConflict: another client changed the object meanwhile. Try again.
//
//test:by TestAdopt TestAdoptRaces TestAdoptJudgesWhatItWrites
func Adopt(ctx context.Context, store ownergraph.Store, owner graph.Owner, key graph.Key) error {
	o, err := exactly(ctx, store, "adopt", key)
	if err != nil || slices.ContainsFunc(o.Owners, owner.Same) {
		return err
	}
	if err := adoptable(ctx, store, owner, o); err != nil {
		return err
	}
	return change(ctx, store, "adopt", o, graph.Change{AddOwner: &owner})
}

// Remove removes the references to the owner from the object with the key. An object
// without such a reference stays as it is. Besides the errors of the store, it returns
// graph.ErrNotFound without an object, and graph.ErrConflict if another client changed the
// object meanwhile.
//
//test:by TestRemove
func Remove(ctx context.Context, store ownergraph.Store, owner, key graph.Key) error {
	o, err := exactly(ctx, store, "remove an owner of", key)
	if err != nil {
		return err
	}
	drop := refsTo(o, owner)
	if len(drop) == 0 {
		return nil
	}
	return change(ctx, store, "remove an owner of", o, graph.Change{DropOwners: drop})
}

// Replace replaces one owner of the object with the key by another in one step, so the
// object is never without an owner. If the former owner does not own the object, the object
// stays as it is. Then the result is nil if the new owner owns it, and ErrOwned otherwise.
// The other errors are those of Adopt, with one exception: the former owner may be in
// deletion.
//
//test:by TestReplace
func Replace(ctx context.Context, store ownergraph.Store, from graph.Key, to graph.Owner, key graph.Key) error {
	o, err := exactly(ctx, store, "replace an owner of", key)
	if err != nil {
		return err
	}
	drop := refsTo(o, from)
	switch {
	case len(drop) == 0 && slices.ContainsFunc(o.Owners, to.Same):
		return nil
	case len(drop) == 0:
		return fmt.Errorf("replace an owner of %s: %s does not own it: %w", o.Key, from, ErrOwned)
	}
	rest := o.Clone()
	rest.Owners = slices.DeleteFunc(rest.Owners, func(r graph.Owner) bool { return r.Key == from })
	if slices.ContainsFunc(rest.Owners, to.Same) {
		if err := keeps(ctx, store, to, o); err != nil {
			return err
		}
		return change(ctx, store, "replace an owner of", o, graph.Change{DropOwners: drop})
	}
	if err := adoptable(ctx, store, to, rest); err != nil {
		return err
	}
	return change(ctx, store, "replace an owner of", o, graph.Change{DropOwners: drop, AddOwner: &to})
}

func refsTo(o graph.Object, owner graph.Key) (out []graph.Owner) {
	for _, r := range o.Owners {
		if r.Key == owner {
			out = append(out, r)
		}
	}
	return out
}

// exactly reads the object with the key's UID. A key without a UID accepts any object at
// its coordinates.
func exactly(ctx context.Context, store ownergraph.Store, verb string, key graph.Key) (graph.Object, error) {
	o, err := store.Get(ctx, key)
	if err != nil {
		return o, fmt.Errorf("%s %s: %w", verb, key, err)
	}
	if key.UID != "" && o.UID != key.UID {
		return o, fmt.Errorf("%s %s: uid: is %q: %w", verb, key, o.UID, graph.ErrNotFound)
	}
	return o, nil
}

// adoptable returns nil if the owner may adopt the object, and an error with the reason
// otherwise.
func adoptable(ctx context.Context, store ownergraph.Store, owner graph.Owner, o graph.Object) error {
	bad := func(cause string, kind error) error {
		return fmt.Errorf("adopt %s: for %s: %s: %w", o.Key, owner.Key, cause, kind)
	}
	switch {
	case owner.UID == "":
		return bad("owner: no uid", graph.ErrInvalid)
	case o.Deleting:
		return bad("it is being deleted", graph.ErrRefused)
	case owner.Key == o.Key:
		return bad("it is itself", graph.ErrRefused)
	case owner.Scope != "" && owner.Scope != o.Scope: // a reference reaches only its own scope and the global one
		return bad("the owner is in another scope", graph.ErrRefused)
	}
	for _, r := range o.Owners {
		if !owner.Controller || r.Controller {
			return bad(r.Key.String()+" has it", ErrOwned)
		}
		if x, err := store.Get(ctx, r.Key); err == nil && x.UID == r.UID && x.Deleting {
			return bad("its owner "+r.Key.String()+" is being deleted", graph.ErrRefused)
		}
	}
	return keeps(ctx, store, owner, o)
}

// keeps returns nil if the owner keeps an object that refers to it, and an error with the
// reason otherwise.
func keeps(ctx context.Context, store ownergraph.Store, owner graph.Owner, o graph.Object) error {
	x, err := exactly(ctx, store, "adopt", owner.Key)
	if err == nil && x.Deleting {
		err = fmt.Errorf("adopt %s: for %s: the owner is being deleted: %w", o.Key, owner.Key, graph.ErrRefused)
	}
	return err
}

func change(ctx context.Context, store ownergraph.Store, verb string, o graph.Object, c graph.Change) error {
	if err := store.Patch(ctx, o.Key, graph.Precondition{UID: o.UID, Version: o.Version}, c); err != nil {
		return fmt.Errorf("%s %s: %w", verb, o.Key, err)
	}
	return nil
}
