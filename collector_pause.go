package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/pause"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/share"
)

// Pause stops the writes and the handlers of the covered objects (RULES, G6). It returns as
// soon as none of them is under way. From then until Resume, this collector begins no write
// and no run of a handler for a covered object. The report names the writes of unknown
// outcome, which the store may still carry out. Pause again returns a new report.
//
// Observing, reads, fences and reports go on. Plan forecasts the end of the pause too, and
// says so (plan.EnginePaused). The user's own writes go on: owners.Adopt and DeletePlanned, and
// the writes of handlers that the pause does not cover.
//
// If the context ends before, the pause stays in force. The error says that it is not
// confirmed, names the calls under way, and wraps the cause. A handler that hangs does that.
//
// With Config.Record, Pause writes the record, too. The error says if that has failed. A
// collector that begins later is then paused before its first write. One that runs obeys
// within 10 s, or with its next Pause or Resume.
//
// Pause may be called before Run, and again for the same extent. After the end of the
// collector the error is ErrClosed. It wraps ErrInvalid for an extent that is not exactly
// one of the three, beyond 1,000 pauses, and for a nil context. It wraps ErrConflict if a
// Resume comes before the confirmation.
//
//test:by TestPauseStopsWrites TestPauseHard TestPauseBatch TestPauseUnknown TestPauseNotConfirmed
//test:by TestPauseNoContext TestRecordSurvivesACrash
func (c *Collector) Pause(ctx context.Context, what engine.Extent) (r engine.PauseReport, err error) {
	switch {
	case ctx == nil:
		return r, fmt.Errorf("pause %s: context: nil: %w", what, ErrInvalid)
	case c.over():
		return r, fmt.Errorf("pause %s: %w", what, ErrClosed)
	}
	c.locked(func(e engine.Driver, now time.Time) { r, err = e.Pause(now, what) })
	if err != nil {
		return r, err
	}
	recorded := c.changeRecord(ctx, func(list []pause.Pause) []pause.Pause { return pause.Add(list, pause.Extent(what), time.Now()) })
	r, err = c.awaitPaused(ctx, what)
	switch {
	case recorded == nil && err == nil:
		return r, nil
	case recorded == nil:
		return r, fmt.Errorf("pause %s: %w", what, err)
	case err == nil:
		return r, fmt.Errorf("pause %s: in force here, and not recorded: %w", what, recorded)
	}
	return r, fmt.Errorf("pause %s: %w; not recorded: %w", what, err, recorded)
}

// Resume ends a pause. It changes nothing without one. The other pauses stay, even if they
// cover the same objects.
//
// With Config.Record, Resume takes the pause out of the record first. If that fails, the pause
// stays in force, and the error has the cause. Resume cannot end a pause of a record that cannot be
// read: see the documentation of package engine, "Record". The other errors are those of Pause.
//
//test:by TestPauseStopsWrites TestPauseNoContext TestRecordTogether
func (c *Collector) Resume(ctx context.Context, what engine.Extent) error {
	if ctx == nil {
		return fmt.Errorf("resume %s: context: nil: %w", what, ErrInvalid)
	}
	err := error(ErrClosed)
	if !c.over() {
		c.locked(func(e engine.Driver, now time.Time) { err = e.CheckPause(now, what) })
	}
	if err == nil {
		err = c.changeRecord(ctx, func(list []pause.Pause) []pause.Pause { return pause.Remove(list, pause.Extent(what)) })
	}
	if err != nil {
		return fmt.Errorf("resume %s: %w", what, err)
	}
	c.locked(func(e engine.Driver, now time.Time) { err = e.Resume(now, what) })
	c.wake()
	return err
}

// Paused returns the pauses in force: everything, then kinds, then scopes. Each has the calls that
// are still under way or of unknown outcome. A pause of the unknown record comes first.
//
//test:by TestPauseUnknown TestRecordUnreadable
func (c *Collector) Paused() (out []engine.PauseReport) {
	c.locked(func(e engine.Driver, _ time.Time) { out = e.Paused() })
	return out
}

// awaitPaused waits until no covered call is under way.
func (c *Collector) awaitPaused(ctx context.Context, what engine.Extent) (engine.PauseReport, error) {
	for {
		why := c.wait(ctx, &c.pausing, func(seq.Stamp) bool { return !c.engine.IsPausing(what) }, func(*run.Waiter, time.Time) { c.pausing.End() })
		r, ok, err := c.pauseNow(what)
		switch {
		case err != nil:
			return r, err
		case !ok:
			return r, fmt.Errorf("resumed before it was confirmed: %w", ErrConflict)
		case len(r.UnderWay) == 0:
			return r, nil
		case why != nil && c.over():
			return r, notConfirmed(r, ErrClosed)
		case why != nil:
			return r, notConfirmed(r, why)
		}
	}
}

// pauseNow returns the present report of a pause. It reports whether the pause is in force.
func (c *Collector) pauseNow(what engine.Extent) (r engine.PauseReport, ok bool, err error) {
	c.locked(func(e engine.Driver, _ time.Time) {
		r, ok = e.PauseOf(what)
		err = e.Err()
	})
	return r, ok, err
}

// notConfirmed returns the error of a pause that has not ended its calls.
func notConfirmed(r engine.PauseReport, why error) error {
	return fmt.Errorf("in force, and not confirmed: under way: %s: %w", run.FirstNames(r.UnderWay, len(r.UnderWay)), why)
}

// SetShare sets the UIDs to whose objects this collector writes, until a time (RULES, H1). From then
// on it writes to no object. The zero time is no end. The collector goes on to observe every object.
// Config.Share is the first set. Package group calls SetShare for the members of a group. A call
// under way ends. The context of a handler ends when its object leaves the set. That is no failure.
//
// The error wraps ErrClosed after the end of the collector, ErrRefused for a collector that only
// observes, and ErrBroken for a broken engine.
//
//test:by TestSharesTogether TestShareTakeover TestShareCancelsHandlers TestShareEndsHandlers TestShareEndsPrefetch TestShareErrors
func (c *Collector) SetShare(set share.Set, until time.Time) error {
	err := error(ErrClosed)
	if !c.over() {
		c.locked(func(e engine.Driver, now time.Time) {
			if err = e.SetShare(now, set, until); err == nil {
				c.handling.SetShare(set, until)
				c.prefetch.SetEnd(until)
			}
		})
	}
	if err != nil {
		return fmt.Errorf("set share: %w", err)
	}
	c.wake()
	return nil
}
