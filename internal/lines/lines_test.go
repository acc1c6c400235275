package lines

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

var start = time.Unix(1, 0)

// TestLines: a cause has one line a minute, with the number of the others. The errors of a text
// beyond its causes have no line, and its next line counts them.
func TestLines(t *testing.T) {
	var l Lines
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
		{"request %d", 500, time.Hour, maxCauses, 0, "each error has a cause of its own"},
		{"the last one", 1, time.Hour + time.Minute, 1, 500 - maxCauses, "it counts those without a line"},
	} {
		lines, others := 0, 0
		for i := range c.times {
			cause := strings.ReplaceAll(c.cause, "%d", fmt.Sprint(i))
			if n, ok := l.Note("write refused", cause, 1, start.Add(c.after)); ok {
				lines, others = lines+1, others+n
			}
		}
		if lines != c.lines || others != c.others {
			t.Errorf("step %d: %d lines with %d others, want %d with %d: %s", i, lines, others, c.lines, c.others, c.reason)
		}
	}
}

// TestShares: a flood of one text, or of many, takes no line of another text. The texts and the
// causes are bounded.
func TestShares(t *testing.T) {
	var l Lines
	written := 0
	for text := range maxTexts - 1 {
		for cause := range 500 {
			if _, ok := l.Note(fmt.Sprint("text ", text), fmt.Sprint(cause), 1, start); ok {
				written++
			}
		}
	}
	if want := (maxTexts - 1) * maxCauses; written != want {
		t.Errorf("%d lines of %d texts, want %d", written, maxTexts-1, want)
	}
	if others, ok := l.Note("engine panicked", "nil map", 1, start); !ok || others != 0 {
		t.Errorf("a line %t with %d others, want the line of another text", ok, others)
	}
	if _, ok := l.Note("one more", "", 1, start); ok {
		t.Error("a text beyond the bound has a line")
	}
	if others, ok := l.Note("one more", "", 1, start.Add(time.Minute)); !ok || others == 0 || len(l.texts) != maxTexts {
		t.Errorf("a line %t with %d others of %d texts, want the place of an old text", ok, others, len(l.texts))
	}
	for i := range 40 {
		if _, ok := l.Note("root lost", "", 32, start.Add(time.Hour)); ok != (i < 32) {
			t.Errorf("line %d: %t, want 32 lines", i, ok)
		}
	}
}

// TestLate: the number of failures without a line appears, although no failure follows.
func TestLate(t *testing.T) {
	var l Lines
	late := func(after time.Duration) (out string) {
		l.Late(start.Add(after), func(text string, others int) { out += fmt.Sprintf("%s %d;", text, others) })
		return out
	}
	for range 3 {
		l.Note("a", "x", 1, start)
	}
	l.Note("b", "x", 1, start)
	for i := range maxCauses + 1 {
		l.Note("c", fmt.Sprint(i), 1, start.Add(30*time.Second))
	}
	for _, c := range []struct {
		after  time.Duration
		want   string
		reason string
	}{
		{time.Minute - 1, "", "a line of the minute may show it"},
		{time.Minute, "a 2;", "the minute of the cause is over, and that of the last line of c is not"},
		{2 * time.Minute, "c 1;", "it was the cause beyond the bound"},
		{time.Hour, "", "nothing is left"},
	} {
		if got := late(c.after); got != c.want {
			t.Errorf("after %v: %q, want %q: %s", c.after, got, c.want, c.reason)
		}
	}
	var again Lines
	again.Note("a", "x", 1, start)
	again.Note("a", "x", 1, start)
	again.Late(start.Add(70*time.Second), func(string, int) {})
	if _, ok := again.Note("a", "x", 1, start.Add(75*time.Second)); ok {
		t.Error("a cause has two lines in a minute: that of its number, and that of the next failure")
	}
	if others, ok := again.Note("a", "x", 1, start.Add(130*time.Second)); !ok || others != 1 {
		t.Errorf("a line %t with %d others, want the one failure of the minute", ok, others)
	}
	l.Note("a", "x", 1, start.Add(time.Hour))
	l.Note("a", "x", 1, start.Add(time.Hour))
	if others, _ := l.Note("a", "x", 1, start.Add(time.Hour+time.Minute)); others != 1 || late(2*time.Hour) != "" {
		t.Errorf("%d others, and they are counted twice", others)
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
