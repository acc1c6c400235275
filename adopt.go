package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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
// conditional on the UID and the version of the check. An owner that is being deleted
// adopts nothing, and no object is adopted from such an owner. If the owner is marked to
// orphan in between, the engine drops the new reference again. Name the owner's kind in
// Config.Acknowledge if its controller adopts.
//
// Besides the errors of the store, Adopt returns:
//
//   - ErrOwned: the object has an owner, or with Controller another controller.
//   - ErrInvalid: the owner has no UID.
//   - ErrRefused: the object or an owner is being deleted, the owner is in another scope,
//     or the owner is the object.
//   - ErrNotFound: there is no object, or no owner with exactly this UID.
//   - ErrConflict: another client changed the object meanwhile. Try again.
//
// Held by TestAdopt, TestAdoptRaces and TestAdoptJudgesWhatItWrites.
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

// RemoveOwner removes the references to the owner from the object with the key. An object
// without such a reference stays as it is. Besides the errors of the store, it returns
// ErrNotFound without an object, and ErrConflict if another client changed the object
// meanwhile.
//
// Held by TestRelease.
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

// ReplaceOwner replaces one owner of the object with the key by another in one step, so the
// object is never without an owner. If the former owner does not own the object, the object
// stays as it is. Then the result is nil if the new owner owns it, and ErrOwned otherwise.
// The other errors are those of Adopt, with one exception: the former owner may be in
// deletion.
//
// Held by TestMove.
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

func refsTo(o Object, owner Key) (out []Owner) {
	for _, r := range o.Owners {
		if r.Key == owner {
			out = append(out, r)
		}
	}
	return out
}

// exactly reads the object with the key's UID. A key without a UID accepts any object at
// its coordinates.
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

// adoptable returns nil if the owner may adopt the object, and an error with the reason
// otherwise.
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
	case owner.Scope != "" && owner.Scope != o.Scope: // a reference reaches only its own scope and the global one
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

// keeps returns nil if the owner keeps an object that refers to it, and an error with the
// reason otherwise.
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

// AdoptReport is the result of one pass of AdoptAll. It is a value.
type AdoptReport struct {
	// Adopted counts the objects that got their owner, and Already those that had it. Left
	// counts the other objects for which match named an owner.
	Adopted, Already, Left int
	// Errors has the first 100 errors of Adopt. Another pass helps after an error of the
	// store, and after ErrConflict.
	Errors []error
	// Unlisted has the kinds without a listing, sorted. They need another pass.
	Unlisted []Kind
}

const maxAdoptErrors = 100

// AdoptAll brings a store without owner references under ownership, in one pass. It adopts
// every object for which match names an owner, as Adopt does. Another pass resumes a pass
// that has ended early. An object that has its owner costs only its place in the listing.
//
// AdoptAll watches the store until every kind is listed. Then it makes two or three
// requests for each object that it adopts. The report names the kinds that cannot be
// listed. The error is that of the context or of the watch, and the report then has the
// progress so far. Match has to be pure.
//
// Held by TestAdoptAll and TestAdoptAllResumes.
func AdoptAll(ctx context.Context, store Store, match func(o Object) (Owner, bool)) (AdoptReport, error) {
	l := lister{match: match, owed: map[Kind]bool{}, over: map[Kind]bool{}, already: map[Key]bool{}, orphans: map[Key]Owner{}}
	err := store.Watch(ctx, l.hear)
	l.report.Already = len(l.already)
	if !errors.Is(err, errListed) {
		if err == nil {
			err = errEnded
		}
		return l.report, fmt.Errorf("adopt all: watch: %w", err)
	}
	for _, k := range slices.SortedFunc(maps.Keys(l.orphans), Key.Compare) {
		if err := ctx.Err(); err != nil {
			return l.report, fmt.Errorf("adopt all: %w", err)
		}
		l.report.count(adoptSoon(ctx, store, l.orphans[k], k))
	}
	return l.report, nil
}

var errListed = errors.New("everything is listed")

// lister follows a watch until every kind is listed or sick. An object may come more than
// once, and go. Its last event counts.
type lister struct {
	match   func(o Object) (Owner, bool)
	owed    map[Kind]bool // kinds without a complete listing, true if the kind is sick
	over    map[Kind]bool // kinds that need no listing any more
	known   bool
	already map[Key]bool  // objects that have their owner
	orphans map[Key]Owner // the owner for each object to adopt
	report  AdoptReport
}

func (l *lister) hear(batch []Event) error {
	for i := range batch {
		switch ev := &batch[i]; ev.Type {
		case graph.KindsKnown:
			l.serve(ev.Kinds)
		case graph.Put:
			l.see(ev.Object)
		case graph.Gone:
			delete(l.already, ev.Key)
			delete(l.orphans, ev.Key)
		case graph.KindSick, graph.KindRecovered:
			if _, ok := l.owed[ev.Kind]; ok {
				l.owed[ev.Kind] = ev.Type == graph.KindSick
			}
		case graph.ListEnded, graph.KindVanished:
			delete(l.owed, ev.Kind)
			l.over[ev.Kind] = ev.Type == graph.ListEnded
		}
	}
	if !l.known {
		return nil
	}
	for _, sick := range l.owed {
		if !sick {
			return nil
		}
	}
	for k := range l.owed {
		l.report.Unlisted = append(l.report.Unlisted, k)
	}
	slices.Sort(l.report.Unlisted)
	return errListed
}

// serve takes the kinds that the store serves from now on. A kind that joins needs a
// listing too. A kind that leaves, or that is not watched, needs none.
func (l *lister) serve(kinds []KindInfo) {
	was := l.owed
	l.owed, l.known = map[Kind]bool{}, true
	for _, k := range kinds {
		if !l.over[k.Kind] && !k.Unwatched {
			l.owed[k.Kind] = was[k.Kind]
		}
	}
}

func (l *lister) see(o Object) {
	delete(l.already, o.Key)
	delete(l.orphans, o.Key)
	switch owner, ok := l.match(o); {
	case !ok:
	case slices.ContainsFunc(o.Owners, owner.Same):
		l.already[o.Key] = true
	default:
		l.orphans[o.Key] = owner
	}
}

// adoptSoon adopts, and tries again a few times after conflicts with other clients.
func adoptSoon(ctx context.Context, store Store, owner Owner, key Key) (err error) {
	for range 4 {
		if err = Adopt(ctx, store, owner, key); !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return err
}

func (r *AdoptReport) count(err error) {
	if err == nil {
		r.Adopted++
		return
	}
	r.Left++
	if len(r.Errors) < maxAdoptErrors {
		r.Errors = append(r.Errors, err)
	}
}
