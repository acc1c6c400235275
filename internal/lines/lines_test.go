package lines

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLines: a cause has one line a minute, with the number of the others. Causes beyond the
// bound have no line, and the next line counts them.
func TestLines(t *testing.T) {
	var l Shared
	start := time.Unix(1, 0)
	for i, c := range []struct {
		cause  string
		times  int
		after  time.Duration
		lines  int
		others int
		reason string
	}{
		{"foreign key", 500, 0, 1, 0, "the first one has a line"},
		{"trigger", 1, time.Second, 1, 0, "another cause"},
		{"", 1, time.Second, 1, 0, "an error without a text is a cause"},
		{"foreign key", 3, time.Minute - 1, 0, 0, "the minute is not over"},
		{"foreign key", 1, time.Minute, 1, 502, "499 and 3 had no line"},
		{"foreign key", 1, 10 * time.Minute, 1, 0, "none since"},
	} {
		lines, others := 0, 0
		for range c.times {
			if n, ok := l.Note(c.cause, start.Add(c.after)); ok {
				lines, others = lines+1, others+n
			}
		}
		if lines != c.lines || others != c.others {
			t.Errorf("step %d: %d lines with %d others, want %d with %d: %s", i, lines, others, c.lines, c.others, c.reason)
		}
	}
	lines, later := 0, start.Add(time.Hour)
	for i := range 500 {
		if _, ok := l.Note("cause "+strings.Repeat("x", i), later); ok {
			lines++
		}
	}
	if lines != maxCauses {
		t.Errorf("%d lines for 500 causes, want %d", lines, maxCauses)
	}
	if others, ok := l.Note("the last one", later.Add(2*time.Minute)); !ok || others != 500-maxCauses {
		t.Errorf("a line %t with %d others, want one that counts the causes without a line", ok, others)
	}
}

// TestCause: the text of a cause has no given name and no number, and is bounded.
func TestCause(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"delete p/a1: no", "delete p/*: no", "a name"},
		{"batch of 64 writes: late", "batch of  writes: late", "a number"},
		{"no right", "no right", "neither"},
		{strings.Repeat("x", 2*maxCause), strings.Repeat("x", maxCause), "too long"},
	} {
		if got := Cause(errors.New(c.text), "", "a1"); got != c.want {
			t.Errorf("%s: cause %q, want %q", c.reason, got, c.want)
		}
	}
	if a, b := Cause(fmt.Errorf("row %d is locked", 1)), Cause(fmt.Errorf("row %d is locked", 22)); a != b {
		t.Errorf("causes %q and %q of one fault", a, b)
	}
}
