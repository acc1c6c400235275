package view

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ in, want, reason string }{
		{"web-7d4", "web-7d4", "plain text stays"},
		{`say "hi"`, `say "hi"`, "quotes are printable"},
		{"a\nb\x1b[2J", `a\nb\x1b[2J`, "control characters do not steer a terminal"},
		{`a\nb`, `a\\nb`, "a backslash is not an escape"},
		{"\u202etxt", `\u202etxt`, "no name turns the direction of writing"},
		{"\xff\ufffd", "\\xff\ufffd", "broken text shows, and differs from the sign for it"},
		{"日本", "日本", "other alphabets stay"},
		{strings.Repeat("é", 1000), strings.Repeat("é", 128) + "…" + strings.Repeat("é", 64), "long text loses its middle, and keeps its ends"},
		{strings.Repeat("\xff", 600), strings.Repeat(`\xff`, 256-4) + "…" + strings.Repeat(`\xff`, 128), "broken text is cut too"},
	} {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("clean(%.60q) = %q, want %q: %s", tt.in, got, tt.want, tt.reason)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		got := clean(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("clean(%q) = %q", s, got)
		}
		if back, err := strconv.Unquote(`"` + strings.ReplaceAll(got, `"`, `\"`) + `"`); len(s) <= maxWord && (err != nil || back != s) {
			t.Fatalf("clean(%q) = %q, which reads as %q, error %v", s, got, back, err)
		}
	})
}

// TestFit: cut text is not wider than its columns, and keeps both ends.
func TestFit(t *testing.T) {
	for _, tt := range []struct {
		in      string
		columns int
		want    string
		reason  string
	}{
		{"checkout", 8, "checkout", "it fits"},
		{"checkout-57dd8b68cd-7br2c", 16, "checkout…d-7br2c", "the end of a name tells it from others"},
		{"日本語日本語", 8, "日…本語", "wide characters count twice"},
	} {
		if got := fit(tt.in, tt.columns); got != tt.want {
			t.Errorf("fit(%q, %d) = %q, want %q: %s", tt.in, tt.columns, got, tt.want, tt.reason)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, n := clean(rapid.String().Draw(t, "text")), rapid.IntRange(6, 40).Draw(t, "columns")
		if got := fit(s, n); width(got) > n {
			t.Fatalf("fit(%q, %d) = %q has %d columns", s, n, got, width(got))
		}
		for _, line := range wrap(s, n, 3) {
			if width(line) > n {
				t.Fatalf("wrap(%q, %d) has the line %q", s, n, line)
			}
		}
		if lines := wrap(s, n, 3); len(lines) > 3 {
			t.Fatalf("wrap(%q, %d) = %q", s, n, lines)
		}
	})
}

// TestContrast: text on each box has a contrast of at least 4.5, and borders and lines on
// the page have at least 3. Those are the limits of WCAG 2, AA.
func TestContrast(t *testing.T) {
	check := func(what, a, b string, least float64) {
		if c := contrast(t, a, b); c < least {
			t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", what, a, b, c, least)
		}
	}
	for c := range class(len(classNames)) {
		light, dark := colours(c)
		check(c.css()+" text", lightText, light.fill, 4.5)
		check(c.css()+" text", darkText, dark.fill, 4.5)
		for _, back := range []string{lightPage, light.fill} {
			check(c.css()+" border", light.line, back, 3)
		}
		for _, back := range []string{darkPage, dark.fill} {
			check(c.css()+" border", dark.line, back, 3)
		}
	}
	for _, back := range []string{lightPage} {
		check("caption", lightText, back, 4.5)
		check("line", lightEdge, back, 3)
	}
	for _, back := range []string{darkPage} {
		check("caption", darkText, back, 4.5)
		check("line", darkEdge, back, 3)
	}
}

// contrast returns the contrast ratio of WCAG 2.
func contrast(t *testing.T, a, b string) float64 {
	luminance := func(s string) float64 {
		n, err := strconv.ParseUint(s[1:], 16, 32)
		if err != nil || len(s) != 7 {
			t.Fatalf("colour %q: %v", s, err)
		}
		part := func(n uint64) float64 {
			if c := float64(n&255) / 255; c > 0.04045 {
				return math.Pow((c+0.055)/1.055, 2.4)
			} else {
				return c / 12.92
			}
		}
		return 0.2126*part(n>>16) + 0.7152*part(n>>8) + 0.0722*part(n)
	}
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

// TestClassesDiffer: two classes differ in word and in shape, not in colour alone.
func TestClassesDiffer(t *testing.T) {
	words, shapes, dots := map[string]class{}, map[string]class{}, map[string]class{}
	for c := live; c <= actor; c++ {
		dot, _, _ := strings.Cut((&node{class: c}).dotLook(), ", fillcolor")
		words[classNames[c]], dots[dot] = c, c
		dash := fmt.Sprint(strings.Contains(shared, "."+c.css()+" .box{stroke-dash"), strings.Contains(shared, "."+c.css()+" .box,"))
		shapes[c.shape(0, 0, 100, 100)+dash] = c
	}
	if n := int(actor); len(words) != n || len(shapes) != n || len(dots) != n {
		t.Errorf("%d words, %d shapes and %d looks in DOT for %d classes", len(words), len(shapes), len(dots), n)
	}
}

// TestBare: a character keeps few marks, and other text stays.
func TestBare(t *testing.T) {
	for _, c := range []struct{ in, want, reason string }{
		{"web-1", "web-1", "common text"},
		{"e\u0301a", "e\u0301a", "one mark"},
		{"e" + strings.Repeat("\u0301", 80) + "a\u0301", "e" + strings.Repeat("\u0301", maxMarks) + "a\u0301", "80 marks"},
	} {
		if got := bare(c.in); got != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}
