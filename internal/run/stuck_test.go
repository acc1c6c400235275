package run_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/run"
)

// TestStuckLog: a line comes ten seconds after a change that is worth it.
func TestStuckLog(t *testing.T) {
	var s run.StuckLog
	for _, c := range []struct {
		at     int // seconds
		n      int
		write  bool
		next   int // seconds, 0 for no line
		reason string
	}{
		{1, 0, false, 0, "no object is stuck"},
		{2, 1, false, 12, "the first one"},
		{3, 0, false, 0, "it has passed by itself"},
		{20, 2, false, 30, "two are stuck"},
		{29, 2, false, 30, "they may pass"},
		{30, 3, true, 0, "they have not, and there is one more"},
		{40, 6, false, 0, "not more than twice as many"},
		{50, 7, false, 60, "more than twice as many"},
		{60, 7, true, 0, "they stay"},
		{70, 1, false, 0, "fewer are no news"},
		{80, 0, false, 90, "the last one has gone"},
		{90, 0, true, 0, "none has come"},
		{99, 0, false, 0, "still none"},
	} {
		at, write := s.Step(start.Add(time.Duration(c.at)*time.Second), c.n)
		next := time.Time{}
		if c.next > 0 {
			next = start.Add(time.Duration(c.next) * time.Second)
		}
		if write != c.write || !at.Equal(next) {
			t.Errorf("%d s, %d stuck: write %v, the next line at %v, want %v at %v: %s", c.at, c.n, write, at, c.write, next, c.reason)
		}
	}
}
