package run_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/internal/run"
)

// over reports whether a wait has ended.
func over(w *run.Waiter[int, string]) bool {
	select {
	case <-w.Done():
		return true
	default:
		return false
	}
}

// TestWaiters: End ends the waits that are over, and no others.
func TestWaiters(t *testing.T) {
	const now = 5
	for _, c := range []struct {
		reason string
		change func(ws *run.Waiters[int, string], w *run.Waiter[int, string])
		ends   bool
	}{
		{"the condition holds since the moment", func(*run.Waiters[int, string], *run.Waiter[int, string]) {}, true},
		{"the wait was given up", func(ws *run.Waiters[int, string], w *run.Waiter[int, string]) { ws.Leave(w) }, false},
		{"all wait for a later moment", func(ws *run.Waiters[int, string], _ *run.Waiter[int, string]) { ws.Again(now + 1) }, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			var ws run.Waiters[int, string]
			w, late := ws.Join(now), ws.Join(now+1)
			c.change(&ws, w)
			ws.End(func(since int) bool { return since <= now }, func() string { return "held" })
			if over(w) != c.ends || c.ends && w.Result() != "held" {
				t.Errorf("over %v with result %q, want %v", over(w), w.Result(), c.ends)
			}
			if ws.Leave(w); over(late) || ws.Len() != 1 {
				t.Errorf("the later wait is over: %v; %d waits are left, want 1", over(late), ws.Len())
			}
		})
	}
}
