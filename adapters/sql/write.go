package sqlstore

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// rule is a write on a live object.
type rule struct {
	// judge returns its outcome.
	judge func(kinds *kindSet, live graph.Object) (finalizer.Outcome, error)
	// del has the options of a deletion, and is nil for another write.
	del *graph.DeleteOptions
}

// Create adds an object by the rules of finalizer.Create. It returns the stored object,
// with its UID, its version and its resolved references.
//
// Errors:
//   - ErrKindUnknown.
//   - ErrConflict if the place is taken.
//   - those of finalizer.Create.
//   - ErrRefused and ErrInvalid for a scope that contradicts the kind, or for an owner
//     whose kind may not own.
//   - ErrRefused for a reference that a strict store refuses.
//
//test:by TestKit
func (s *Store) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	var made graph.Object
	err := s.write(ctx, s.conf.Strict && len(o.Owners) > 0, func(ses *session) (err error) {
		made, err = ses.create(ctx, o)
		return err
	})
	return made, s.failed("create", name(o.Key), err)
}

// Update replaces the object at o's coordinates by o, by the rules of finalizer.Update.
// UID and Version are preconditions. An empty one is always met. Update returns the object
// after the write. If the update removes the object, it returns the last state.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Update, and Create's for the
// content of o.
//
//test:by TestKit
func (s *Store) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	return s.writeOne(ctx, "update", o.Key, len(o.Owners) > 0, s.updateRule(o))
}

// Patch applies change to the object at key's coordinates, if pre is met, by the rules of
// finalizer.Patch. A change that only removes is always valid, so a caller can free an
// invalid object. DropOwners and Unblock name references as Get returns them.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Patch, and Create's for the
// additions of the change.
//
//test:by TestKit
func (s *Store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	_, err := s.writeOne(ctx, "patch", key, change.AddOwner != nil || len(change.Relink) > 0, s.patchRule(pre, change))
	return err
}

// Delete deletes the object at key's coordinates, by the rules of finalizer.Delete. A nil
// grace means no grace period. If rows of the user refer to the object, the constraints of
// their tables delete them in the same transaction, or refuse the deletion.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Delete, and ErrRefused for a
// constraint. A strict store returns a *graph.RestrictedError, which wraps ErrRestricted, if an
// unmarked object refers to an unmarked one with graph.OnDeleteRestrict. It names the first ones of at
// most 64 such objects.
//
//test:by TestKit TestUserRows TestRestrict
func (s *Store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	if done, err := s.deleteAtOnce(ctx, key, opts); done || err != nil {
		return s.failed(verbDelete, name(key), err)
	}
	_, err := s.writeOne(ctx, verbDelete, key, true, s.deleteRule(key.Kind, opts))
	return err
}

func (s *Store) updateRule(o graph.Object) rule {
	return rule{judge: func(kinds *kindSet, live graph.Object) (finalizer.Outcome, error) {
		out, err := finalizer.Update(live, kinds.resolveAll(o))
		if err == nil && out.Effect == finalizer.Stored {
			err = kinds.check("update", live.Owners, out.Object, s.conf.Limits)
		}
		return out, err
	}}
}

func (s *Store) patchRule(pre graph.Precondition, change graph.Change) rule {
	return rule{judge: func(kinds *kindSet, live graph.Object) (finalizer.Outcome, error) {
		change := change
		if change.AddOwner != nil {
			owner := kinds.resolve(live.Key, *change.AddOwner)
			change.AddOwner = &owner
		}
		out, err := finalizer.Patch(live, pre, change)
		adds := change.AddOwner != nil || len(change.Relink) > 0 || change.AddFinalizer != ""
		if err == nil && adds && out.Effect == finalizer.Stored {
			err = kinds.check("patch", live.Owners, out.Object, s.conf.Limits)
		}
		return out, err
	}}
}

func (s *Store) deleteRule(kind graph.Kind, opts graph.DeleteOptions) rule {
	return rule{del: &opts, judge: func(_ *kindSet, live graph.Object) (finalizer.Outcome, error) {
		return finalizer.Delete(live, opts, s.conf.Propagation[kind])
	}}
}

// writeOne carries out one write on a live object, and returns the object after it.
func (s *Store) writeOne(ctx context.Context, verb string, key graph.Key, locks bool, r rule) (graph.Object, error) {
	var after graph.Object
	err := s.write(ctx, s.conf.Strict && locks || s.conf.seals(key.Kind), func(ses *session) (err error) {
		after, err = ses.apply(ctx, verb, key, r)
		return err
	})
	if err != nil {
		return graph.Object{}, s.failed(verb, name(key), err)
	}
	return after, nil
}

// write runs one write. On Postgres a write needs no transaction around its statement, unless it is whole: a
// strict store has to lock the owners of new references, or an owner that the write marks, and a removal may have to seal a
// payload. It also needs one if the default level of the database is not READ COMMITTED: the
// snapshot of a statement would be older than its locks then.
//
//test:by TestOldSnapshotByDefault
func (s *Store) write(ctx context.Context, whole bool, do func(*session) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer s.announce() // also after an error: the write may be done
	if s.conf.Dialect != Postgres || whole {
		return s.transact(ctx, do)
	}
	ses, err := s.reading(ctx)
	switch t, ok := s.tables.(*postgresTables); {
	case err != nil:
		return err
	case ok && t.snapshots.Load():
		return s.transact(ctx, do)
	}
	return s.retry(ctx, func() error { return do(ses) })
}

