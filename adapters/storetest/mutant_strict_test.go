package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func mutantsOfStrict() []mutant {
	only := func(verbs ...string) strictWrites {
		return strictWrites{skips: func(w refWrite) bool { return !slices.Contains(verbs, w.verb) }}
	}
	judged := func(refuses func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool) strictWrites {
		return strictWrites{refuses: refuses}
	}
	return []mutant{
		{name: "no reference is checked", law: strictAbsent, reason: "the level is declared, and nothing is done for it", plant: strictBug(only())},
		{name: "an absent owner is not found", law: strictAbsent, reason: "the error of the look-up is passed on", plant: strictBug(strictWrites{error: graph.ErrNotFound})},
		{name: "an owner is found by its name", law: "level3/other-incarnation", reason: "the foreign key has no UID",
			plant: strictBug(judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				if err == nil && r.UID != owner.UID {
					return owner.Waiting() || owner.Orphaning()
				}
				return soundly(w, r, owner, err)
			}))},
		{name: "only the existence of an owner is checked", law: strictForeground, reason: "a foreign key does so",
			plant: strictBug(judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				owner.Deleting = false
				return soundly(w, r, owner, err)
			}))},
		{name: "only a foreground mark is checked", law: strictOrphan, reason: "a finalizer is forgotten",
			plant: strictBug(judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				owner.Deleting = owner.Deleting && !owner.Orphaning()
				return soundly(w, r, owner, err)
			}))},
		{name: "every mark is checked", law: "level3/background-owner", reason: "the finalizers are forgotten",
			plant: strictBug(judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				if owner.Deleting {
					owner.Finalizers = []string{graph.FinalizerForeground}
				}
				return soundly(w, r, owner, err)
			}))},
		{name: "only creations are checked", law: strictUpdate, reason: "the trigger is for inserts", plant: strictBug(only("create"))},
		{name: "patches are not checked", law: strictPatch, reason: "only engines patch, and an engine adds no reference", plant: strictBug(only("create", "update"))},
		{name: "the patches of a batch are not checked", law: "level3/batch", reason: "a batch has its own statements", plant: func(tb TB, s Subject) Subject {
			lax := s.Store
			s = strictBug(strictWrites{})(tb, s)
			s.Store = withBatch(tb, s.Store, lax, func(sound batchFunc) batchFunc { return sound })
			return s
		}},
		{name: "a reference that moves is not checked", law: "level3/moved", reason: "references are counted",
			plant: strictBug(strictWrites{skips: func(w refWrite) bool { return len(w.next) <= len(w.had) }})},
		{name: "a reference that begins to block is not checked", law: "level3/blocking", reason: "references are compared without their flags",
			plant: strictBug(judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				return !slices.ContainsFunc(w.had, r.Same) && soundly(w, r, owner, err)
			}))},
		{name: "every reference is checked again", law: "level3/kept", reason: "the rows are deleted and inserted",
			plant: strictBug(judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				w.had = nil
				return soundly(w, r, owner, err)
			}))},
		{name: "a reference that no longer blocks is checked", law: "level3/released", reason: "references are compared with their flags",
			plant: strictBug(judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				w.had = slices.DeleteFunc(slices.Clone(w.had), func(old ownergraph.Owner) bool { return old != r })
				return soundly(w, r, owner, err)
			}))},
		{name: "an owner of an unserved kind is absent", law: "level3/unserved", reason: "the look-up finds no row",
			plant: strictBug(judged(func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
				return soundly(w, r, owner, err) || errors.Is(err, graph.ErrKindUnknown)
			}))},
		{name: "a refused update writes its finalizers", law: "level3/refused-changes-nothing", reason: "the finalizers are another statement", plant: strictBug(strictWrites{half: true})},
		{name: "the check is outside of the transaction", law: "search/level3", reason: "the owner is read without a lock", plant: strictBug(strictWrites{apart: true})},
		{name: "each process has a lock of its own", law: "second/level3", reason: "a mutex in place of a row lock", plant: strictBug(strictWrites{alone: true})},
	}
}

