package ownergraph

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestShelfCloses: from the moment on at which the engine takes back what it has
// decided, nobody takes a call that was laid ready before.
func TestShelfCloses(t *testing.T) {
	s := shelf{}
	for id := range CallID(4) {
		s.put(&Call{ID: 1 + id, Type: CallDelete})
	}
	ctx, cancel := context.WithCancel(t.Context())
	call, r := &Call{ID: 9}, &Result{}
	if !s.trade(ctx, call, r) || call.ID != 1 {
		t.Errorf("call %d, want the first", call.ID)
	}
	s.close()
	if s.trade(ctx, call, r) || call.ID != 1 {
		t.Errorf("call %d was taken for a result, and rests on nothing", call.ID)
	}
	if s.pick(call) {
		t.Errorf("call %d was taken, and rests on nothing", call.ID)
	}
	if out := s.recall(func(id CallID) bool { return id != 2 }); len(out) != 1 || out[0] != 2 {
		t.Errorf("%v were recalled, want the second call", out)
	}
	if !s.pick(call) || call.ID != 3 {
		t.Errorf("call %d, want the third, which stands", call.ID)
	}
	cancel()
	if s.trade(ctx, call, r) {
		t.Errorf("call %d was taken although all is over", call.ID)
	}
	if n := s.idle(); n != 2 {
		t.Errorf("%d calls that nobody is under way with, want one that has landed and one on the shelf", n)
	}
}

// hook is a log handler that shows each message.
type hook func(message string)

func (h hook) Enabled(context.Context, slog.Level) bool { return true }

func (h hook) Handle(_ context.Context, r slog.Record) error {
	h(r.Message)
	return nil
}

func (h hook) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h hook) WithGroup(string) slog.Handler { return h }

// TestRevokedAtOnce: that what was decided is taken back shows before anything else
// is done about it, which may take long.
func TestRevokedAtOnce(t *testing.T) {
	for _, tc := range []struct {
		reason, message string
		do              func(e *Engine)
	}{
		{"all nodes are walked", "history went backwards", func(e *Engine) {
			e.kinds.Observe(graph.Put)
			_ = e.Observe(time.Unix(1, 0), Event{Type: graph.Rewound, Reason: "restored"})
		}},
		{"an engine that broke is not to be trusted", "engine stopped", func(e *Engine) { e.fail("E0: made by the test") }},
	} {
		told, seen := false, false
		e, err := NewEngine(Level2, Config{Logger: slog.New(hook(func(m string) {
			if m == tc.message {
				seen = told
			}
		}))})
		if err != nil {
			t.Fatal(err)
		}
		e.revoked = func() { told = true }
		if tc.do(e); !seen {
			t.Errorf("%s: it did not show when that began", tc.reason)
		}
	}
}

// refusing returns an engine that panics over a write that is refused, and so many
// deletes that it has handed out.
func refusing(t *testing.T, n int) (e *Engine, ids []CallID) {
	e, err := NewEngine(Level2, Config{Logger: slog.New(hook(func(m string) {
		if m == "write refused" {
			panic(m)
		}
	}))})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1, 0)
	see := seeing(t, e, now)
	see(Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "p"}}})
	see(Event{Type: graph.ListBegun, Kind: "a"}, Event{Type: graph.ListBegun, Kind: "p"}, put("a/a#1"))
	for i := range n {
		see(put(fmt.Sprintf("p/%d#1 -> a/a", i)))
	}
	see(Event{Type: graph.ListEnded, Kind: "a"}, Event{Type: graph.ListEnded, Kind: "p"}, Event{Type: graph.Gone, Key: put("a/a#1").Object.Key})
	for range n {
		call, _ := e.Next(now, LaneStore)
		ids = append(ids, call.ID)
	}
	return e, ids
}

// TestTakeInPanics: where the engine panics over one result, what landed with it is
// under way no more, and what its workers left with is.
func TestTakeInPanics(t *testing.T) {
	e, ids := refusing(t, 4)
	c := &Collector{engine: e, log: e.cfg.Logger, kick: make(chan struct{}, 1)}
	c.lanes[LaneStore] = 2
	refused := Result{Err: graph.ErrRefused}
	c.shelf.landed = []landing{{ids[0], refused, CallDelete}, {ids[1], refused, CallDelete}}
	c.locked(func(*Engine, time.Time) {})
	under := slices.Sorted(maps.Keys(e.flights))
	if e.Err() == nil || !slices.Equal(under, ids[2:]) || c.lanes[LaneStore] != 2 {
		t.Errorf("%v; %v are under way, %d in the lane; want calls %v, and 2", e.Err(), under, c.lanes[LaneStore], ids[2:])
	}
}

// TestLandsAsTakeInPanics: whoever lands when the engine panics over the result of
// another has landed all the same.
func TestLandsAsTakeInPanics(t *testing.T) {
	e, ids := refusing(t, 2)
	c := &Collector{engine: e, log: e.cfg.Logger, kick: make(chan struct{}, 1)}
	c.lanes[LaneStore] = 1
	c.shelf.landed = []landing{{ids[0], Result{Err: graph.ErrRefused}, CallUnset}}
	c.land(t.Context(), &Call{ID: ids[1], Type: CallDelete}, &Result{})
	if e.Err() == nil || len(e.flights) > 0 || c.lanes[LaneStore] != 0 {
		t.Errorf("%v; %v are under way, %d in the lane, want none", e.Err(), e.flights, c.lanes[LaneStore])
	}
}

// ending is a context that ends when somebody has looked at it without the lock.
type ending struct {
	context.Context
	shelf *shelf
	ended bool
}

func (c *ending) Err() error {
	if c.ended {
		return context.Canceled
	}
	if c.ended = c.shelf.mu.TryLock(); c.ended {
		c.shelf.mu.Unlock()
	}
	return nil
}

// TestTradeAtTheEnd: a call is not begun after drain has looked at what has landed.
func TestTradeAtTheEnd(t *testing.T) {
	s := &shelf{}
	s.put(&Call{ID: 1, Type: CallDelete})
	ctx := &ending{Context: t.Context(), shelf: s}
	if s.trade(ctx, &Call{ID: 9, Type: CallDelete}, &Result{}) && ctx.ended {
		t.Error("a call was begun after the end")
	}
}