// apply carries out a write on the live object at key's coordinates.
func (ses *session) apply(ctx context.Context, verb string, key graph.Key, r rule) (graph.Object, error) {
	live, kinds, err := ses.findToWrite(ctx, verb, key)
	if err != nil {
		return graph.Object{}, err
	}
	out, err := r.judge(kinds, live.object)
	if err != nil {
		return graph.Object{}, err
	}
	next := live.next(out.Object)
	next.words = ses.s.wordsOf(&live.object, &out, r.del)
	if err := ses.carryOut(ctx, verb, kinds, live, next, out.Effect); err != nil {
		return graph.Object{}, err
	}
	return next.object, nil
}

// carryOut writes the outcome. A stored object gets its new version.
func (ses *session) carryOut(ctx context.Context, verb string, kinds *kindSet, live, next *row, effect finalizer.Effect) (err error) {
	done := true
	if marks(live, next, effect) {
		if err := ses.checkRestricted(ctx, kinds, live); err != nil {
			return err
		}
	}
	switch effect {
	case finalizer.Stored:
		if err := ses.checkNew(ctx, verb, kinds, live, next.object); err != nil {
			return err
		}
		done, err = ses.s.tables.change(ctx, &ses.c, live, next)
	case finalizer.Removed:
		done, err = ses.s.tables.remove(ctx, &ses.c, live, next)
	default:
		if next.words != nil { // a deletion that changes nothing may be the first one of a user
			done, err = ses.s.tables.noteTrail(ctx, &ses.c, next)
		}
	}
	if err == nil && !done {
		err = errRaced
	}
	return err
}

// create adds an object.
func (ses *session) create(ctx context.Context, o graph.Object) (graph.Object, error) {
	const verb = "create"
	for n := range maxStale {
		kinds, taken, err := ses.lookForNew(ctx, o.Key, n == 0)
		if err != nil {
			return graph.Object{}, err
		}
		r, err := ses.s.newRow(verb, kinds, o)
		switch {
		case err != nil:
			return graph.Object{}, err
		case taken != nil:
			return graph.Object{}, fmt.Errorf("%s %s: name: taken by uid %q: %w", verb, name(o.Key), taken.object.UID, graph.ErrConflict)
		}
		if err := ses.checkNew(ctx, verb, kinds, nil, r.object); err != nil {
			return graph.Object{}, err
		}
		if done, err := ses.s.tables.create(ctx, &ses.c, r, kinds.stamp); done || err != nil {
			return r.object, err
		}
	}
	return graph.Object{}, errRaced
}

// lookForNew reads the place of a new object. On Postgres the first try reads nothing,
// because the statement that creates also looks.
func (ses *session) lookForNew(ctx context.Context, key graph.Key, first bool) (*kindSet, *row, error) {
	if first && ses.s.conf.Dialect == Postgres {
		if kinds := ses.s.kinds.Load(); kinds != nil && kinds.serves(key.Kind) {
			ses.c.policies = kinds.policies()
			return kinds, nil, nil
		}
	}
	return ses.look(ctx, key)
}

// newRow returns the row of a new object, without its position.
func (s *Store) newRow(verb string, kinds *kindSet, o graph.Object) (*row, error) {
	if !kinds.serves(o.Kind) {
		return nil, fmt.Errorf("%s %s: %w", verb, name(o.Key), graph.ErrKindUnknown)
	}
	if err := kinds.checkScope(verb, o.Key); err != nil {
		return nil, err
	}
	out, err := finalizer.Create(kinds.resolveAll(o), s.conf.Limits)
	if err != nil {
		return nil, err
	}
	if err := kinds.checkOwners(verb, nil, out.Object); err != nil {
		return nil, err
	}
	out.Object.UID = newUID()
	return &row{kind: kinds.number(o.Kind), place: placeOf(o.Key), object: out.Object}, nil
}

// deleteAtOnce tries to remove an object without reading it first.
func (s *Store) deleteAtOnce(ctx context.Context, key graph.Key, opts graph.DeleteOptions) (done bool, err error) {
	kinds := s.kinds.Load()
	if s.conf.Dialect != Postgres || kinds == nil || !kinds.serves(key.Kind) || !s.isPlain(key.Kind, opts) {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	defer s.announce()
	err = s.retry(ctx, func() error {
		ses, err := s.reading(ctx)
		if err == nil {
			ses.c.policies = kinds.policies()
			done, err = s.tables.removePlain(ctx, &ses.c, kinds.number(key.Kind), placeOf(key), opts.Precondition, kinds.stamp, s.wordsOfDeletion(key.Kind, &opts))
		}
		return err
	})
	return done, err
}

// isPlain reports whether a deletion removes every object that has no finalizer and no
// grace period, and needs no payload before it.
func (s *Store) isPlain(kind graph.Kind, opts graph.DeleteOptions) bool {
	p := opts.Propagation
	if p == graph.Unset {
		p = s.conf.Propagation[kind]
	}
	return (p == graph.Unset || p == graph.Background) && !s.conf.seals(kind) && (opts.GraceSeconds == nil || *opts.GraceSeconds == 0)
}