// strictWrites judges references as a store of level 3, above a store of level 2. One lock
// makes each check and its write one step. Each field but the last three is a bug.
type strictWrites struct {
	refuses func(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool // nil: soundly
	skips   func(w refWrite) bool                                                         // writes without a check
	error   error                                                                         // of a refused write; nil: ErrRefused
	half    bool                                                                          // a refused update writes the finalizers
	apart   bool                                                                          // no lock is taken
	alone   bool                                                                          // each handle has a lock of its own
	look    restrictLook

	store  ownergraph.Store
	client Client
	lock   chan struct{} // a mutex whose waiters let virtual time pass
	checks *atomic.Int64 // of all handles: the checks that a write did not follow at once
}

// refWrite is a write of references. Its verb is "create", "update" or "patch".
type refWrite struct {
	verb       string
	key        ownergraph.Key
	had, next  []ownergraph.Owner
	finalizers []string // of an update
}

// strictBug makes a subject of level 3 from one of level 2, with a bug. Other handles and
// the restarted store are alike.
func strictBug(bug strictWrites) func(TB, Subject) Subject {
	return func(tb TB, s Subject) Subject {
		bug := bug
		bug.lock, bug.checks = make(chan struct{}, 1), new(atomic.Int64)
		return everywhere(bug.plant)(tb, s)
	}
}

func (s strictWrites) plant(_ TB, sub Subject) Subject {
	s.store, s.client = sub.Store, sub.Client
	if s.alone {
		s.lock = make(chan struct{}, 1)
	}
	s.look.own = make(chan struct{}, 1)
	sub.Store = &strictStore{&wrapper{Store: sub.Store, patch: s.patch, delete: s.remove("engine", sub.Store.Delete)}}
	sub.Client = &wrappedClient{Client: sub.Client, create: s.create, update: s.update, delete: s.remove("user", sub.Client.Delete)}
	return sub
}

// locked takes the lock, and returns the function that gives it back.
func (s strictWrites) locked() func() {
	if s.apart {
		return func() {}
	}
	s.lock <- struct{}{}
	return func() { <-s.lock }
}

// strictStore declares level 3.
type strictStore struct{ *wrapper }

func (s *strictStore) Level() ownergraph.Level { return ownergraph.Level3 }

func (s strictWrites) create(ctx context.Context, o ownergraph.Object) (out ownergraph.Object, err error) {
	err = s.do(ctx, func(ownergraph.Object, bool) refWrite {
		return refWrite{verb: "create", next: o.Owners}
	}, o.Key, func() error { out, err = s.client.Create(ctx, o); return err })
	return out, err
}

func (s strictWrites) update(ctx context.Context, o ownergraph.Object) (out ownergraph.Object, err error) {
	err = s.do(ctx, func(live ownergraph.Object, there bool) refWrite {
		if !there || live.Version != o.Version {
			return refWrite{}
		}
		return refWrite{verb: "update", had: live.Owners, next: o.Owners, finalizers: o.Finalizers}
	}, o.Key, func() error { out, err = s.client.Update(ctx, o); return err })
	return out, err
}

func (s strictWrites) patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
	return s.do(ctx, func(live ownergraph.Object, there bool) refWrite {
		if !there || !pre.Holds(live) {
			return refWrite{}
		}
		return refWrite{verb: "patch", had: live.Owners, next: c.Apply(live).Owners}
	}, key, func() error { return s.store.Patch(ctx, key, pre, c) })
}

// do checks a write and carries it out.
func (s strictWrites) do(ctx context.Context, describe func(live ownergraph.Object, there bool) refWrite, key ownergraph.Key, then func() error) error {
	defer s.look.locked()()
	defer s.locked()()
	live, err := s.store.Get(ctx, key)
	w := describe(live, err == nil)
	w.key = key
	if err := s.check(ctx, w); err != nil {
		if s.half && w.verb == "update" {
			live.Finalizers = w.finalizers
			_, half := s.client.Update(ctx, live)
			err = errors.Join(err, half)
		}
		return err
	}
	if s.apart || s.alone {
		// The mark comes between the check and the write. The times differ, or each write
		// would fall on the instant of the mark.
		<-time.After(time.Millisecond + time.Duration(s.checks.Add(1)%10)*70*time.Microsecond)
	}
	return then()
}

func (s strictWrites) check(ctx context.Context, w refWrite) error {
	if w.verb == "" || s.skips != nil && s.skips(w) {
		return nil
	}
	for _, r := range w.next {
		owner, err := s.store.Get(ctx, r.Key)
		if err != nil && !errors.Is(err, graph.ErrNotFound) && !errors.Is(err, graph.ErrKindUnknown) {
			return err
		}
		refuses := soundly
		if s.refuses != nil {
			refuses = s.refuses
		}
		if refuses(w, r, owner, err) {
			because := graph.ErrRefused
			if s.error != nil {
				because = s.error
			}
			return fmt.Errorf("%s %s: owner %s: %w", w.verb, w.key, r.Key, because)
		}
	}
	return nil
}

// soundly is the check of a sound store.
func soundly(w refWrite, r ownergraph.Owner, owner ownergraph.Object, err error) bool {
	had := func(old ownergraph.Owner) bool {
		return old.Same(r) && (old.Block || !r.Block) && old.OnDelete == r.OnDelete
	}
	switch {
	case errors.Is(err, graph.ErrKindUnknown), slices.ContainsFunc(w.had, had):
		return false
	case r.Unresolved:
		return err == nil && owner.UID == r.UID && owner.Deleting && r.OnDelete == graph.OnDeleteRestrict
	}
	return err != nil || owner.UID != r.UID || owner.Waiting() || owner.Orphaning() || owner.Deleting && r.OnDelete == graph.OnDeleteRestrict
}
