package effect

import (
	"fmt"
	"testing"
	"time"
)

// TestDue: a warning that comes again with each try or object is due once a minute for its text
// and cause, and counts the others. Every other line is always due.
func TestDue(t *testing.T) {
	var l List
	start := time.Unix(1, 0)
	for i, c := range []struct {
		line   Record
		after  time.Duration
		want   string
		reason string
	}{
		{Record{Warn, "read fails", []any{"err", "disk 7 is gone"}}, 0, "[err disk 7 is gone]", "the first one"},
		{Record{Warn, "read fails", []any{"err", "disk 8 is gone"}}, 1, "", "a number is no cause of its own"},
		{Record{Warn, "read fails", []any{"err", "no right"}}, 1, "[err no right]", "another cause"},
		{Record{Warn, "write fails", []any{"key", "p/xyz@uu", "err", "no right to \"xyz\" of uu"}}, 1, "[key p/xyz@uu err no right to \"xyz\" of uu]", "another text"},
		{Record{Warn, "write fails", []any{"key", "p/b@u7", "err", "no right to \"b\" of u7"}}, 2, "", "the key is no cause of its own"},
		{Record{Error, "store panicked", []any{"call", "get", "panic", "nil map"}}, 2, "[call get panic nil map]", "a panic"},
		{Record{Error, "store panicked", []any{"call", "get", "panic", "nil map"}}, 2, "", "the same panic"},
		{Record{Warn, "two objects have one UID", []any{"key", "a"}}, 2, "[key a]", "about an object, without an error"},
		{Record{Warn, "two objects have one UID", []any{"key", "b"}}, 2, "", "about another object"},
		{Record{Warn, "two objects have one UID", []any{"key", "c"}}, time.Minute + 2, "[key c others 1]", "a minute later"},
		{Record{Warn, "read fails", []any{"err", "disk 9 is gone"}}, time.Minute, "[err disk 9 is gone others 1]", "a minute later"},
		{Record{Warn, "batch is late", []any{"err", "x", "others", 3}}, 0, "[err x others 3]", "its writer has counted"},
		{Record{Warn, "batch is late", []any{"err", "x", "others", 0}}, 0, "[err x others 0]", "its writer has counted"},
		{Record{Warn, "kinds are sick", []any{"kinds", "a"}}, 0, "[kinds a]", "a change of the whole"},
		{Record{Warn, "kinds are sick", []any{"kinds", "b"}}, 0, "[kinds b]", "another change"},
		{Record{Info, "resumed", []any{"err", "x"}}, 0, "[err x]", "no warning"},
		{Record{Info, "resumed", []any{"err", "x"}}, 0, "[err x]", "no warning"},
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
