package lint

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	for _, c := range []struct {
		age          time.Duration
		want, reason string
	}{
		{0, "0 s", "no age"},
		{59*time.Second + 900*time.Millisecond, "59 s", "seconds are rounded down"},
		{time.Minute, "1 min", "a unit without a rest"},
		{90 * time.Second, "1 min 30 s", "a unit with a rest"},
		{time.Hour, "1 h", "the default bound of a mark"},
		{time.Hour + 59*time.Second, "1 h", "a rest below the next unit is dropped"},
		{7886*time.Hour + 38*time.Minute + 21*time.Second, "328 d 14 h", "a mark of a year is no count of hours"},
	} {
		if got := ageText(c.age); got != c.want {
			t.Errorf("%v: %q, want %q: %s", c.age, got, c.want, c.reason)
		}
	}
}
