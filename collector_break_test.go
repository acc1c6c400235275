package ownergraph_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
)

// TestCollectorPanics has each method of a store panic, or end its goroutine,
// once. That costs a try.
func TestCollectorPanics(t *testing.T) {
	for _, c := range []struct {
		name, verb string
		panic      func()
		log        string
		reason     string
	}{
		{"get", "get", func() { panic("nil map") }, `call="read a@gone" panic="nil map"`, "the owner is read again"},
		{"delete", "delete", func() { panic("nil map") }, `call="delete b" panic="nil map"`, "the outcome is unknown"},
		{"patch", "patch", func() { panic("nil map") }, `call="patch c" panic="nil map"`, "the outcome is unknown"},
		{"fence", "fence", func() { panic("nil map") }, `call=fence panic="nil map"`, "another fence is begun"},
		{"watch", "watch", func() { panic("nil map") }, `call=watch panic="nil map"`, "the watch begins anew"},
		{"goroutine", "delete", runtime.Goexit, "", "a call without an answer is one of unknown outcome"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a@gone; c~[foreground]; d -> c!; e -> a@gone; f -> a@gone")
				done := false
				s.call = func(_ context.Context, verb string, key ownergraph.Key, do func() error) error {
					s.mu.Lock()
					first := verb == c.verb && !done && (verb != "delete" || key.Kind == "b")
					done = done || first
					s.mu.Unlock()
					if first {
						c.panic()
					}
					return do()
				}
				var log bytes.Buffer
				r := collect(t, s, ownergraph.Config{Workers: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
				if held := lines(r.idle()); held != "" {
					t.Errorf("held: %s", held)
				}
				s.holds(t, "a")
				if err := r.stop(); err != nil {
					t.Errorf("Run: %v", err)
				}
				writes := c.verb == "delete" || c.verb == "patch"
				if n := r.Stats().UnknownOutcomes; writes != (n == 1) {
					t.Errorf("%d writes of unknown outcome", n)
				}
				if !done || !strings.Contains(log.String(), c.log) {
					t.Errorf("log %s, want %s: %s", log.String(), c.log, c.reason)
				}
			})
		})
	}
}

// TestCollectorBreaks breaks the engine, through the hooks that run in it.
func TestCollectorBreaks(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    ownergraph.Config
		bend   func(*tap)
		want   string
		reason string
	}{
		{"decision", ownergraph.Config{OnDecision: func(d ownergraph.DecisionEvent) {
			if d.Action.Writes() {
				panic("out of range")
			}
		}}, nil, "run collector: engine broken: panic: out of range", "a hook that panics in Next"},
		{"versions", ownergraph.Config{CompareVersions: func(ownergraph.Kind, ownergraph.Version, ownergraph.Version) int {
			panic("not a number")
		}}, nil, "run collector: engine broken: panic: not a number", "a hook that panics in Observe"},
		{"watch", ownergraph.Config{}, func(s *tap) {
			s.watch = func(context.Context, sinkFunc, watchFunc) error { runtime.Goexit(); return nil }
		}, "run collector: engine broken: watch: ended without an answer", "nothing would be observed any more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTap(t, "a; b -> a@gone; c -> a")
				if c.bend != nil {
					c.bend(s)
				}
				collector, err := ownergraph.New(s, c.cfg)
				if err != nil {
					t.Fatal(err)
				}
				result := make(chan error)
				go func() { result <- collector.Run(t.Context()) }()
				if _, err := collector.WaitIdle(t.Context()); err != ownergraph.ErrClosed {
					t.Errorf("WaitIdle: %v, want ErrClosed", err)
				}
				if err := <-result; !errors.Is(err, ownergraph.ErrBroken) || err.Error() != c.want {
					t.Errorf("Run: %v, want %s: %s", err, c.want, c.reason)
				}
				writes := s.count("delete") + s.count("patch")
				if writes > 0 {
					t.Errorf("%d writes by a broken engine", writes)
				}
				s.watch = nil
				if c.name == "watch" {
					return
				}
				second := collect(t, s, ownergraph.Config{})
				second.idle()
				s.holds(t, "a; c -> a")
			})
		})
	}
}
