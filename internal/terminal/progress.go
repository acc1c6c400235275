package terminal

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
)

// Total is the meaning of Progress.Known.
type Total uint8

// The meanings of Progress.Known.
const (
	Unset   Total = iota // no total is known, and none is shown
	Exact                // the total does not change
	AtLeast              // the total may grow
	AtMost               // fewer objects may go
	totals               // the number of the meanings
)

var totalNames = [totals]string{"unset", "exact", "at least", "at most"}

// String returns "unset", "exact", "at least" or "at most". It returns the number of any
// other value.
func (t Total) String() string {
	if t < totals {
		return totalNames[t]
	}
	return fmt.Sprintf("Total(%d)", uint8(t))
}

// Progress is the state of a deletion or of a sweep at one instant. The zero value is a
// state before any work. A Progress is a plain value: any number of goroutines may use
// copies of it.
type Progress struct {
	Label string // of the work; "" for none

	Known uint64 // objects that go in all
	Total Total  // the meaning of Known
	Gone  uint64 // objects that are gone
	Left  uint64 // objects that are not gone yet; 0 is not shown
	Held  uint64 // objects that wait for something outside; 0 is not shown
	// Blocked counts the objects that wait for others of the deletion; 0 is not shown.
	Blocked uint64
	// Dropped of References have gone, which an orphan deletion drops; 0 References are not shown.
	References, Dropped uint64

	Reads, Writes, Fences uint64 // requests to the store
	// Elsewhere says that other programs make the requests. Then none is shown.
	Elsewhere bool

	Rate    float64       // objects gone in each second; shown if positive and finite
	Elapsed time.Duration // since the begin of the work
}

// String returns the line for p, without an end of line. A character of the label that
// could control a terminal is replaced by U+FFFD.
//
//test:by TestProgressString TestLabelControlsNoTerminal
func (p Progress) String() string { return p.title() + p.counts() }

// title returns the label with a colon, or "" for no label.
func (p Progress) title() string {
	if p.Label == "" {
		return ""
	}
	return strings.Map(printable, p.Label) + ": "
}

// counts returns the line without the label.
func (p Progress) counts() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d", p.Gone)
	switch p.Total {
	case Unset:
	case Exact:
		fmt.Fprintf(&s, " of %d", p.Known)
	default:
		fmt.Fprintf(&s, " of %s %d", p.Total, p.Known)
	}
	s.WriteString(" gone")
	if p.References > 0 {
		fmt.Fprintf(&s, ", %d of %s dropped", p.Dropped, numbered(p.References, "reference"))
	}
	if p.Left > 0 {
		fmt.Fprintf(&s, ", %d left", p.Left)
	}
	if p.Held > 0 {
		fmt.Fprintf(&s, ", %d held", p.Held)
	}
	if p.Blocked > 0 {
		fmt.Fprintf(&s, ", %d blocked", p.Blocked)
	}
	sep := "; "
	if !p.Elsewhere {
		fmt.Fprintf(&s, "; %s, %s, %s", numbered(p.Reads, "read"), numbered(p.Writes, "write"), numbered(p.Fences, "fence"))
		sep = ", "
	}
	if p.Rate > 0 && !math.IsInf(p.Rate, 1) {
		s.WriteString(sep + perSecond(p.Rate))
		sep = ", "
	}
	return s.String() + sep + Round(p.Elapsed).String()
}

// Round returns the duration in the precision of a line: three digits or fewer below a
// second, and tenths of a second above it.
func Round(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Microsecond)
}

// sameCounts reports whether p and q differ in label, rate and elapsed time at most.
func (p Progress) sameCounts(q Progress) bool {
	p.Label, p.Rate, p.Elapsed = "", 0, 0
	q.Label, q.Rate, q.Elapsed = "", 0, 0
	return p == q
}

// numbered returns "1 read", "2 reads".
func numbered(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}

func perSecond(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.1f/s", rate)
	}
	return fmt.Sprintf("%.0f/s", rate)
}

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}
