package memory

import (
	"context"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// HasArchive reports whether the store has Config.Archive (archive.Store).
func (s *Store) HasArchive() bool { return s.archives }

// Entries returns a page of entries, as of one moment (archive.Store).
//
//test:by TestArchive
func (s *Store) Entries(ctx context.Context, q archive.Query) (archive.Page, error) {
	if err := ctx.Err(); err != nil {
		return archive.Page{}, err
	}
	return s.view().Entries(q)
}

// RestoreEntries creates the objects of entries (archive.Store). The payload of an object is its labels.
//
//test:by TestArchive
func (s *Store) RestoreEntries(ctx context.Context, items []archive.Item) (keys []graph.Key, err error) {
	err = s.writeMany(ctx, func() (done []replica.Commit, err error) {
		keys, done, err = s.state.RestoreEntries(items)
		return done, err
	})
	return keys, err
}

// HoldEntry puts a hold on an entry or a living object (archive.Store).
func (s *Store) HoldEntry(ctx context.Context, key graph.Key, h archive.Hold) error {
	return s.writeMany(ctx, func() ([]replica.Commit, error) { return one(s.state.HoldEntry(key, h)) })
}

// EndHold takes a hold off (archive.Store).
func (s *Store) EndHold(ctx context.Context, key graph.Key, by string) error {
	return s.writeMany(ctx, func() ([]replica.Commit, error) { return one(s.state.EndHold(key, by)) })
}

// PurgeEntries drops ended holds and entries (archive.Store).
func (s *Store) PurgeEntries(ctx context.Context, uids []graph.UID) (n int, err error) {
	err = s.writeMany(ctx, func() (done []replica.Commit, err error) {
		n, done, err = s.state.PurgeEntries(uids)
		return done, err
	})
	return n, err
}

// Extent returns the size of the archive (archive.Store).
func (s *Store) Extent(ctx context.Context) (archive.Extent, error) {
	if err := ctx.Err(); err != nil {
		return archive.Extent{}, err
	}
	return s.view().Extent(), nil
}

// writeMany runs writes at one moment, and logs their commits.
func (s *Store) writeMany(ctx context.Context, do func() ([]replica.Commit, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	done, err := do()
	changed := false
	for _, c := range done {
		if c.Changed() {
			s.log.add(c)
			changed = true
		}
	}
	if changed {
		s.announce()
	}
	return err
}

// one returns the commit of a write that may change no object.
func one(c replica.Commit, err error) ([]replica.Commit, error) { return []replica.Commit{c}, err }

var _ archive.Store = (*Store)(nil)
