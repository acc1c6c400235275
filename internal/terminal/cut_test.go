package terminal

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		title, counts string
		columns       int
		want, reason  string
	}{
		{"abcdef: ", "12 gone", 15, "abcdef: 12 gone", "the line fits"},
		{"abcdef: ", "12 gone", 14, "...ef: 12 gone", "the end of the title stays"},
		{"ab世界: ", "12 gone", 15, "ab世界: 12 gone", "a wide character counts as two columns"},
		{"abc世界: ", "12 gone", 15, "...界: 12 gone", "no half of a wide character stays"},
		{"abcdef: ", "12 gone", 10, "...12 gone", "only the mark of the title fits"},
		{"abcdef: ", "12 gone", 9, "12 gone", "not even the mark fits"},
		{"abcdef: ", "12 gone", 7, "12 gone", "the counts fit alone"},
		{"abcdef: ", "12 gone", 6, "12 ...", "the first count stays"},
		{"", "1µs", 3, "...", "an upper bound of the columns does not fit"},
		{"", "12 gone", 2, "..", "a cut number would be another number"},
		{"", "12 gone", 0, "", "a window of one column"},
	} {
		if got := cut(c.title, c.counts, c.columns); got != c.want {
			t.Errorf("cut(%q, %q, %d) = %q, want %q: %s", c.title, c.counts, c.columns, got, c.want, c.reason)
		}
	}
}

// TestRedrawNeedsOneRow: a redrawn line of any text needs one row of the screen. It is
// the whole line, or it has a mark of the cut, or it has the counts alone.
func TestRedrawNeedsOneRow(t *testing.T) {
	text := rapid.StringOf(rapid.RuneFrom([]rune("abcé世")))
	rapid.Check(t, func(t *rapid.T) {
		title, counts := text.Draw(t, "title"), text.Draw(t, "counts")
		columns := rapid.IntRange(0, 40).Draw(t, "columns")
		got := cut(title, counts, columns)
		s := screen{columns: columns + 1}
		s.write(erase + got)
		if len(s.rows) > 1 {
			t.Fatalf("cut(%q, %q, %d) = %q has rows %q", title, counts, columns, got, s.text())
		}
		marked := strings.Contains(got, "..."[:min(columns, 3)])
		if got != title+counts && got != counts && !marked {
			t.Fatalf("cut(%q, %q, %d) = %q hides the cut", title, counts, columns, got)
		}
	})
}
