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
// were, with the UIDs and versions that they had. The counters do not go back,
// so no UID and no version will ever name something else. Which kinds are sick
// is no part of history. ErrRefused for a snapshot of another store. Held by
// TestRestore.
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
	return nil
}
