package effect

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestDue: a warning that comes again with each try or object is due once a minute for its text
// and cause, and counts the others. A warning about an object is due for each. Every other line is
// always due.
func TestDue(t *testing.T) {
	var l List
	start := time.Unix(1, 0)
	for i, c := range []struct {
		line   Record
		after  time.Duration
		want   string
		reason string
	}{
		{line(Warn, "read fails", "err", "disk 7 is gone"), 0, "[err disk 7 is gone]", "the first one"},
		{line(Warn, "read fails", "err", "disk 8 is gone"), 1, "", "a number is no cause of its own"},
		{line(Warn, "read fails", "err", "no right"), 1, "[err no right]", "another cause"},
		{line(Warn, "write fails", "key", "p/xyz@uu", "err", "no right to \"xyz\" of uu"), 1, "[key p/xyz@uu err no right to \"xyz\" of uu]", "another text"},
		{line(Warn, "write fails", "key", "p/b@u7", "err", "no right to \"b\" of u7"), 2, "", "the key is no cause of its own"},
		{line(Error, "store panicked", "call", "get", "panic", "nil map"), 2, "[call get panic nil map]", "a panic"},
		{line(Error, "store panicked", "call", "get", "panic", "nil map"), 2, "", "the same panic"},
		{line(Warn, "two objects have one UID", "key", "a"), 2, "[key a]", "about an object, without an error"},
		{line(Warn, "two objects have one UID", "key", "b"), 2, "[key b]", "about another object"},
		{Record{Level: Warn, Text: "late", Args: []any{"err", "x"}, Cause: "timeout"}, 2, "[err x]", "a cause of its own"},
		{Record{Level: Warn, Text: "late", Args: []any{"err", "y"}, Cause: "timeout"}, 2, "", "the same cause in other words"},
		{line(Warn, "read fails", "err", "disk 9 is gone"), time.Minute, "[err disk 9 is gone others 1]", "a minute later"},
		{line(Warn, "batch is late", "err", "x", "others", 3), 0, "[err x others 3]", "its writer has counted"},
		{line(Warn, "batch is late", "err", "x", "others", 0), 0, "[err x others 0]", "its writer has counted"},
		{line(Warn, "kinds are sick", "kinds", "a"), 0, "[kinds a]", "a change of the whole"},
		{line(Warn, "kinds are sick", "kinds", "b"), 0, "[kinds b]", "another change"},
		{line(Info, "resumed", "err", "x"), 0, "[err x]", "no warning"},
		{line(Info, "resumed", "err", "x"), 0, "[err x]", "no warning"},
	} {
		l.KeepDue(c.line, start.Add(c.after))
		got := ""
		for _, r := range l.TakeLines() {
			got += fmt.Sprint(r.Args)
		}
		if got != c.want {
			t.Errorf("line %d: %q, want %q: %s", i, got, c.want, c.reason)
		}
	}
}

func line(level Level, text string, args ...any) Record {
	return Record{Level: level, Text: text, Args: args}
}

// TestFlood: each failure of a handler may have a text of its own, such as the id of a request.
// Lines of other texts are written all the same, and the number of the others appears.
func TestFlood(t *testing.T) {
	var l List
	now := time.Unix(1e9, 0)
	for i := range 400 {
		err := errors.New("request " + strings.Repeat("x", i) + ": throttled")
		l.KeepDue(line(Warn, "handler failed", "key", "p/x@u", "err", err), now)
	}
	if got := len(l.TakeLines()); got != 8 {
		t.Errorf("%d lines of the flood, want 8", got)
	}
	for i := range 40 {
		l.KeepDue(line(Warn, "root deleted before its guard could hold it", "key", fmt.Sprintf("db/%d@u", i)), now)
	}
	if got := len(l.TakeLines()); got != maxObjects {
		t.Errorf("%d lines about roots, want %d", got, maxObjects)
	}
	for range maxLines + 9 {
		l.Keep(line(Info, "resumed"))
	}
	l.KeepDue(line(Error, "engine panicked", "panic", "nil map", "stack", "..."), now)
	if got := l.TakeLines(); len(got) != maxLines+2 || got[maxLines].Text != "engine panicked" {
		t.Errorf("%d lines, want the error behind %d others", len(got), maxLines)
	}
	l.KeepLate(now.Add(time.Minute))
	got := fmt.Sprint(l.TakeLines())
	if want := fmt.Sprint([]Record{line(Warn, "handler failed", "others", 392), line(Warn, "root deleted before its guard could hold it", "others", 8)}); got != want {
		t.Errorf("late lines %s, want %s", got, want)
	}
}
