package memory

import (
	"cmp"
	"context"
	"strconv"
	"sync"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// Store is the reference store. It is safe for concurrent use by any number of
// goroutines and watches. It is an ownergraph.Store, Fencer, Lister, Selector and
// VersionComparer. Use New.
//
// Store holds its lock for one write, or to compute the reports of a watch. It never
// holds the lock while a sink runs. A call whose context has ended returns the
// context's error at once and has no effect.
//
// Held by TestStoreAliasesNothing, TestReadersNeverWait, TestEndedContext and
// TestSinkMayCall.
type Store struct {
	mu      sync.Mutex
	state   *replica.State
	log     changeLog
	control uint64 // counts changes of the set of kinds and of their health
	rewinds uint64 // counts restores
	reason  string // of the latest restore
	watches map[*watch]struct{}
	wake    chan struct{} // closed at the next change; nil if no watch is idle
}

// Get returns the object at key's coordinates and ignores the UID of key. Errors:
// ErrNotFound, ErrKindUnknown, ErrSick.
func (s *Store) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	if err := ctx.Err(); err != nil {
		return graph.Object{}, err
	}
	return s.view().Get(key)
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
//   - ErrRefused for a scope that admits no objects: see Config.Scopes.
func (s *Store) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	return s.write(ctx, func() (replica.Commit, error) { return s.state.Create(o) })
}

// Update replaces the object at o's coordinates by o, by the rules of finalizer.Update.
// UID and Version are preconditions. An empty one always holds. Update returns the
// object after the write. If the update removes the object, it returns the last state.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Update, and Create's for the
// content of o.
func (s *Store) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	return s.write(ctx, func() (replica.Commit, error) { return s.state.Update(o) })
}

// Patch applies change to the object at key's coordinates, if pre holds, by the rules
// of finalizer.Patch. A change that only removes is always valid, so a caller can free
// an invalid object. DropOwners and Unblock name references as Get returns them.
//
// Errors: ErrKindUnknown, ErrNotFound, ErrSick, those of finalizer.Patch, and Create's
// for the additions of the change.
func (s *Store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	_, err := s.write(ctx, func() (replica.Commit, error) { return s.state.Patch(key, pre, change) })
	return err
}

// Delete deletes the object at key's coordinates, by the rules of finalizer.Delete. A
// nil grace means no grace period.
//
// Errors: ErrKindUnknown, ErrNotFound, ErrSick, and those of finalizer.Delete.
func (s *Store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	_, err := s.write(ctx, func() (replica.Commit, error) { return s.state.Delete(key, opts) })
	return err
}

// Objects returns the objects of all served kinds at one moment, sorted by key. It
// returns those of sick kinds too.
func (s *Store) Objects() []graph.Object { return s.view().Objects() }

// Snapshot returns the present kinds and objects, for Restore.
func (s *Store) Snapshot() Snapshot { return Snapshot{s.view().Snapshot()} }

// Restore sets kinds and objects back to the snapshot, with their UIDs of then. The
// health of a kind is not a part of the snapshot. Restore returns ErrRefused for a
// snapshot of another store. It takes time in proportion to the objects.
//
// Every object gets a new version, higher than all earlier versions. So a write that is
// conditioned on a version from before the restore gets ErrConflict.
//
// Every watch reports Rewound and then lists every kind anew. Rewound has one epoch in
// every watch, including later watches. The next restore makes another epoch.
//
// Held by TestEpochs, and by TestRestore, TestRestoreRefusesOldWrites and
// TestRestoreRaisesEveryVersion of internal/replica.
func (s *Store) Restore(to Snapshot) error {
	return s.alter(func() error {
		if err := s.state.Restore(to.of); err != nil {
			return err
		}
		s.rewinds++
		s.reason = "restored to version " + string(to.of.Version())
		s.log.clear()
		return nil
	})
}

// Compact drops the log. Every watch that is behind lists every kind anew.
func (s *Store) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.clear()
}

// AddKind serves a kind, or replaces the description of a served kind. A kind that was
// removed and is added again has its former objects. AddKind returns ErrRefused for an
// empty name. It returns ErrRefused too if a kind with objects would change between
// scoped and global.
func (s *Store) AddKind(info graph.KindInfo) error {
	return s.alter(func() error { return s.state.AddKind(info) })
}

// RemoveKind stops serving a kind, and clears its sickness. The store keeps the objects
// of the kind and hides them. RemoveKind returns ErrKindUnknown for a kind that is not
// served.
func (s *Store) RemoveKind(kind graph.Kind) error {
	return s.alter(func() error { return s.state.RemoveKind(kind) })
}

// Sicken takes a kind out of service, with a reason: see the package comment. It
// returns ErrKindUnknown for a kind that is not served.
//
// Held by TestFenceOfSickKind, and by TestSick of internal/replica.
func (s *Store) Sicken(kind graph.Kind, reason string) error {
	return s.alter(func() error { return s.state.Sicken(kind, reason) })
}

// Recover takes a kind into service again. Every watch lists it anew. Recover returns
// ErrKindUnknown for a kind that is not served.
func (s *Store) Recover(kind graph.Kind) error {
	return s.alter(func() error { return s.state.Recover(kind) })
}

// view returns an immutable copy of the present state.
func (s *Store) view() *replica.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Clone()
}

// write runs one write and logs its commit. The write must not call the store.
func (s *Store) write(ctx context.Context, do func() (replica.Commit, error)) (graph.Object, error) {
	if err := ctx.Err(); err != nil {
		return graph.Object{}, err
	}
	c, err := s.locked(do)
	if err != nil {
		return graph.Object{}, err
	}
	return c.Object(), nil
}

func (s *Store) locked(do func() (replica.Commit, error)) (replica.Commit, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := do()
	if err == nil && c.Changed() {
		s.log.add(c)
		s.announce()
	}
	return c, err
}

// alter changes the kinds, their health, or history.
func (s *Store) alter(do func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := do(); err != nil {
		return err
	}
	s.control++
	s.announce()
	return nil
}

// announce wakes every idle watch. The lock is held.
func (s *Store) announce() {
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

// changed returns a channel that is closed at the next change. The lock is held.
func (s *Store) changed() <-chan struct{} {
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	return s.wake
}

// CompareVersions orders two versions of the store and ignores the kind
// (ownergraph.VersionComparer). With it an engine sees a rewind. A text that is not a
// version is older than every version.
//
// Held by TestCompareVersions.
func (s *Store) CompareVersions(_ graph.Kind, a, b graph.Version) int {
	number := func(v graph.Version) uint64 {
		n, _ := strconv.ParseUint(string(v), 10, 64)
		return n
	}
	return cmp.Compare(number(a), number(b))
}
