package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/core/brake"
	"github.com/ownergraph/ownergraph/internal/core/effect"
	"github.com/ownergraph/ownergraph/internal/core/pause"
	"github.com/ownergraph/ownergraph/internal/run"
)

const (
	// recordEvery is the time between two reads of the record.
	recordEvery = 10 * time.Second
	// recordLeast is the least time between them, so that one write has many trips.
	recordLeast = 100 * time.Millisecond
	// pausesField is the field of the record that has the pauses.
	pausesField = "pauses"
)

// errMalformed says that the record exists, and that its content is not understood.
var errMalformed = errors.New("malformed")

// recorder is the collector's side of the program's record.
//
// The reads are no calls of the engine. No decision waits for the result of one of them,
// and Pause and Resume write the record for a caller who waits with a context. So a
// goroutine makes them, and the engine gets the content as it gets an event.
type recorder struct {
	store Records // nil without a record
	name  string
	// turn is taken during a read with its write. So no read that began before a write
	// comes to the engine after it.
	turn *semaphore.Weighted
	due  chan struct{} // the brake has something for the record
	// unannounced: the store refuses the announcement. Only the loop that keeps the record has it.
	unannounced bool

	// The lock of the Collector guards these.
	busy      bool   // a call is under way
	tried     bool   // a read has ended
	failed    string // the error of the last read
	unwritten string // the error of the last write for the brake
}

// newRecorder returns the recorder for a Config. The engine awaits the record.
func newRecorder(store Store, cfg *Config, e engine.Driver) (r recorder, err error) {
	if cfg.Record == "" {
		return r, nil
	}
	records, ok := As[Records](store)
	if !ok {
		return r, fmt.Errorf("configure collector: Record: the store has no Records: %w", ErrInvalid)
	}
	e.AwaitRecord(time.Now(), !cfg.ObserveOnly)
	return recorder{store: records, name: cfg.Record, turn: semaphore.NewWeighted(1), due: make(chan struct{}, 1)}, nil
}

// isUntried reports whether the first read of a record is still to come.
func (r *recorder) isUntried() bool { return r.store != nil && !r.tried }

// content is the record as a read has found it.
type content struct {
	document run.Document
	pauses   []pause.Pause
	facts    []brake.Fact
	version  Version
}

// keepRecord reads the record again and again until ctx ends, and writes what the brake has
// for it. A call that fails is made again with backoff.
func (c *Collector) keepRecord(ctx context.Context) {
	defer func() {
		if ctx.Err() == nil { // the engine would not learn of another pause
			c.locked(func(engine.Driver, time.Time) { c.abandon(fmt.Errorf("read the record: %w", errNoAnswer)) })
		}
	}()
	for backoff := (run.Backoff{}); ctx.Err() == nil; {
		wait, due := recordEvery, c.record.due
		if c.refreshRecord(ctx, true) != nil {
			wait, due = min(backoff.Next(0), recordEvery), nil
		} else {
			backoff.Reset()
		}
		waitFor(ctx, c.ended, nil, recordLeast)
		waitFor(ctx, c.ended, due, wait/2+rand.N(wait/2))
	}
}

// waitFor waits for a time, or for the end of the context or of the collector, or until there
// is something to do.
func waitFor(ctx context.Context, ended, due <-chan struct{}, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-ended:
	case <-due:
	case <-t.C:
	}
}

// refreshRecord reads the record once for the engine, and writes what the brake has for it. A
// collector that runs announces itself.
func (c *Collector) refreshRecord(ctx context.Context, runs bool) error {
	if err := c.record.begin(ctx); err != nil {
		return err
	}
	defer c.record.turn.Release(1)
	found, err := c.readRecord(ctx)
	if ctx.Err() == nil {
		c.noteRecord(found, err)
	}
	switch {
	case err != nil:
		return err
	case runs && c.wantsAnnouncement(&found):
		return c.announce(ctx, &found)
	case !c.isUnrecorded():
		return nil
	}
	return c.noteUnwritten(c.writeRecord(ctx, &found, found.pauses))
}

// begin waits for the turn to read or write the record.
func (r *recorder) begin(ctx context.Context) error {
	if r.turn.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	return nil
}

// noteRecord gives the engine the content of the record, or the error of the read. Before the
// first read has succeeded, and if the record is malformed, the error pauses everything.
// Otherwise the known pauses stay.
func (c *Collector) noteRecord(x content, err error) {
	c.locked(func(e engine.Driver, now time.Time) {
		c.record.tried = true
		if err == nil {
			c.record.failed = ""
			e.SetRecord(now, x.pauses, x.facts)
			return
		}
		text := err.Error()
		if e.IsUnread() || errors.Is(err, errMalformed) {
			e.FailRecord(now, text)
		}
		if text != c.record.failed {
			c.say(effect.Warn, "record cannot be read", "record", c.record.name, "err", text)
		}
		c.record.failed = text
	})
	c.wake()
}

