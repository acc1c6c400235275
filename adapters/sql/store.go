package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Store keeps objects in a database. It is an ownergraph.Store, Fencer, Lister,
// LabelSelector, VersionComparer, Leveler, Records and Batcher. It is safe for concurrent
// use. Any number of stores and processes may use one database. Use New.
type Store struct {
	db     *sql.DB
	conf   Config
	tables tables
	stmts  statements
	kinds  atomic.Pointer[kindSet] // the last set that was read

	writing chan struct{} // SQLite: taken by the one writer of this process

	mu      sync.Mutex
	watches map[*watch]struct{}
	wake    chan struct{} // closed by the next write of this store
	seen    furthest      // the furthest look at the log
	cut     time.Time     // of the last compaction
}

var _ interface {
	ownergraph.Store
	ownergraph.Fencer
	ownergraph.Lister
	ownergraph.LabelSelector
	ownergraph.VersionComparer
	ownergraph.Leveler
	ownergraph.Records
	ownergraph.Batcher
} = (*Store)(nil)

// Close closes the prepared statements. It does not close the database. No other method
// runs during the call or after it.
func (s *Store) Close() error { return s.stmts.close() }

// Level returns Level2, or level 3 for a strict store (ownergraph.Leveler).
func (s *Store) Level() ownergraph.Level {
	if s.conf.Strict {
		return ownergraph.Level3
	}
	return ownergraph.Level2
}

// Get returns the object at key's coordinates and ignores the UID of key. Errors:
// ErrNotFound, ErrKindUnknown.
//
// Held by TestKit.
func (s *Store) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	if err := ctx.Err(); err != nil {
		return graph.Object{}, fmt.Errorf("get %s: %w", name(key), err)
	}
	var r *row
	err := s.retry(ctx, func() (err error) {
		ses, err := s.reading(ctx)
		if err == nil {
			r, err = ses.find(ctx, "get", key)
		}
		return err
	})
	if err != nil {
		return graph.Object{}, readFailed("get", name(key), err)
	}
	return r.object, nil
}

// reading returns a session without a transaction, for reads. On Postgres it also serves
// writes, because each write is one statement.
func (s *Store) reading(ctx context.Context) (*session, error) {
	if err := s.stmts.prepare(ctx, s.db, s.tables); err != nil {
		return nil, err
	}
	return &session{s: s, c: conn{s: s}}, nil
}

// announce wakes every watch of this store.
func (s *Store) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.wake)
	s.wake = make(chan struct{})
}

func (s *Store) waking() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wake
}
