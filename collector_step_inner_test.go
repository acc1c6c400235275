package ownergraph

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/effect"
)

// slow is a log handler that shows the message of each line, and then waits for the test.
type slow struct{ begun, end chan string }

func (h slow) Enabled(context.Context, slog.Level) bool { return true }

func (h slow) Handle(_ context.Context, r slog.Record) error {
	h.begun <- r.Message
	<-h.end
	return nil
}

func (h slow) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h slow) WithGroup(string) slog.Handler { return h }

// TestSlowLog: while a log handler takes long, the mutex is free, and other steps go on.
func TestSlowLog(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	kinds := Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "a"}}}
	for _, c := range []struct {
		step   func(c *Collector, e engine.Driver, now time.Time)
		want   []string
		reason string
	}{
		{func(_ *Collector, e engine.Driver, now time.Time) { _ = e.Observe(now, Event{Type: graph.Put}) },
			[]string{"event refused"}, "a line of a machine"},
		{func(*Collector, engine.Driver, time.Time) { panic("made by the test") },
			[]string{"engine panicked", "engine stopped"}, "a panic"},
		{func(c *Collector, e engine.Driver, now time.Time) {
			_, _ = e.Observe(now, kinds), e.Observe(now, Event{Type: graph.KindSick, Kind: "a", Reason: "down"})
			c.health.Note(now.Add(-time.Minute))
			c.logHealth(now)
		}, []string{"kinds cannot be watched"}, "the health of the kinds"},
		{func(c *Collector, e engine.Driver, now time.Time) {
			flawed := Object{Key: Key{Kind: "a", Name: "x", UID: "x"}, Version: "1", Finalizers: []string{"x.io/1", "x.io/2"}, Owners: []Owner{{Key: Key{Kind: "a", Name: "y", UID: "y"}}}}
			_, _ = e.Observe(now, kinds), e.Observe(now, Event{Type: graph.Put, Object: flawed})
			_, _ = e.Next(now, engine.LaneStore)
			c.logStuck(now.Add(-time.Minute))
			c.logStuck(now)
		}, []string{"objects are stuck: see Held"}, "stuck objects"},
		{func(c *Collector, _ engine.Driver, now time.Time) {
			c.reportOrDrop(ended, now, &engine.Call{Type: engine.CallHandle}, &completion{result: engine.Result{Err: ended.Err()}})
		}, []string{"handler ended by shutdown", "engine stopped"}, "a handler that the shutdown ends, of a call that is not under way"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			h := slow{make(chan string), make(chan string)}
			e, err := engine.New(Level2, Config{Logger: slog.New(h), Limits: graph.Limits{Finalizers: 1}})
			if err != nil {
				t.Fatal(err)
			}
			d := drive(e)
			done := make(chan struct{})
			go func() {
				defer close(done)
				d.locked(func(e engine.Driver, now time.Time) { c.step(d, e, now) })
			}()
			for i, want := range c.want {
				if got := <-h.begun; got != want {
					t.Errorf("line %d is %q, want %q", i, got, want)
				}
				if !d.mu.TryLock() {
					t.Error("the mutex is locked while the handler is at work")
				} else {
					d.mu.Unlock()
					d.locked(func(engine.Driver, time.Time) {}) // another step does not wait
				}
				h.end <- ""
			}
			<-done
		})
	}
}

// TestSlowLogDelaysNoCall: a worker whose result has a line for the log goes on with its
// next call, and does not wait for the handler. The evidence of that call is of now.
func TestSlowLogDelaysNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := slow{make(chan string), make(chan string)}
		d, calls := deleting(t, 1)
		d.cfg.Logger = slog.New(h)
		d.lanes[engine.LaneStore] = 1
		done := make(chan struct{})
		go func() {
			defer close(done)
			d.complete(t.Context(), &worker{calls: calls[:1], done: []completion{{id: calls[0].ID, result: engine.Result{Err: ErrRefused}}}})
		}()
		if got := <-h.begun; got != "write refused" {
			t.Errorf("the line is %q", got)
		}
		synctest.Wait()
		select {
		case <-done:
		default:
			t.Error("the worker waits for the log handler")
		}
		h.end <- ""
		d.work.Wait()
		<-done
	})
}

// TestSlowLogDelaysNoEnd: a log handler that hangs does not keep Run from its end. The error
// of Run names it.
func TestSlowLogDelaysNoEnd(t *testing.T) {
	for _, c := range []struct {
		last   bool
		reason string
	}{
		{false, "the line comes while Run is at work"},
		{true, "the line comes with the end of Run"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := slow{make(chan string), make(chan string)}
				d, _ := deleting(t, 1)
				d.cfg.Logger = slog.New(h)
				began, done := time.Now(), make(chan error)
				go func() {
					_ = d.engine.Observe(began, Event{Type: graph.Put})
					if !c.last {
						_, _ = d.dispatchOnce(t.Context())
					}
					done <- d.shutDown()
				}()
				if got := <-h.begun; got != "event refused" {
					t.Errorf("the line is %q", got)
				}
				end := time.AfterFunc(time.Minute, func() { h.end <- "" })
				if err := <-done; !errors.Is(err, ErrStuck) || err.Error() != "stop collector: delete p/0, log: does not return" {
					t.Errorf("Run ends after %v: %v", time.Since(began), err)
				}
				if end.Stop() {
					h.end <- ""
				}
				d.work.Wait()
			})
		})
	}
}

// broken is a log handler that panics.
type broken struct{ slow }

func (broken) Handle(context.Context, slog.Record) error { panic("out of paper") }

// TestLogPanics: a log handler that panics breaks the engine.
func TestLogPanics(t *testing.T) {
	e, err := engine.New(Level2, Config{Logger: slog.New(broken{})})
	if err != nil {
		t.Fatal(err)
	}
	d := drive(e)
	d.locked(func(e engine.Driver, now time.Time) { _ = e.Observe(now, Event{Type: graph.Put}) })
	if err := e.Err(); !errors.Is(err, ErrBroken) || err.Error() != "engine broken: panic: out of paper" {
		t.Errorf("the engine says %v", err)
	}
}

// asking is an error whose text asks the Collector.
type asking struct{ c *Collector }

func (a asking) Error() string {
	_ = a.c.Stats()
	return "asked"
}

// exiting is the value of a panic whose text ends its goroutine.
type exiting struct{}

func (exiting) Error() string {
	runtime.Goexit()
	return ""
}

// TestSayNow: the errors of a store and the values of its panics have methods of the user. They run
// without the lock, so they may call the Collector, and their end leaves no lock behind.
func TestSayNow(t *testing.T) {
	var out strings.Builder
	e, err := engine.New(Level2, Config{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	if err != nil {
		t.Fatal(err)
	}
	c := drive(e)
	for _, args := range [][]any{{"err", asking{c}}, {"panic", exiting{}}} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.sayNow(effect.Warn, "watch broke", args...)
		}()
		<-done
		_ = c.Stats()
	}
	if !strings.Contains(out.String(), "err=asked") {
		t.Errorf("the log has %q", out.String())
	}
}
