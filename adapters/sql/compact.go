package sqlstore

import (
	"context"
	"fmt"
	"math"
	"time"
)

const (
	maxCut     = 10_000 // changes that one transaction deletes
	cutEvery   = time.Minute
	minJump    = 1 << 32 // of the versions at a restore
	everything = math.MaxInt64
)

// Compact cuts the log of changes to Config.LogAge and Config.LogSize. Every watch does so
// once a minute. So only a program without a watch has to call it. A watch that is further
// behind lists every kind anew.
//
// Held by TestSlowWatchBehindCompaction and TestCompactKeepsTheSize.
func (s *Store) Compact(ctx context.Context) error {
	return s.compactTo(ctx, s.conf.LogSize, time.Now().Add(-s.conf.LogAge).UnixMilli())
}

// compactTo deletes the changes in small transactions, so that writers wait briefly.
func (s *Store) compactTo(ctx context.Context, keep int, before int64) error {
	for more := true; more; {
		err := s.transact(ctx, func(ses *session) (err error) {
			more, err = s.tables.compact(ctx, &ses.c, keep, before)
			return err
		})
		if err != nil {
			return fmt.Errorf("compact: %w", readFailed("cut", "the log", err))
		}
	}
	return nil
}

// compactSometimes is for watches. An error is left to the next try.
func (s *Store) compactSometimes(ctx context.Context) {
	s.mu.Lock()
	due := time.Since(s.cut) >= cutEvery
	if due {
		s.cut = time.Now()
	}
	s.mu.Unlock()
	if due {
		_ = s.Compact(ctx)
	}
}
