package sqlstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
)

// isNotDone reports whether an error says that nothing is done, with the time of the next try.
func isNotDone(err error) bool {
	var later interface{ RetryAfter() time.Duration }
	return errors.As(err, &later) && later.RetryAfter() > 0
}

// TestOneWriter checks that a Collector has two calls under way on SQLite. Further ones would
// wait for the writer while their time runs. On Postgres a Collector finds the number itself.
func TestOneWriter(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		l, ok := ownergraph.As[ownergraph.Limiter](d.mustHandle(t, nil).Store)
		if want := map[Dialect]int{SQLite: 2}[d.conf.Dialect]; !ok || l.MaxCalls() != want {
			t.Errorf("a bound of %d calls, want %d", l.MaxCalls(), want)
		}
	})
}

// TestNoTurn checks that a write without a turn is not done. It had an unknown outcome before,
// so the engine read each object again. It is no late call either: a smaller batch would wait
// as long. A user's own context keeps its error.
func TestNoTurn(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	late, stop := context.WithDeadline(t.Context(), time.Now())
	defer stop()
	ended, end := context.WithCancel(t.Context())
	end()
	for _, taken := range []bool{true, false} {
		if taken {
			h.writing <- struct{}{}
		}
		for _, ctx := range []context.Context{late, ended} {
			call := run.NewDeadline(ctx, time.Hour)
			for _, of := range []context.Context{ctx, call} {
				err := h.transact(of, func(*session) error { t.Error("the write began"); return nil })
				if want := ctx == ended || of != call; !isNotDone(err) || errors.Is(err, ctx.Err()) != want {
					t.Errorf("a write without a turn: %v, want the error of the context: %t", err, want)
				}
			}
		}
		if taken {
			<-h.writing
		}
	}
}

// TestBrokenOff checks that the end of a call before its COMMIT is "not done" on SQLite: the
// object is as before, and the error wraps that of the context.
func TestBrokenOff(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	o := h.mustCreate(t, object("team", "", "a"))
	calls := map[string]func(context.Context) error{
		"Create": func(ctx context.Context) error { _, err := h.Create(ctx, object("team", "", "b")); return err },
		"Delete": func(ctx context.Context) error { return h.Delete(ctx, o.Key, graph.DeleteOptions{}) },
		"Patch": func(ctx context.Context) error {
			return h.Patch(ctx, o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"})
		},
		"Batch": func(ctx context.Context) error {
			_, err := h.Batch(ctx, []graph.Write{deletion(o), deletion(o)})
			return err
		},
	}
	for _, name := range sortedNames(calls) {
		reached := false
		for _, timeout := range []time.Duration{time.Hour, time.Second, time.Minute} {
			if reached && timeout == time.Minute {
				break
			}
			reached = false
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			lock := h.tables.(*sqliteTables).text["lock"]
			breakOff := func(text string) error {
				if strings.Contains(text, "og_") && text != lock && ctx.Err() == nil {
					reached = true
					if timeout == time.Hour {
						cancel()
					}
					<-ctx.Done()
				}
				return nil
			}
			h.d.faults.fail.Store(&breakOff)
			err := calls[name](ctx)
			h.d.faults.fail.Store(nil)
			if !reached && timeout == time.Second { // the time was over before the write: a busy machine
				cancel()
				continue
			}
			if !isNotDone(err) || !errors.Is(err, ctx.Err()) || strings.Count(err.Error(), "nothing is done") != 1 {
				t.Errorf("%s: %v, want that nothing is done, because of %v", name, err, ctx.Err())
			}
			cancel()
			if now, err := h.Get(t.Context(), o.Key); err != nil || now.Version != o.Version {
				t.Errorf("%s has changed the object to version %s, error %v", name, now.Version, err)
			}
		}
	}
	if _, err := h.Get(t.Context(), object("team", "", "b").Key); !errors.Is(err, graph.ErrNotFound) {
		t.Errorf("the object of a Create that was broken off: %v", err)
	}
}

// TestBrokenOffPostgres checks that such an error has an unknown outcome on Postgres. It may be
// the first sign of a server that was restored, and the engine then looks before it writes.
func TestBrokenOffPostgres(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, strict)
	o := h.mustCreate(t, object("team", "", "a"))
	ctx, cancel := context.WithCancel(t.Context())
	breakOff := func(string) error { cancel(); return nil }
	h.d.faults.fail.Store(&breakOff)
	defer h.d.faults.fail.Store(nil)
	if err := h.Delete(ctx, o.Key, graph.DeleteOptions{Propagation: graph.Foreground}); err == nil || isNotDone(err) {
		t.Errorf("a deletion that was broken off: %v", err)
	}
}

// TestTurnBeginsTheTime checks that the time of a Collector's call begins anew once it has the
// lock of the writer, and before it reads or writes. A wrapper may have added values.
func TestTurnBeginsTheTime(t *testing.T) {
	type key struct{}
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	o := h.mustCreate(t, object("team", "", "a"))
	lock := h.tables.(*sqliteTables).text["lock"]
	for _, do := range []func(context.Context) error{
		func(ctx context.Context) error {
			return h.Patch(ctx, o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"})
		},
		func(ctx context.Context) error {
			_, err := h.Batch(ctx, []graph.Write{deletion(o), deletion(o)})
			return err
		},
	} {
		call := run.NewDeadline(t.Context(), time.Hour)
		first, _ := call.Deadline()
		statements := 0
		note := func(text string) error {
			at, _ := call.Deadline()
			switch {
			case text == lock && !at.Equal(first):
				t.Error("the time begins anew before the write has the lock")
			case strings.Contains(text, "og_") && text != lock:
				if statements++; !at.After(first) {
					t.Error("the time does not begin anew before the first statement")
				}
			}
			return nil
		}
		h.d.faults.fail.Store(&note)
		err := do(context.WithValue(call, key{}, 1))
		h.d.faults.fail.Store(nil)
		call.End()
		if err != nil || statements == 0 {
			t.Errorf("%d statements, error %v", statements, err)
		}
	}
}
