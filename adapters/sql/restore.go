package sqlstore

import (
	"context"
	"crypto/rand"
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
// Held by TestKit, TestRestored, TestRestoreIsFound and TestOtherServer.
func (s *Store) Restored(ctx context.Context) error {
	return s.newEpoch(ctx, nil, "restored from a backup")
}

// noteRestore is for a watch that finds another history in the database than it has read.
// The epoch is the one that it found. Another watch may be first.
func (s *Store) noteRestore(ctx context.Context, epoch string) error {
	return s.newEpoch(ctx, &epoch, "the log is not the one that was read before")
}

func (s *Store) newEpoch(ctx context.Context, expect *string, reason string) error {
	epoch := rand.Text()
	err := s.transact(ctx, func(ses *session) error {
		return s.tables.restored(ctx, &ses.c, expect, epoch, reason, time.Now().UnixNano())
	})
	s.announce()
	if err != nil {
		return fmt.Errorf("begin an epoch: %w", readFailed("write", "the restore", err))
	}
	return nil
}
