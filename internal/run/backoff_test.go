package run_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/internal/run"
)

// TestBackoff: the pause doubles up to a bound. A steady watch and Reset begin anew.
func TestBackoff(t *testing.T) {
	const first = 250 * time.Millisecond
	var b run.Backoff
	for _, c := range []struct {
		ran    time.Duration
		reset  bool
		want   time.Duration
		reason string
	}{
		{0, false, first, "the first end"},
		{time.Second, false, 2 * first, "the second end"},
		{59 * time.Second, false, 4 * first, "a watch that nearly was steady"},
		{time.Minute, false, first, "a steady watch"},
		{0, false, 2 * first, "the pause doubles again"},
		{0, true, first, "a reset"},
	} {
		if c.reset {
			b.Reset()
		}
		if got := b.Next(c.ran); got != c.want {
			t.Errorf("%s: the pause is %v, want %v", c.reason, got, c.want)
		}
	}
	for range 100 {
		b.Next(0)
	}
	if got := b.Next(0); got != 30*time.Second {
		t.Errorf("after many ends the pause is %v, want 30s", got)
	}
}
