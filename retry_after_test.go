package ownergraph_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// hint is an error of a store that names the time of the next try.
type hint struct{ after time.Duration }

func (h hint) Error() string             { return "too many requests" }
func (h hint) RetryAfter() time.Duration { return h.after }

// putOff is a call that a store puts off, and the object that shows the wait.
type putOff struct {
	reason, verb, objects string
	do                    func(t *testing.T, s *tap)
	cfg                   ownergraph.Config
	key                   string
	held                  policy.Reason
	line                  string // of the log
}

// stillHeld reports whether the object shows the wait.
func (r *rig) stillHeld(c putOff) bool {
	return slices.ContainsFunc(r.Held(100), func(h engine.Held) bool {
		return h.Key.Place() == keyOf(r.t, c.key).Place() && h.Reason == c.held && strings.Contains(h.String(), "too many requests")
	})
}

// deletes deletes an object as a user.
func deletes(key string, how graph.Propagation) func(t *testing.T, s *tap) {
	return func(t *testing.T, s *tap) { s.delete(t, key, how) }
}

var putOffs = []putOff{
	{"a delete", "delete", "a; b -> a", deletes("a", graph.Background), ownergraph.Config{}, "b", policy.StoreDelays, "WARN store puts calls off"},
	{"a patch", "patch", "a; b -> a", deletes("a", graph.Orphan), ownergraph.Config{}, "b", policy.StoreDelays, "WARN store puts calls off"},
	{"a read of an owner", "get", "a; d", func(t *testing.T, s *tap) { s.create(t, "d/2 -> a/gone") }, ownergraph.Config{}, "d/2", policy.OwnerUnknown, ""},
	{"a fence", "fence", "a", deletes("a", graph.Foreground), ownergraph.Config{}, "a", policy.FenceFails, "WARN fence failed"},
	{"the fence of a verdict", "fence", "a; b -> a", deletes("a", graph.Background),
		ownergraph.Config{Guards: []guard.Guard{{Name: "g", Always: true, Kinds: []ownergraph.Kind{"a"}}}}, "a", policy.NeedVerdict, "WARN fence failed"},
	{"the fence of a sweep", "fence", "tenant/1; volume/1-v", deletes("tenant/1", graph.Background), sweeping(tenancy()), "tenant/1", policy.NeedMembers, "WARN fence failed"},
	{"a selection", "select", "a; b -> a", deletes("a", graph.Background),
		ownergraph.Config{Protect: []guard.Protection{{Name: "p", Selector: "keep=yes"}}}, "b", policy.ProtectionUnknown, "WARN selection failed"},
}

// TestRetryAfterIsBounded: the store puts one call off, for times that no store means. The object
// waits for 5 minutes at most, or for the setting. Meanwhile Held and Explain show the wait with
// its cause, and the log has one line about it.
func TestRetryAfterIsBounded(t *testing.T) {
	for _, c := range putOffs {
		for _, after := range []struct{ asked, set, want time.Duration }{
			{365 * 24 * time.Hour, 0, 5 * time.Minute},
			{math.MaxInt64, 0, 5 * time.Minute},
			{math.MaxInt64, time.Minute, time.Minute},
			{40 * time.Second, 0, 40 * time.Second},
			{0, 0, 0},
			{math.MinInt64, 0, 0},
		} {
			t.Run(fmt.Sprintf("%s by %v, set %v", c.reason, after.asked, after.set), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { c.bounded(t, after.asked, after.set, after.want) })
			})
		}
	}
}

// bounded makes the store put the call off once.
func (c putOff) bounded(t *testing.T, asked, set, want time.Duration) {
	log := &lineCounter{lines: map[string]int{}}
	cfg := c.cfg
	cfg.MaxRetryAfter, cfg.Logger = set, slog.New(log)
	s := newTap(t, c.objects)
	fail := make(chan error, 1)
	s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
		if verb == c.verb {
			select {
			case err := <-fail:
				return err
			default:
			}
		}
		return do()
	}
	r := collect(t, s, cfg)
	r.idle()
	fail <- fmt.Errorf("%s: %w", c.verb, hint{asked})
	began := time.Now()
	c.do(t, s)
	if want > 0 {
		pass(30 * time.Second)
		c.shown(t, r, want-30*time.Second)
	}
	for len(fail) == 0 && r.stillHeld(c) { // a failed selection is no work, so idle does not wait for it
		pass(time.Second)
	}
	r.idle()
	const slack = 3 * time.Second // the engine's own pauses and fences
	if waited := time.Since(began); len(fail) > 0 || waited < want || waited > want+slack {
		t.Errorf("idle after %v, want %v; the call was made: %t", waited, want, len(fail) == 0)
	}
	if n := r.Stats().PutOff; n != 1 {
		t.Errorf("%d calls were put off", n)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if n := log.lines[c.line]; c.line != "" && n != 1 {
		t.Errorf("%d lines %q: %v", n, c.line, log.lines)
	}
}

