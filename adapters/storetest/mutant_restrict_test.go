package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfRestrict() []mutant {
	looking := func(l restrictLook) func(TB, Subject) Subject { return strictBug(strictWrites{look: l}) }
	restricted := func(restricts func(d, owner ownergraph.Object) bool) func(TB, Subject) Subject {
		return looking(restrictLook{restricts: restricts})
	}
	judged := func(refuses func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool) func(TB, Subject) Subject {
		return strictBug(strictWrites{refuses: refuses})
	}
	return []mutant{
		{name: "no deletion looks for references", law: restrictDeletes, reason: "the policy is kept, and nothing reads it",
			plant: looking(restrictLook{free: func(deletion) bool { return true }})},
		{name: "the deletions of engines do not look", law: restrictDeletes, reason: "the check is in the calls of users",
			plant: looking(restrictLook{free: func(d deletion) bool { return d.by == "engine" }})},
		{name: "a foreground deletion does not look", law: restrictDeletes, reason: "a trigger on the removal of the row",
			plant: looking(restrictLook{free: func(d deletion) bool { return d.options.Propagation == ownergraph.Foreground }})},
		{name: "an orphan deletion does not look", law: restrictDeletes, reason: "the dependents stay, and lose their reference",
			plant: looking(restrictLook{free: func(d deletion) bool { return d.options.Propagation == ownergraph.Orphan }})},
		{name: "a deletion that only marks does not look", law: restrictDeletes, reason: "a foreign key acts at the removal of the row",
			plant: looking(restrictLook{free: func(d deletion) bool { return len(d.live.Finalizers) > 0 }})},
		{name: "a restricted deletion is only refused", law: restrictDeletes, reason: "the error of the driver is translated as others are",
			plant: looking(restrictLook{error: graph.ErrRefused})},
		{name: "a refused deletion changes the object", law: restrictDeletes, reason: "the finalizer of its propagation is a statement before the look",
			plant: looking(restrictLook{marks: true})},
		{name: "a marked dependent restricts", law: restrictEnds, reason: "a foreign key counts rows",
			plant: restricted(func(d, owner ownergraph.Object) bool {
				d.Deleting = false
				return finalizer.Restricts(d, owner)
			})},
		{name: "a held mark ends the restriction", law: "level3/restriction-held", reason: "the column of the mark is all that the query reads",
			plant: restricted(func(d, owner ownergraph.Object) bool { return !d.Deleting && finalizer.Restricts(d, owner) })},
		{name: "each reference beside Restrict restricts", law: "level3/other-policies", reason: "the column of the policy is of the object",
			plant: restricted(func(d, owner ownergraph.Object) bool {
				d = d.Clone()
				if !slices.ContainsFunc(d.Owners, func(r ownergraph.Owner) bool { return r.OnDelete == graph.OnDeleteRestrict }) {
					return false
				}
				for i := range d.Owners {
					d.Owners[i].OnDelete = graph.OnDeleteRestrict
				}
				return finalizer.Restricts(d, owner)
			})},
		{name: "an unresolved reference does not restrict", law: "level3/restricted-unresolved", reason: "the query joins by the coordinates",
			plant: restricted(func(d, owner ownergraph.Object) bool {
				d = d.Clone()
				d.Owners = slices.DeleteFunc(d.Owners, func(r ownergraph.Owner) bool { return r.Unresolved })
				return finalizer.Restricts(d, owner)
			})},
		{name: "an owner with a background mark takes Restrict", law: restrictMarked, reason: "each policy is checked as unset",
			plant: judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				return soundly(w, r, owner, err) && (err != nil || owner.UID != r.UID || owner.Waiting() || owner.Orphaning())
			})},
		{name: "an unresolved reference restricts a marked owner", law: restrictMarked, reason: "the check joins by the coordinates",
			plant: judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				return !r.Unresolved && soundly(w, r, owner, err)
			})},
		{name: "a changed policy is not checked", law: "level3/changed-policy", reason: "references are compared by their owner",
			plant: judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				same := func(old ownergraph.Owner) bool { return old.Same(r) && (old.Block || !r.Block) }
				return !slices.ContainsFunc(w.had, same) && soundly(w, r, owner, err)
			})},
		{name: "the deletions of a batch do not look", law: "level3/restricted-batch", reason: "a batch has its own statements", plant: laxDeletions},
		{name: "the look comes before the lock", law: "search/restrict", reason: "the look is a query before the transaction", plant: looking(restrictLook{late: true})},
		{name: "each process locks the look alone", law: "second/restrict", reason: "a mutex in place of a row lock", plant: looking(restrictLook{alone: true})},
	}
}

