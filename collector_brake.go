package ownergraph

import (
	"context"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/pause"
)

// Braked returns at most limit of the cascades that the brake holds, by key. With Config.Record
// it returns those of the record too. Before Run, it returns none of them until an answer has
// read the record.
//
//test:by TestCollectorBrake
func (c *Collector) Braked(limit int) (out []engine.BrakedCascade) {
	c.locked(func(e engine.Driver, _ time.Time) { out = e.Braked(limit) })
	return out
}

// ApproveCascade lets deletes of a cascade go that the brake holds. The key is that of
// Braked, with its UID, or the UID alone. An object that belongs to several such cascades needs an approval of
// each. The approval begins at once. Without a record it ends with this collector, and makes
// no request.
//
// With Config.Record the answer goes to the record, too. A later collector has it, and counts
// AtMost anew. A replica that runs has it within 10 s. ApproveCascade may be called before Run. It
// then answers for a cascade of the record. With Config.ObserveOnly nothing goes to the record.
//
// The error wraps ErrNotFound for a cascade that is not held, and ErrInvalid for an Until
// that is not in the future or an AtMost below 1. Other errors wrap ErrClosed after the end
// of the collector, and the cause of a context that has ended. An error says if the answer is
// in force here, and not recorded.
//
//test:by TestCollectorBrake TestCollectorBrakeErrors TestRecordedBrake TestRecordedAnswerNotWritten
func (c *Collector) ApproveCascade(ctx context.Context, key Key, a engine.BrakeApproval) error {
	return c.answerBrake(ctx, "approve cascade "+key.String(), func(e engine.Driver, now time.Time) error {
		return e.ApproveCascade(now, key, a)
	})
}

// ApproveBraked approves every cascade of Braked, each as ApproveCascade does. AtMost counts for
// each cascade on its own. It returns the number of cascades. Cascades that trip later are held.
func (c *Collector) ApproveBraked(ctx context.Context, a engine.BrakeApproval) (n int, err error) {
	err = c.answerBrake(ctx, "approve braked cascades", func(e engine.Driver, now time.Time) error {
		n, err = e.ApproveBraked(now, a)
		return err
	})
	return n, err
}

// RefuseCascade keeps the objects of a cascade that the brake holds: see Refusal. The errors
// are those of ApproveCascade.
//
//test:by TestCollectorBrake TestCollectorBrakeErrors engine.TestBrakeOrphanSurvives
func (c *Collector) RefuseCascade(ctx context.Context, key Key, r engine.Refusal) error {
	return c.answerBrake(ctx, "refuse cascade "+key.String(), func(e engine.Driver, now time.Time) error {
		return e.RefuseCascade(now, key, r)
	})
}

// RefuseBraked refuses every cascade of Braked, each as RefuseCascade does. It returns the
// number of cascades.
func (c *Collector) RefuseBraked(ctx context.Context, r engine.Refusal) (n int, err error) {
	err = c.answerBrake(ctx, "refuse braked cascades", func(e engine.Driver, now time.Time) error {
		n, err = e.RefuseBraked(now, r)
		return err
	})
	return n, err
}

// answerBrake gives the brake an answer of a user, wakes the dispatch loop,
// and writes the record. Before the first read of the record it reads the record itself.
func (c *Collector) answerBrake(ctx context.Context, what string, answer func(engine.Driver, time.Time) error) (err error) {
	switch {
	case ctx == nil:
		return fmt.Errorf("%s: context: nil: %w", what, ErrInvalid)
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	case c.over():
		return fmt.Errorf("%s: %w", what, ErrClosed)
	}
	untried := false
	c.locked(func(engine.Driver, time.Time) { untried = c.record.isUntried() })
	if untried {
		if err := c.refreshRecord(ctx, false); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	c.locked(func(e engine.Driver, now time.Time) {
		if err = e.Err(); err == nil {
			err = answer(e, now)
		}
	})
	c.wake()
	if err != nil || !c.isUnrecorded() {
		return err
	}
	same := func(list []pause.Pause) []pause.Pause { return list }
	if err := c.changeRecord(ctx, same); err != nil {
		return fmt.Errorf("%s: in force here, and not recorded: %w", what, err)
	}
	return nil
}
