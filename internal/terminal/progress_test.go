package terminal

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"
)

func TestProgressString(t *testing.T) {
	tests := []struct {
		p            Progress
		want, reason string
	}{
		{Progress{}, "0 gone; 0 reads, 0 writes, 0 fences, 0s", "the zero value has a line"},
		{Progress{Label: "x", Gone: 3, Writes: 4, Fences: 1, Elapsed: 1234 * time.Microsecond},
			"x: 3 gone; 0 reads, 4 writes, 1 fence, 1ms", "the total need not be known"},
		{Progress{Label: "x", Known: 12, Gone: 3, Held: 2, Reads: 1, Total: AtMost, Elapsed: 2345678 * time.Microsecond},
			"x: 3 of at most 12 gone, 2 held; 1 read, 0 writes, 0 fences, 2.3s", "fewer objects may go"},
		{Progress{Known: 9, Left: 9, Held: 1, Blocked: 8, Total: Exact}, "0 of 9 gone, 9 left, 1 held, 8 blocked; 0 reads, 0 writes, 0 fences, 0s", "blocked objects are not held"},
		{Progress{Known: 1, Left: 1, References: 1010, Dropped: 3, Total: Exact}, "0 of 1 gone, 3 of 1010 references dropped, 1 left; 0 reads, 0 writes, 0 fences, 0s", "an orphan deletion"},
		{Progress{Known: 1, References: 1, Total: Exact}, "0 of 1 gone, 0 of 1 reference dropped; 0 reads, 0 writes, 0 fences, 0s", "one reference"},
		{Progress{Label: "x", Known: 12, Gone: 3, Left: 9, Total: AtLeast, Elapsed: 75 * time.Minute},
			"x: 3 of at least 12 gone, 9 left; 0 reads, 0 writes, 0 fences, 1h15m0s", "the total may grow"},
		{Progress{Label: "x", Known: 12, Gone: 12, Total: Exact, Elapsed: 850 * time.Nanosecond},
			"x: 12 of 12 gone; 0 reads, 0 writes, 0 fences, 1µs", "the total does not change; a memory store is fast"},
		{Progress{Known: 5, Total: 9}, "0 of Total(9) 5 gone; 0 reads, 0 writes, 0 fences, 0s", "an unknown meaning shows as it is"},
		{Progress{Rate: 9.96}, "0 gone; 0 reads, 0 writes, 0 fences, 10.0/s, 0s", "a low rate has tenths"},
		{Progress{Rate: 1234.5}, "0 gone; 0 reads, 0 writes, 0 fences, 1234/s, 0s", "a high rate has none"},
		{Progress{Rate: math.NaN()}, "0 gone; 0 reads, 0 writes, 0 fences, 0s", "a rate over no time is none"},
		{Progress{Rate: math.Inf(1)}, "0 gone; 0 reads, 0 writes, 0 fences, 0s", "a division by zero is none"},
	}
	for _, tt := range tests {
		if got := tt.p.String(); got != tt.want {
			t.Errorf("String = %q, want %q: %s", got, tt.want, tt.reason)
		}
	}
}

// TestLabelControlsNoTerminal: no label ends a line, moves the cursor or changes the
// direction of text.
func TestLabelControlsNoTerminal(t *testing.T) {
	for _, label := range []string{"a\nb", "\x1b[2J", "\u202ea", "\xff", "\x9b"} {
		got := Progress{Label: label}.String()
		if !strings.Contains(got, string(unicode.ReplacementChar)) {
			t.Errorf("label %q gives %q", label, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "label")
		for _, r := range (Progress{Label: label}).String() {
			if !unicode.IsPrint(r) {
				t.Fatalf("label %q gives %q", label, r)
			}
		}
	})
}

// TestSameCounts: each count makes a line new. Label, rate and time do not.
func TestSameCounts(t *testing.T) {
	for _, tt := range []struct {
		p      Progress
		want   bool
		reason string
	}{
		{Progress{Label: "x", Rate: math.NaN(), Elapsed: 1}, true, "only time has passed"},
		{Progress{Known: 1}, false, "the total grew"},
		{Progress{Total: Exact}, false, "the total is complete"},
		{Progress{Gone: 1}, false, "an object went"},
		{Progress{Left: 1}, false, "an object came"},
		{Progress{Held: 1}, false, "an object is held"},
		{Progress{Blocked: 1}, false, "an object is blocked"},
		{Progress{References: 2, Dropped: 1}, false, "a reference is dropped"},
		{Progress{Reads: 1}, false, "a request"},
		{Progress{Writes: 1}, false, "a request"},
		{Progress{Fences: 1}, false, "a request"},
	} {
		if got := tt.p.sameCounts(Progress{}); got != tt.want {
			t.Errorf("%+v is the same: %v, want %v: %s", tt.p, got, tt.want, tt.reason)
		}
	}
}

func ExampleProgress() {
	p := Progress{
		Label: "delete Namespace/shop",
		Known: 120, Total: AtLeast, Gone: 84, Left: 36, Held: 1,
		Reads: 2, Writes: 97, Fences: 1,
		Rate: 12, Elapsed: 7 * time.Second,
	}
	fmt.Println(p)
	// Output:
	// delete Namespace/shop: 84 of at least 120 gone, 36 left, 1 held; 2 reads, 97 writes, 1 fence, 12/s, 7s
}
