package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/logline"
)

// Store keeps objects in a database. It is an ownergraph.Store, Fencer, Lister,
// LabelSelector, VersionComparer, Leveler, Records, Constrainer, Gracer, Batcher and Limiter, and an archive.Store. It is
// safe for concurrent use. Any number of stores and processes may use one database. Use New.
type Store struct {
	db      *sql.DB
	conf    Config
	tables  tables
	stmts   statements
	kinds   atomic.Pointer[kindSet] // the last set that was read
	primary primary

	writing chan struct{} // SQLite: taken by the one writer of this process
	turns   turns         // of the writers on SQLite

	standAfter time.Duration

	mu      sync.Mutex
	watches map[*watch]struct{}
	wake    chan struct{} // closed by the next write of this store
	seen    furthest      // the furthest look at the log
	cut     time.Time     // of the last compaction beside a watch
	cutting bool          // one is under way
	cuts    failures      // of all compactions
	log     *logline.Log
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
	ownergraph.Limiter
	ownergraph.Constrainer
	ownergraph.Gracer
	archive.Store
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

// KeepsGrace returns true (ownergraph.Gracer).
//
//test:by TestKeepsGrace
func (s *Store) KeepsGrace() bool { return true }

// Get returns the object at key's coordinates and ignores the UID of key. Errors:
// ErrNotFound, ErrKindUnknown.
//
//test:by TestKit
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
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	return &session{s: s, c: conn{s: s}}, nil
}

// maxDead bounds the dead connections of a pool that one read meets, as after a restart of the
// server.
const maxDead = 64

// onOne is for reads with several statements. On Postgres they go to one server, on one connection. Do
// begins anew after a connection that was dead: database/sql does so only without a connection of
// the caller.
//
//test:by TestStandbyIsRefused TestCrashTakesNumbersBack
func (s *Store) onOne(ctx context.Context, do func(*session) error) error {
	ses, err := s.reading(ctx)
	if err != nil {
		return err
	}
	if s.conf.Dialect != Postgres {
		return do(ses)
	}
	for n := 0; ; n++ {
		if ses.c.only, err = s.db.Conn(ctx); err != nil {
			return fmt.Errorf("connect: %w", err)
		}
		err = do(ses)
		_ = ses.c.only.Close() // back to the pool
		if err == nil || n == maxDead || ctx.Err() != nil || !isDead(err) {
			return err
		}
	}
}

// isDead reports whether a connection has broken.
func isDead(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
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
