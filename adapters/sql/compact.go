package sqlstore

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/ownergraph/ownergraph/logline"
)

const (
	maxCut     = 10_000 // changes that one transaction deletes
	cutEvery   = time.Minute
	minJump    = 1 << 32 // of the versions at a restore
	everything = math.MaxInt64
)

// cut is one run of the compaction. Each transaction of it looks at maxCut changes, from the
// end of the one before.
type cut struct {
	keep   int   // the newest changes, which stay
	before int64 // changes that were written before this time in milliseconds go
	begun  bool
	from   int64 // every change below is deleted
	size   int64 // changes below go because of keep
	end    int64 // the changes from here on stay
}

// Compact cuts the log of changes to Config.LogAge and Config.LogSize. Every watch does so
// once a minute, beside its reports, and not before its first listing has ended or a minute
// is over. So only a program without a watch has to call it. A watch that is further behind
// lists every kind anew. FailedCompactions has the errors of all these runs.
//
// Each transaction deletes at most 10,000 changes, and looks at no others, so that writers
// wait briefly. On Postgres a change of a larger transaction goes with the others of it.
//
//test:by TestSlowWatchBehindCompaction TestCompactKeepsTheSize TestCompactIsLinear
//test:by TestCompactBesideTheWatch
func (s *Store) Compact(ctx context.Context) error {
	err := s.noteStray(ctx, s.compactTo(ctx, s.conf.LogSize, time.Now().Add(-s.conf.LogAge).UnixMilli()))
	if err == nil || ctx.Err() == nil {
		s.noteCompaction(err)
	}
	return err
}

func (s *Store) compactTo(ctx context.Context, keep int, before int64) error {
	x := cut{keep: keep, before: before}
	for more := true; more; {
		err := s.transact(ctx, func(ses *session) (err error) {
			next := x // a transaction that is repeated begins anew
			if more, err = s.tables.compact(ctx, &ses.c, &next); err == nil {
				x = next
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("compact: %w", readFailed("cut", "the log", err))
		}
	}
	return nil
}

// compactBeside runs the compaction beside a watch, if it is due and no other one runs.
func (s *Store) compactBeside(ctx context.Context, w *watch) {
	s.mu.Lock()
	due := !s.cutting && time.Since(s.cut) >= cutEvery && (len(w.ending) == 0 || time.Since(w.began) >= cutEvery)
	if due {
		s.cut, s.cutting = time.Now(), true
	}
	s.mu.Unlock()
	if !due {
		return
	}
	w.beside.Go(func() {
		_ = s.Compact(ctx) // which notes its error
		s.mu.Lock()
		s.cutting = false
		s.mu.Unlock()
	})
}

// failures are the failed runs of the compaction.
type failures struct {
	count uint64
	since time.Time // zero if the last run was not one of them
	err   error
}

// FailedCompactions returns the number of runs of the compaction that have failed in this
// store. If the last run has failed, it also returns the time of the first failure since a
// run that succeeded, and the last error. The log grows meanwhile. Config.Logger has a line
// for each cause in a minute, and for the end of the failures.
//
//test:by TestCompactionFails
func (s *Store) FailedCompactions() (count uint64, since time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cuts.count, s.cuts.since, s.cuts.err
}

func (s *Store) noteCompaction(err error) {
	s.mu.Lock()
	old := s.cuts
	switch x := &s.cuts; {
	case err == nil:
		x.since, x.err = time.Time{}, nil
	default:
		x.count++
		if x.err = err; x.since.IsZero() {
			x.since = time.Now()
		}
	}
	s.mu.Unlock()
	switch {
	case err != nil:
		s.log.Line(slog.LevelWarn, "compaction of the log fails", logline.Cause(err), "err", err)
	case old.err != nil:
		s.log.Line(slog.LevelInfo, "compaction of the log succeeds again", "")
	}
}
