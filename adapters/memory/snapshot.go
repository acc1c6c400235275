package memory

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Snapshot is what a store held at one moment: its kinds and objects. It is an
// immutable value, made in constant time, and safe for concurrent use.
type Snapshot struct {
	of      *settings
	shelves tree[graph.Kind, shelf]
	version uint64
}

// Snapshot notes what is held now.
func (s *State) Snapshot() Snapshot { return Snapshot{s.conf, s.shelves, s.version} }

// Restore takes history back to the snapshot: kinds and objects are what they
// were, with the UIDs that they had. The counters do not go back, so no UID ever
// names something else. Which kinds are sick is no part of history. ErrRefused for a
// snapshot of another store. Held by TestRestore.
//
// Every object gets a new version, higher than all before, in order of kind and
// key. So no version of the time before stands for an object again: a write that
// was conditioned on one gets ErrConflict. Its reason may be void, since an owner
// that was gone may be back. Held by TestRestoreRefusesOldWrites and
// TestRestoreRaisesEveryVersion.
func (s *State) Restore(to Snapshot) error {
	if to.of != s.conf {
		return fmt.Errorf("restore: snapshot: of another store: %w", graph.ErrRefused)
	}
	now := s.shelves
	s.shelves = to.shelves
	for kind, sh := range to.shelves.all() {
		was, _ := now.get(kind)
		if sh.sick, sh.reason = was.sick && sh.served, ""; sh.sick {
			sh.reason = was.reason
		}
		s.shelves = s.shelves.put(kind, sh)
	}
	s.next()
	s.renew()
	return nil
}

// renew gives every object a new version, also those of kinds that are not served.
func (s *State) renew() {
	s.shelves = s.shelves.change(func(sh shelf) shelf {
		sh.objects = sh.objects.change(func(o *graph.Object) *graph.Object {
			renewed := *o // what it holds is immutable, and shared with the snapshot
			renewed.Version = s.next()
			return &renewed
		})
		return sh
	})
}