// readRecord reads the record. Without a record the content is empty.
func (c *Collector) readRecord(ctx context.Context) (x content, err error) {
	var got Record
	err = c.callRecord(ctx, func(ctx context.Context) (err error) {
		got, err = c.record.store.ReadRecord(ctx, c.record.name)
		return err
	})
	switch {
	case errors.Is(err, ErrNotFound):
		return content{}, nil
	case err != nil:
		return content{}, fmt.Errorf("read record %q: %w", c.record.name, err)
	case got.Version == "": // a write could not name what it replaces
		return content{}, fmt.Errorf("read record %q: version: empty: %w", c.record.name, errMalformed)
	}
	x.version = got.Version
	if x.document, err = run.ReadDocument(got.Value); err == nil && x.document.Field(pausesField) != nil {
		if x.pauses, err = pause.ReadList(x.document.Field(pausesField)); err != nil {
			err = fmt.Errorf("%s: %w", pausesField, err)
		}
	}
	if err == nil {
		x.facts, err = c.readFacts(&x.document)
	}
	if err != nil {
		return content{}, fmt.Errorf("read record %q: %w: %w", c.record.name, errMalformed, err)
	}
	return x, nil
}

// callRecord makes a call for the record within the timeout of calls.
func (c *Collector) callRecord(ctx context.Context, do func(ctx context.Context) error) (err error) {
	limit := run.NewDeadline(ctx, c.cfg.CallTimeout)
	defer limit.End()
	c.setRecordBusy(true)
	defer c.setRecordBusy(false)
	defer func() {
		if v := recover(); v != nil {
			c.sayNow(effect.Error, "store panicked", "call", "record", "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	if err = do(limit); err != nil && err == limit.Err() {
		return context.Cause(limit)
	}
	return run.Plain(err)
}

func (c *Collector) setRecordBusy(busy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.record.busy = busy
}

// changeRecord writes the record with another list of pauses. It reads the record again
// after a conflict, and keeps the changes of others. It tries again until the context
// ends, unless the store refuses the call or the record is malformed.
func (c *Collector) changeRecord(ctx context.Context, change func([]pause.Pause) []pause.Pause) error {
	if c.record.store == nil {
		return nil
	}
	for backoff, first, last := (run.Backoff{}), true, error(nil); ; first = false {
		err := c.tryChangeRecord(ctx, change)
		if last == nil || !errors.Is(err, context.Cause(ctx)) { // a call that the context ends has no cause of its own
			last = err
		}
		switch {
		case err == nil || errors.Is(err, errMalformed) || errors.Is(err, ErrRefused) || errors.Is(err, ErrInvalid):
			return err
		case c.over():
			return fmt.Errorf("%w; last error: %v", ErrClosed, err)
		case ctx.Err() != nil && errors.Is(last, context.Cause(ctx)):
			return err
		case ctx.Err() != nil:
			return fmt.Errorf("%w; last error: %v", context.Cause(ctx), last)
		case first && errors.Is(err, ErrConflict):
			continue
		}
		wait := backoff.Next(0)
		waitFor(ctx, c.ended, nil, wait/2+rand.N(wait/2))
	}
}

// tryChangeRecord reads and writes the record once. It writes even if the list stays as it
// is: the new version ends an older write that is still under way. A record that it finds
// malformed pauses everything at once.
//
//test:by TestRecordMalformedForCaller
func (c *Collector) tryChangeRecord(ctx context.Context, change func([]pause.Pause) []pause.Pause) error {
	if err := c.record.begin(ctx); err != nil {
		return err
	}
	defer c.record.turn.Release(1)
	was, err := c.readRecord(ctx)
	if err != nil {
		if ctx.Err() == nil || errors.Is(err, errMalformed) { // the end of the caller's wait says nothing about the record
			c.noteRecord(content{}, err)
		}
		return err
	}
	list := change(was.pauses)
	if len(list) > pause.Max {
		return fmt.Errorf("write record %q: more than %d pauses: %w", c.record.name, pause.Max, ErrInvalid)
	}
	return c.writeRecord(ctx, &was, list)
}

// writeRecord writes the record with these pauses, and with what the brake has for it. The
// caller has read the record in this turn.
func (c *Collector) writeRecord(ctx context.Context, was *content, list []pause.Pause) error {
	next := content{pauses: list}
	pauses := pause.WriteList(list)
	document := c.mergeFacts(was, &next, len(was.document.With(cascadesField, nil).Text(pausesField, pauses)))
	err := c.callRecord(ctx, func(ctx context.Context) error {
		_, err := c.record.store.WriteRecord(ctx, c.record.name, document.Text(pausesField, pauses), was.version)
		return err
	})
	if err != nil {
		return fmt.Errorf("write record %q: %w", c.record.name, err)
	}
	c.noteRecord(next, nil)
	return nil
}

// wantsAnnouncement reports whether this collector has to announce itself in its record, so that a
// command can tell the record from a misspelt one. A malformed announcement counts as none. An
// announcement stays after its collector, since a pause binds the next one, too.
func (c *Collector) wantsAnnouncement(x *content) bool {
	if c.cfg.ObserveOnly || c.record.unannounced {
		return false
	}
	_, err := x.document.Announced()
	return err != nil
}

// announce writes the record with the announcement, and with what the brake has for it. A store
// that refuses the write is not asked again: the record then binds the collector all the same.
//
//test:by TestRecordAnnounced TestRecordAnnouncementRefused
func (c *Collector) announce(ctx context.Context, found *content) error {
	found.document = found.document.Announce(time.Now())
	err := c.noteUnwritten(c.writeRecord(ctx, found, found.pauses))
	if errors.Is(err, ErrRefused) || errors.Is(err, ErrInvalid) {
		c.record.unannounced = true
		return nil
	}
	return err
}
