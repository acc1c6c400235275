package run_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/internal/run"
	"github.com/ownergraph/ownergraph/policy"
)

// over reports whether a wait has ended.
func over(w *run.Waiter) bool {
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
		change func(ws *run.Waiters, w *run.Waiter)
		ends   bool
	}{
		{"the condition is met since the moment", func(*run.Waiters, *run.Waiter) {}, true},
		{"the condition was tried before", func(ws *run.Waiters, w *run.Waiter) { ws.Try(w) }, true},
		{"the wait was given up", func(ws *run.Waiters, w *run.Waiter) { ws.Leave(w) }, false},
		{"all wait for a later moment", func(ws *run.Waiters, _ *run.Waiter) { ws.Again(now + 1) }, false},
	} {
		t.Run(c.reason, func(t *testing.T) {
			var ws run.Waiters
			met := func(since policy.Moment) bool { return since <= now }
			w, late := ws.Join(met), ws.Join(met)
			w.Since, late.Since = now, now+1
			c.change(&ws, w)
			if left := ws.End(); !left || over(w) != c.ends {
				t.Errorf("over %v, want %v; waits are left: %v", over(w), c.ends, left)
			}
			if ws.Leave(w); over(late) || ws.Len() != 1 {
				t.Errorf("the later wait is over: %v; %d waits are left, want 1", over(late), ws.Len())
			}
			if ws.Try(late) || !ws.Leave(late) || ws.Leave(late) || ws.End() {
				t.Errorf("the later wait was over, or under way after its caller had left")
			}
		})
	}
}
