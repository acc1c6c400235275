package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestDeadline: the context of a call, and each context made of it, ends as one of
// context.WithTimeoutCause does. The moment of its first use makes no difference.
func TestDeadline(t *testing.T) {
	type key struct{}
	const within = time.Minute
	look := func(ctx context.Context) error { return ctx.Err() }
	made := func(ctx context.Context) error {
		_ = ctx.Done()
		return ctx.Err()
	}
	for _, c := range []struct {
		name   string
		first  func(context.Context) error
		do     func(parent context.CancelFunc, d *Deadline)
		err    error
		cause  error
		reason string
	}{
		{"open", look, func(context.CancelFunc, *Deadline) {}, nil, nil, "nothing has happened"},
		{"open, made", made, func(context.CancelFunc, *Deadline) {}, nil, nil, "nothing has happened"},
		{"late", look, func(context.CancelFunc, *Deadline) { <-time.After(within) }, context.DeadlineExceeded, Late(within), "the timeout is over"},
		{"late, made", made, func(context.CancelFunc, *Deadline) { <-time.After(within) }, context.DeadlineExceeded, Late(within), "the timeout is over"},
		{"ended", look, func(_ context.CancelFunc, d *Deadline) { d.End() }, context.Canceled, context.Canceled, "the call has returned"},
		{"ended, and late", look, func(_ context.CancelFunc, d *Deadline) { d.End(); <-time.After(within) }, context.Canceled, context.Canceled, "it ended before its time"},
		{"ended, made", made, func(_ context.CancelFunc, d *Deadline) { d.End() }, context.Canceled, context.Canceled, "the call has returned"},
		{"parent", look, func(stop context.CancelFunc, _ *Deadline) { stop() }, context.Canceled, context.Canceled, "Run is over"},
		{"parent, made", made, func(stop context.CancelFunc, _ *Deadline) { stop() }, context.Canceled, context.Canceled, "Run is over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				parent, stop := context.WithCancel(context.WithValue(t.Context(), key{}, 1))
				defer stop()
				d := NewDeadline(parent, within)
				defer d.End()
				if err := c.first(d); err != nil {
					t.Fatalf("at first %v", err)
				}
				c.do(stop, d)
				synctest.Wait()
				child, free := context.WithCancel(d)
				defer free()
				for of, ctx := range map[string]context.Context{"it": d, "a child": child} {
					if err := ctx.Err(); err != c.err {
						t.Errorf("%s ends with %v, want %v: %s", of, err, c.err, c.reason)
					}
					if cause := context.Cause(ctx); !errors.Is(cause, c.cause) {
						t.Errorf("%s ends because of %v, want %v: %s", of, cause, c.cause, c.reason)
					}
					select {
					case <-ctx.Done():
						if c.err == nil {
							t.Errorf("%s is done: %s", of, c.reason)
						}
					default:
						if c.err != nil {
							t.Errorf("%s is not done: %s", of, c.reason)
						}
					}
				}
				if d.Value(key{}) != 1 {
					t.Error("the parent's values are missing")
				}
			})
		})
	}
}

// TestDeadlineOfParent: a parent that ends sooner sets the deadline.
func TestDeadlineOfParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		soon := time.Now().Add(time.Second)
		parent, stop := context.WithDeadline(t.Context(), soon)
		defer stop()
		d := NewDeadline(parent, time.Minute)
		defer d.End()
		if at, ok := d.Deadline(); !ok || !at.Equal(soon) {
			t.Errorf("deadline %v, want the parent's, %v", at, soon)
		}
		e := NewDeadline(t.Context(), time.Minute)
		defer e.End()
		if at, ok := e.Deadline(); !ok || !at.Equal(time.Now().Add(time.Minute)) {
			t.Errorf("deadline %v, want its own", at)
		}
	})
}

// TestDeadlineBegins: a call has its whole time from its turn on, whenever its context is
// used first, also if the store has wrapped it. A store cannot extend it twice, and not after
// its end.
func TestDeadlineBegins(t *testing.T) {
	type key struct{}
	const within = time.Minute
	for _, c := range []struct {
		name   string
		used   bool // before the turn
		turns  []time.Duration
		ends   time.Duration
		reason string
	}{
		{"no turn", true, nil, within, "the time runs from the hand-out"},
		{"unused", false, []time.Duration{40 * time.Second}, 40*time.Second + within, "the time runs from the turn"},
		{"used", true, []time.Duration{40 * time.Second}, 40*time.Second + within, "the time runs from the turn"},
		{"twice", true, []time.Duration{40 * time.Second, 80 * time.Second}, 40*time.Second + within, "one call has one turn"},
		{"too late", true, []time.Duration{within}, within, "the call has ended"},
		{"too late, unused", false, []time.Duration{within}, within, "the call has ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				parent, stop := context.WithCancel(t.Context())
				defer stop()
				began := time.Now()
				d := NewDeadline(parent, within)
				defer d.End()
				if c.used {
					_ = d.Done()
				}
				for _, at := range c.turns {
					<-time.After(time.Until(began.Add(at)))
					synctest.Wait()
					if !BeginCall(context.WithValue(d, key{}, 1)) || BeginCall(parent) {
						t.Error("the context of a call, and no other one, is that of a call")
					}
				}
				child, free := context.WithCancel(d)
				defer free()
				<-child.Done()
				if got := time.Since(began); got != c.ends || !errors.Is(context.Cause(child), Late(within)) {
					t.Errorf("it ends after %v because of %v, want %v: %s", got, context.Cause(child), c.ends, c.reason)
				}
				if at, ok := d.Deadline(); !ok || at.Sub(began) != c.ends {
					t.Errorf("Deadline returns %v, want %v: %s", at.Sub(began), c.ends, c.reason)
				}
			})
		})
	}
}

// TestDeadlineEndsOnce: the end of a call frees the contexts from before and after its turn,
// and a turn after the end makes none.
func TestDeadlineEndsOnce(t *testing.T) {
	d := NewDeadline(t.Context(), time.Hour)
	before := d.Done()
	BeginCall(d)
	after := d.Done()
	d.End()
	BeginCall(d)
	<-before
	<-after
	if err := d.Err(); err != context.Canceled {
		t.Errorf("an ended context has the error %v", err)
	}
}
