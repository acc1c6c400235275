package memory

import (
	"cmp"
	"context"
	"strconv"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// Store is the reference store. It is safe for concurrent use by any number of
// goroutines and watches. It is an ownergraph.Store, Fencer, Lister, Selector, Leveler,
// VersionComparer, Gracer and Records. Use New.
//
// Store has its lock for one write, or to compute the reports of a watch. It never
// has the lock while a sink runs. A call whose context has ended returns the
// context's error at once and has no effect.
//
//test:by TestStoreAliasesNothing TestReadersNeverWait TestEndedContext TestSinkMayCall
type Store struct {
	level    ownergraph.Level // unset, or Level3
	archives bool             // it has an archive

	mu      sync.Mutex
	state   *replica.State
	log     changeLog
	control uint64 // counts changes of the set of kinds and of their health
	token   uint64 // of the last fence; no restore takes it back
	rewinds uint64 // counts restores
	reason  string // of the latest restore
	watches map[*watch]struct{}

	records  map[string]graph.Record
	recorded uint64 // the version of the record that was written last; no restore takes it back

	wake chan struct{} // closed at the next change; nil if no watch is idle
}

// Get returns the object at key's coordinates and ignores the UID of key. Errors:
// ErrNotFound, ErrKindUnknown.
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
//   - ErrRefused for an owner that takes no dependents: see Config.Strict.
func (s *Store) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	return s.write(ctx, func() (replica.Commit, error) { return s.state.Create(o) })
}

// Update replaces the object at o's coordinates by o, by the rules of finalizer.Update.
// UID and Version are preconditions. An empty one is always met. Update returns the
// object after the write. If the update removes the object, it returns the last state.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Update, and Create's for the
// content of o.
func (s *Store) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	return s.write(ctx, func() (replica.Commit, error) { return s.state.Update(o) })
}

// Patch applies change to the object at key's coordinates, if pre is met, by the rules
// of finalizer.Patch. A change that only removes is always valid, so a caller can free
// an invalid object. DropOwners and Unblock name references as Get returns them.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Patch, and Create's
// for the additions of the change.
func (s *Store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	_, err := s.write(ctx, func() (replica.Commit, error) { return s.state.Patch(key, pre, change) })
	return err
}

// Delete deletes the object at key's coordinates, by the rules of finalizer.Delete. A
// nil grace means no grace period.
//
// Errors: ErrKindUnknown, ErrNotFound, those of finalizer.Delete, and graph.ErrRestricted for a
// restricted object: see Config.Strict.
func (s *Store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	_, err := s.write(ctx, func() (replica.Commit, error) { return s.state.Delete(key, opts) })
	return err
}

// Level returns ownergraph.Level3 for a store with Config.Strict. Otherwise it returns
// LevelUnset, and the powers of the store show its level (ownergraph.Leveler).
//
//test:by TestLevel
func (s *Store) Level() ownergraph.Level { return s.level }

// KeepsGrace returns true (ownergraph.Gracer).
//
//test:by TestKeepsGrace
func (s *Store) KeepsGrace() bool { return true }

// Objects returns the objects of all served kinds at one moment, sorted by key. It
// returns those of sick kinds too.
func (s *Store) Objects() []graph.Object { return s.view().Objects() }

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

// announce wakes every idle watch. The caller has the lock.
func (s *Store) announce() {
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

// changed returns a channel that is closed at the next change. The caller has the lock.
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
//test:by TestCompareVersions
func (s *Store) CompareVersions(_ graph.Kind, a, b graph.Version) int {
	number := func(v graph.Version) uint64 {
		n, _ := strconv.ParseUint(string(v), 10, 64)
		return n
	}
	return cmp.Compare(number(a), number(b))
}