// shown checks that the reports name the wait. The next try comes after the rest at most.
func (c putOff) shown(t *testing.T, r *rig, rest time.Duration) {
	t.Helper()
	var held engine.Held
	for _, h := range r.Held(100) {
		if h.Key.Place() == keyOf(t, c.key).Place() {
			held = h
		}
	}
	if held.Reason != c.held || !strings.Contains(held.String(), "too many requests") {
		t.Errorf("held: %s, want %s with the cause", held, c.held.Code())
	}
	x, err := r.Explain(t.Context(), keyOf(t, c.key).Place())
	if err != nil {
		t.Fatal(err)
	}
	pace, end := x.Pace()
	if pace != explain.Stuck && pace != explain.Pending || end.End != explain.Store || !strings.Contains(x.Text(), "too many requests") {
		t.Errorf("explained as %s: %s", pace, x.Text())
	}
	if left := time.Until(end.Next); left <= 0 || left > rest+time.Second {
		t.Errorf("the next try is in %v, want %v at most", left, rest)
	}
}

// TestRetryAfterOfListing: the time that a store names for a listing puts the next request off,
// within the bound. Explain names the cause while an object waits for the listing.
func TestRetryAfterOfListing(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b#1 -> a")
	s.run(nil)
	s.see(graph.Event{Type: graph.Rewound, Reason: "restored"})
	s.see(gone("a"))
	c := s.next(engine.LaneControl)
	if c.Type != engine.CallList {
		t.Fatalf("%s, want a listing", c.Type)
	}
	s.done(c, hint{math.MaxInt64})
	if x := s.explained("b"); !strings.Contains(x.Text(), "too many requests") {
		t.Errorf("nothing names the cause: %s", x.Text())
	}
	s.now = s.now.Add(5*time.Minute - time.Nanosecond)
	if c := s.next(engine.LaneControl); c.Type != engine.CallUnset {
		t.Errorf("%s before the time", c.Type)
	}
	s.now = s.now.Add(time.Nanosecond)
	if c := s.next(engine.LaneControl); c.Type != engine.CallList {
		t.Errorf("%s, want the listing after 5 minutes", c.Type)
	}
}

// TestRetryAfterOfHandler: the error of a handler names no time for the engine. The pauses
// between two runs are the engine's own.
func TestRetryAfterOfHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, runs := newTap(t, "a[x]"), 0
		r := collect(t, s, ownergraph.Config{Handlers: map[string]finalizer.Handler{"x": func(context.Context, ownergraph.Object) error {
			if runs++; runs == 1 {
				return hint{math.MaxInt64}
			}
			return nil
		}}})
		r.idle()
		s.delete(t, "a", graph.Background)
		began := time.Now()
		for range 100 { // a failed handler waits for the outside, so idle does not wait for it
			pass(100 * time.Millisecond)
		}
		if r.idle(); runs != 2 || s.shape() != "" {
			t.Errorf("%d runs in %v, the store has %q", runs, time.Since(began), s.shape())
		}
	})
}

// TestFenceFailsWithoutHint: a store that begins no fence and names no time is reported as one
// that names a time. Each cause has one line, however often the call fails.
func TestFenceFailsWithoutHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &lineCounter{lines: map[string]int{}}
		s := newTap(t, "a")
		r := collect(t, s, ownergraph.Config{Logger: slog.New(log)})
		r.idle()
		s.call = func(_ context.Context, verb string, _ ownergraph.Key, do func() error) error {
			if verb == "fence" {
				return fmt.Errorf("no route to host")
			}
			return do()
		}
		s.delete(t, "a", graph.Foreground)
		pass(10 * time.Minute)
		held := lines(r.Held(10))
		if want := "a: the store does not begin a fence; last error: no route to host"; held != want {
			t.Errorf("held %q, want %q", held, want)
		}
		x, err := r.Explain(t.Context(), keyOf(t, "a").Place())
		if pace, end := x.Pace(); err != nil || pace != explain.Stuck || end.Text != "no route to host" || end.Tries < 500 {
			t.Errorf("error %v, %s: %+v", err, pace, end)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.WaitIdle(ctx); err == nil || !strings.Contains(err.Error(), "begins no fence") {
			t.Errorf("the error of WaitIdle does not name the wait: %v", err)
		}
		if n := r.Stats().Fences.Failed; n < 500 || r.stop() != nil || log.lines["WARN fence failed"] != 1 {
			t.Errorf("%d failed calls, lines %v", n, log.lines)
		}
	})
}
