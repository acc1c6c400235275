package sqlstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
)

// Restored tells the store that the database was restored from a backup. Call it after the
// restore, before the first write, and after every process that used the database has
// ended. Every object gets a version that no object ever had. Every watch announces
// Rewound with a new epoch, in all processes, and lists every kind anew.
//
// The versions jump to the present time in nanoseconds, or further. So they are higher than
// all that were given before, if the clock of an earlier restore was right.
//
// On Postgres the server of this connection is the server of this store from then on.
//
//test:by TestKit TestRestored TestRestoreIsFound TestOtherServer TestTwoServers
func (s *Store) Restored(ctx context.Context) error {
	const reason = "restored from a backup"
	t, ok := s.tables.(*postgresTables)
	if !ok {
		return s.newEpoch(ctx, nil, reason, nil)
	}
	var system int64
	s.primary.take(0)
	err := s.newEpoch(ctx, nil, reason, func(ses *session) (err error) {
		system, err = t.primaryOf(ctx, ses.c.tx)
		return err
	})
	if err == nil {
		s.primary.take(system)
	}
	return err
}

// otherLog is the reason of an epoch that a watch begins.
const otherLog = "the log is not the one that was read before"

// noteRestore is for a watch that finds another history in the database than it has read, and
// for a compaction that finds a stray.
// The epoch is the one that it found. Another watch may be first. On Postgres all connections
// lead to the primary that the watch has read, or nothing is written.
//
//test:by TestStandbyIsRefused TestTwoServers
func (s *Store) noteRestore(ctx context.Context, epoch, reason string) error {
	var check func(*session) error
	if t, ok := s.tables.(*postgresTables); ok {
		system, err := s.agree(ctx, t)
		if err == nil {
			err = s.primary.check(system)
		}
		if err != nil {
			return fmt.Errorf("judge a restore: %w", err)
		}
		check = func(ses *session) error { return t.sameServer(ctx, ses.c.tx, system) }
	}
	return s.newEpoch(ctx, &epoch, reason, check)
}

func (s *Store) newEpoch(ctx context.Context, expect *string, reason string, check func(*session) error) error {
	epoch := rand.Text()
	err := s.transact(ctx, func(ses *session) error {
		if check != nil {
			if err := check(ses); err != nil {
				return err
			}
		}
		return s.tables.restored(ctx, &ses.c, expect, epoch, reason, time.Now().UnixNano())
	})
	s.announce()
	if err != nil {
		return fmt.Errorf("begin an epoch: %w", readFailed("write", "the restore", err))
	}
	return nil
}

// strayError is a change below the floor of the log, which no watch reads. On Postgres a
// transaction of the user makes one, if its snapshot is older than the epoch that began before
// its first write.
type strayError struct {
	pos, floor int64
	epoch      string
}

func (e *strayError) Error() string {
	return fmt.Sprintf("position %d is below the floor %d of the log: a transaction with an old snapshot made it", e.pos, e.floor)
}

// noteStray begins an epoch if the error is a stray, so that every watch lists its object. It
// returns any other error as it is.
//
//test:by TestStray
func (s *Store) noteStray(ctx context.Context, err error) error {
	if stray, ok := errors.AsType[*strayError](err); ok {
		return s.noteRestore(ctx, stray.epoch, stray.Error())
	}
	return err
}
