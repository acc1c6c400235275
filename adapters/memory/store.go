package memory

import (
	"cmp"
	"context"
	"strconv"
	"sync"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// Store is a State that any number of goroutines may use and watch at once. It
// is an ownergraph.Store, Fencer, Lister, Selector and VersionComparer. Use New.
//
// The lock is held for one write or for the look at what a watch has to report,
// never while a sink runs. A context that has ended ends every call at once,
// with the context's error and without effect.
type Store struct {
	mu      sync.Mutex
	state   *replica.State
	log     changeLog
	control uint64 // counts changes of the set of kinds and of their health
	rewinds uint64 // counts restores
	reason  string // of the latest restore
	watches map[*watch]struct{}
	wake    chan struct{} // closed at the next change; nil if no watch waits
}

// Get returns the object at key's coordinates, whatever its UID. Errors:
// ErrNotFound, ErrKindUnknown, ErrSick.
func (s *Store) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	if err := ctx.Err(); err != nil {
		return graph.Object{}, err
	}
	return s.view().Get(key)
}

// Create adds an object and returns it as it is held: with its UID and version,
// and its references resolved. The errors are those of State.Create.
func (s *Store) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	return s.write(ctx, func() (replica.Commit, error) { return s.state.Create(o) })
}

// Update replaces an object and returns it as it is now, or as it was last if
// the update let it go. The errors are those of State.Update.
func (s *Store) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	return s.write(ctx, func() (replica.Commit, error) { return s.state.Update(o) })
}

// Patch applies change to the object at key's coordinates, if pre holds. The
// errors are those of State.Patch.
func (s *Store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	_, err := s.write(ctx, func() (replica.Commit, error) { return s.state.Patch(key, pre, change) })
	return err
}

// Delete deletes the object at key's coordinates. The errors are those of
// State.Delete.
func (s *Store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	_, err := s.write(ctx, func() (replica.Commit, error) { return s.state.Delete(key, opts) })
	return err
}

// Objects returns everything that is held of the kinds that are served, sorted
// by key, as it was at one moment.
func (s *Store) Objects() []graph.Object { return s.view().Objects() }

// Snapshot notes what is held now, for Restore.
func (s *Store) Snapshot() Snapshot { return Snapshot{s.view().Snapshot()} }

// Restore takes history back to the snapshot: see State.Restore. Every watch
// reports Rewound, and then lists everything anew. Rewound has the same epoch in
// every watch, also in those that begin later, until the next restore makes another
// one. Held by TestEpochs. Restore takes time in proportion to the objects.
func (s *Store) Restore(to Snapshot) error {
	return s.steer(func() error {
		if err := s.state.Restore(to.of); err != nil {
			return err
		}
		s.rewinds++
		s.reason = "restored to version " + string(to.of.Version())
		s.log.clear()
		return nil
	})
}

// Compact drops the log: every watch that is behind lists everything anew.
func (s *Store) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.clear()
}

// AddKind serves a kind: see State.AddKind.
func (s *Store) AddKind(info graph.KindInfo) error {
	return s.steer(func() error { return s.state.AddKind(info) })
}

// RemoveKind stops serving a kind: see State.RemoveKind.
func (s *Store) RemoveKind(kind graph.Kind) error {
	return s.steer(func() error { return s.state.RemoveKind(kind) })
}

// Sicken takes a kind out of service: see the package's comment.
func (s *Store) Sicken(kind graph.Kind, reason string) error {
	return s.steer(func() error { return s.state.Sicken(kind, reason) })
}

// Recover takes a kind into service again. Every watch lists it anew.
func (s *Store) Recover(kind graph.Kind) error {
	return s.steer(func() error { return s.state.Recover(kind) })
}

// view returns what is held now. It never changes.
func (s *Store) view() *replica.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Clone()
}

// write runs one write, which must not call back, and logs what it did.
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

// steer changes the kinds, or history.
func (s *Store) steer(do func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := do(); err != nil {
		return err
	}
	s.control++
	s.announce()
	return nil
}

// announce wakes every watch that waits. The lock is held.
func (s *Store) announce() {
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

// changed returns a channel that is closed at the next change. The lock is
// held.
func (s *Store) changed() <-chan struct{} {
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	return s.wake
}

// CompareVersions orders two versions of the store, whatever their kinds, so
// that an engine sees a history that goes backwards (ownergraph.VersionComparer).
// Text that is no version is older than every version. Held by
// TestCompareVersions.
func (s *Store) CompareVersions(_ graph.Kind, a, b graph.Version) int {
	number := func(v graph.Version) uint64 {
		n, _ := strconv.ParseUint(string(v), 10, 64)
		return n
	}
	return cmp.Compare(number(a), number(b))
}
