package held

import (
	"testing"
	"time"
)

// TestAge: an age is a number of its largest unit.
func TestAge(t *testing.T) {
	for _, c := range []struct {
		age    time.Duration
		want   string
		reason string
	}{
		{0, "0 s", "none"}, {59 * time.Second, "59 s", "below a minute"}, {time.Minute, "1 min", "a minute"},
		{3*time.Hour + 59*time.Minute, "3 h", "the largest unit alone"}, {50 * time.Hour, "2 d", "days"},
	} {
		if got := Age(c.age); got != c.want {
			t.Errorf("Age(%v) = %q, want %q: %s", c.age, got, c.want, c.reason)
		}
	}
}