// deletion is one deletion, by a user or by an engine.
type deletion struct {
	by      string
	live    ownergraph.Object
	options ownergraph.DeleteOptions
}

// restrictLook is the look of a deletion for references with Restrict. Each field but the last is
// a bug.
type restrictLook struct {
	restricts func(d, owner ownergraph.Object) bool // nil: finalizer.Restricts
	free      func(deletion) bool                   // deletions without a look
	error     error                                 // of a refused deletion; nil: a RestrictedError
	marks     bool                                  // a refused deletion adds a finalizer
	late      bool                                  // the lock comes after the look
	alone     bool                                  // so it does, and each handle has a lock of the look

	own chan struct{} // the lock of a handle
}

// locked takes the lock of the handle, if the look has one.
func (l restrictLook) locked() func() {
	if !l.alone {
		return func() {}
	}
	l.own <- struct{}{}
	return func() { <-l.own }
}

func (s strictWrites) remove(by string, sound deleteFunc) deleteFunc {
	return func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
		defer s.look.locked()()
		early := s.look.late || s.look.alone
		if early {
			if err := s.restricted(ctx, by, key, opts); err != nil {
				return err
			}
			<-time.After(time.Millisecond) // the reference comes between the look and the mark
		}
		defer s.locked()()
		if !early {
			if err := s.restricted(ctx, by, key, opts); err != nil {
				return err
			}
		}
		return sound(ctx, key, opts)
	}
}

// restricted returns the error of the deletion of a restricted object.
func (s strictWrites) restricted(ctx context.Context, by string, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	live, err := s.store.Get(ctx, key)
	if err != nil || live.Deleting || !opts.Precondition.Holds(live) || s.look.free != nil && s.look.free(deletion{by, live, opts}) {
		return nil
	}
	restricts := finalizer.Restricts
	if s.look.restricts != nil {
		restricts = s.look.restricts
	}
	var dependents []ownergraph.Key
	for _, d := range s.store.(interface{ Objects() []ownergraph.Object }).Objects() {
		if restricts(d, live) {
			dependents = append(dependents, d.Key)
		}
	}
	switch {
	case len(dependents) == 0:
		return nil
	case s.look.marks:
		live.Finalizers = append(live.Finalizers, moreFinalizer)
		if _, err := s.client.Update(ctx, live); err != nil {
			return err
		}
	case s.look.error != nil:
		return fmt.Errorf("delete %s: %w", key, s.look.error)
	}
	return graph.NewRestrictedError(key, dependents)
}

// laxDeletions is a store whose batches delete without a look.
func laxDeletions(tb TB, s Subject) Subject {
	lax := s.Store
	s = strictBug(strictWrites{})(tb, s)
	sound := s.Store
	s.Store = withBatch(tb, s.Store, lax, func(batchFunc) batchFunc {
		return func(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
			results := make([]error, len(writes))
			for i, w := range writes {
				if w.Type == graph.WritePatch {
					results[i] = sound.Patch(ctx, w.Key, w.Precondition, w.Change)
				} else {
					results[i] = lax.Delete(ctx, w.Key, w.Options)
				}
			}
			return results, ctx.Err()
		}
	})
	return s
}
