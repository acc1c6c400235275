package effect

import (
	"fmt"
	"testing"
)

// TestLines: a list keeps lines in their order until the caller takes them. Lines beyond
// the bound are one line with their number.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		kept, taken int
		last        string
		reason      string
	}{
		{0, 0, "", "a step without a line"},
		{1, 1, "line 0", "one line"},
		{maxLines, maxLines, "line 255", "as many as the list keeps"},
		{maxLines + 3, maxLines + 1, "lines of the log dropped", "the list is bounded, and says so"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			var l List
			for i := range c.kept {
				l.Keep(Record{Level: Warn, Text: fmt.Sprint("line ", i)})
			}
			l.Reset()
			got := l.TakeLines()
			if len(got) != c.taken {
				t.Fatalf("%d lines, want %d", len(got), c.taken)
			}
			if n := len(got); n > 0 && (got[n-1].Text != c.last || got[0].Text != "line 0") {
				t.Errorf("the lines go from %q to %q, want to %q", got[0].Text, got[n-1].Text, c.last)
			}
			if c.kept > maxLines && got[maxLines].Args[1] != c.kept-maxLines {
				t.Errorf("%v are dropped, want %d", got[maxLines].Args[1], c.kept-maxLines)
			}
			if again := l.TakeLines(); len(again) > 0 {
				t.Errorf("%d lines are taken twice", len(again))
			}
		})
	}
}

// TestLevelNames: each level has a name of its own.
func TestLevelNames(t *testing.T) {
	seen := map[string]bool{}
	for l := range numLevels {
		if name := l.String(); name == "" || seen[name] {
			t.Errorf("level %d is %q", l, name)
		}
		seen[l.String()] = true
	}
	if name := numLevels.String(); name != "unset" {
		t.Errorf("a level that is none is %q", name)
	}
}
