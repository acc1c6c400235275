package archive

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestHoldFlaw: a hold needs a holder, its texts have a bound, and a database has its end in microseconds: a later one would turn
// into one of the past, and 1970 into none.
func TestHoldFlaw(t *testing.T) {
	for _, c := range []struct {
		hold         Hold
		want, reason string
	}{
		{Hold{By: "law"}, "", "no end"},
		{Hold{By: "law", Until: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}, "", "the last year"},
		{Hold{}, "By is empty", "no holder"},
		{Hold{By: strings.Repeat("x", MaxHolder+1)}, "too long", "a long holder"},
		{Hold{By: "law", Reason: strings.Repeat("x", MaxReason+1)}, "too long", "a long reason"},
		{Hold{By: "law", Until: time.Unix(math.MaxInt64/2, 0)}, "Until: ", "a time that stands for ever in other programs"},
		{Hold{By: "law", Until: time.Date(300000, 1, 1, 0, 0, 0, 0, time.UTC)}, "Until: ", "above the microseconds of 64 bits"},
		{Hold{By: "law", Until: time.Unix(0, 0)}, "Until: ", "a zero time in other programs"},
	} {
		if got := c.hold.Flaw(); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}
