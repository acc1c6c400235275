package memory

import (
	"maps"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// Inside returns the store with faults for tests. Only this module can call it, because only it can make a Key.
func (s *Store) Inside(inside.Key) insider { return insider{s} }

// insider makes the faults of a store: restores, lost logs, and kinds that come, go and are
// out of service.
type insider struct{ *Store }

// KeepLog sets the number of changes that a new store keeps for its watches.
func (s insider) KeepLog(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.max = n
}

// Snapshot returns the present kinds and objects, for Restore.
func (s insider) Snapshot() replica.Snapshot { return s.view().Snapshot() }

// CopyRecords copies the records into another store, as a store on a disk keeps them.
func (s insider) CopyRecords(to *Store) {
	s.mu.Lock()
	all := maps.Clone(s.records)
	s.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	maps.Copy(to.records, all)
}

// Restore sets kinds and objects back to the snapshot, with their UIDs of then. The
// health of a kind and the records are not a part of the snapshot. Restore returns ErrRefused for a
// snapshot of another store. It takes time in proportion to the objects.
//
// Every object gets a new version, higher than all earlier versions. So a write that is
// conditioned on a version from before the restore gets ErrConflict.
//
// Every watch reports Rewound and then lists every kind anew. Rewound has one epoch in
// every watch, including later watches. The next restore makes another epoch.
//
//test:by TestEpochs internal/replica.TestRestore internal/replica.TestRestoreRefusesOldWrites
//test:by internal/replica.TestRestoreRaisesEveryVersion
func (s insider) Restore(to replica.Snapshot) error {
	return s.alter(func() error {
		if err := s.state.Restore(to); err != nil {
			return err
		}
		s.rewinds++
		s.reason = "restored to version " + string(to.Version())
		s.log.clear()
		return nil
	})
}

// Compact drops the log. Every watch that is behind lists every kind anew.
func (s insider) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.clear()
}

// AddKind serves a kind, or replaces the description of a served kind. A kind that was
// removed and is added again has its former objects. AddKind returns ErrRefused for an
// empty name. It returns ErrRefused too if a kind with objects would change between
// scoped and global.
func (s insider) AddKind(info graph.KindInfo) error {
	return s.alter(func() error { return s.state.AddKind(info) })
}

// RemoveKind stops serving a kind, and clears its sickness. The store keeps the objects
// of the kind and hides them. RemoveKind returns ErrKindUnknown for a kind that is not
// served.
func (s insider) RemoveKind(kind graph.Kind) error {
	return s.alter(func() error { return s.state.RemoveKind(kind) })
}

// Sicken takes a kind out of service, with a reason. Get, Patch and Delete then return
// replica.ErrSick. A watch reports KindSick, and then no event of the kind until the kind
// recovers. Create and Update still work, because other writers go on. That is why a sick
// kind blocks a fence. Sicken returns ErrKindUnknown for a kind that is not served.
//
//test:by TestFenceOfSickKind internal/replica.TestSick
func (s insider) Sicken(kind graph.Kind, reason string) error {
	return s.alter(func() error { return s.state.Sicken(kind, reason) })
}

// Recover takes a kind into service again. Every watch lists it anew. Recover returns
// ErrKindUnknown for a kind that is not served.
func (s insider) Recover(kind graph.Kind) error {
	return s.alter(func() error { return s.state.Recover(kind) })
}
