package replica

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Snapshot has the kinds and objects of a State at one moment. It is an immutable value,
// made in constant time, and safe for concurrent use.
type Snapshot struct {
	of      *settings
	tables  tree[graph.Kind, table]
	version uint64
	// restricts and marks belong to the objects of the tables.
	restricts tree[restriction, struct{}]
	marks     tree[graph.UID, struct{}]
	archived  archived
}

// Snapshot returns the present kinds and objects.
func (s *State) Snapshot() Snapshot {
	return Snapshot{s.conf, s.tables, s.version, s.restricts, s.marks, s.archived}
}

// Version returns the version that the State had at the moment of the snapshot.
func (s Snapshot) Version() graph.Version { return version(s.version) }

// Restore sets kinds and objects back to the snapshot, with their UIDs of then. The
// counters do not go back, so a UID never names a second object. The health of a kind is
// not a part of the snapshot. Restore returns ErrRefused for a snapshot of another store.
//
// Every object gets a new version, higher than all earlier versions, in order of kind and
// key. So a version from before the restore never names an object again. A write that is
// conditioned on such a version gets ErrConflict. The reason for that write may be void,
// because an absent owner may be back.
//
//test:by TestRestore TestRestoreRefusesOldWrites TestRestoreRaisesEveryVersion
func (s *State) Restore(to Snapshot) error {
	if to.of != s.conf {
		return fmt.Errorf("restore: snapshot: of another store: %w", graph.ErrRefused)
	}
	now := s.tables
	s.tables, s.restricts, s.marks, s.archived = to.tables, to.restricts, to.marks, to.archived
	for kind, t := range to.tables.all() {
		before, _ := now.get(kind)
		if t.sick, t.reason = before.sick && t.served, ""; t.sick {
			t.reason = before.reason
		}
		s.tables = s.tables.put(kind, t)
	}
	s.nextVersion()
	s.renew()
	s.restores++
	s.epoch = s.conf.epoch(s.restores)
	return nil
}

// Epoch returns the identity of the latest restore, or "" before the first one.
func (s *State) Epoch() string { return s.epoch }

// renew gives every object a new version. It includes the objects of removed kinds.
func (s *State) renew() {
	s.tables = s.tables.change(func(t table) table {
		t.objects = t.objects.change(func(o *graph.Object) *graph.Object {
			renewed := *o // its slices are immutable, and shared with the snapshot
			renewed.Version = s.nextVersion()
			return &renewed
		})
		return t
	})
}
