package view

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

const (
	maxWord  = 512 // bytes of one name
	maxNamed = 5   // names of one sort in a line
)

// clean returns text that cannot break a line, steer a terminal or turn the direction of
// writing. Such characters, and backslashes, become the escapes of a Go string. Longer
// text than maxWord bytes loses its middle.
//
//test:by TestClean
func clean(s string) string {
	if len(s) > maxWord {
		s = shorten(s)
	}
	if !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == '"' || !odd(r) {
			b.WriteString(s[:n])
		} else {
			quoted := strconv.Quote(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[n:]
	}
	return b.String()
}

// odd reports whether a character is shown as an escape. A replacement character may stand
// for broken text.
func odd(r rune) bool { return r == '\\' || r == utf8.RuneError || !unicode.IsPrint(r) }

// shorten cuts the middle out of a long text, at the borders of characters.
func shorten(s string) string {
	head, tail := s[:maxWord/2], s[len(s)-maxWord/4:]
	for len(head) > maxWord/2-utf8.UTFMax && !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	for len(tail) > maxWord/4-utf8.UTFMax && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head + "…" + tail
}

// cells returns the width of a character in columns of a fixed font. Wide characters of
// East Asia and pictures have two columns. Marks above or below others have none.
func cells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xa960 && r <= 0xa97f, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f000 && r <= 0x1faff, r >= 0x16fe0 && r <= 0x18aff, r >= 0x1b000 && r <= 0x1b2ff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	case r >= 0x2190 && r <= 0x2bff, r >= 0x3000, r >= 0x0900 && r <= 0x10ff:
		return 2 // an upper bound where fonts differ
	}
	return 1
}

func width(s string) (n int) {
	for _, r := range s {
		n += cells(r)
	}
	return n
}

// maxMarks bounds the marks above and below one character in a box. More of them would lie on other boxes.
const maxMarks = 4

// bare returns a text with few marks on each character.
//
//test:by TestBare
func bare(s string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		if cells(r) > 0 {
			n = 0
		} else if n++; n > maxMarks {
			return -1
		}
		return r
	}, s)
}

// fit cuts the middle out of a text that is wider than columns.
func fit(s string, columns int) string {
	if width(s) <= columns {
		return s
	}
	runes := []rune(s)
	head, n := 0, 1 // the ellipsis
	for room := columns * 3 / 5; n+cells(runes[head]) <= room; head++ {
		n += cells(runes[head])
	}
	tail := len(runes)
	for n+cells(runes[tail-1]) <= columns {
		tail--
		n += cells(runes[tail])
	}
	return string(runes[:head]) + "…" + string(runes[tail:])
}

// wrap breaks a text at blanks into at most rows lines. The last one loses its middle, and
// so does a word that is wider than columns.
func wrap(s string, columns, rows int) (lines []string) {
	words := strings.Split(s, " ")
	for len(words) > 0 && len(lines) < rows-1 {
		n := 1
		for n < len(words) && width(strings.Join(words[:n+1], " ")) <= columns {
			n++
		}
		lines = append(lines, fit(strings.Join(words[:n], " "), columns))
		words = words[n:]
	}
	if len(words) > 0 {
		lines = append(lines, fit(strings.Join(words, " "), columns))
	}
	return lines
}

// spellKind returns KIND[.GROUP].
func spellKind(k graph.Kind) string {
	if group, name, ok := strings.Cut(string(k), "/"); ok {
		return part(name) + "." + part(group)
	}
	return part(string(k))
}

// part spells one part of a key. An empty part shows.
func part(s string) string {
	if s == "" {
		return `""`
	}
	return clean(s)
}

// spellPlace returns [SCOPE/]NAME.
func spellPlace(k graph.Key) string {
	if k.Scope == "" {
		return part(k.Name)
	}
	return clean(k.Scope) + "/" + part(k.Name)
}

// spell returns KIND[.GROUP]/[SCOPE/]NAME, as users type a key.
func spell(k graph.Key) string { return spellKind(k.Kind) + "/" + spellPlace(k) }

// spellOwner returns the spelling of an owner, with ":POLICY" unless the reference has none.
func spellOwner(r graph.Owner) string {
	if w := policyOf(r.OnDelete).word(); w != "" {
		return spell(r.Key) + ":" + w
	}
	return spell(r.Key)
}

// numbered returns "1 object", "2 objects".
func numbered(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprint(n, " ", noun)
}

// some joins the words of the first elements of a list, and counts the others.
func some[T any](list []T, word func(T) string) string {
	named := make([]string, 0, maxNamed)
	for _, x := range list[:min(len(list), maxNamed)] {
		named = append(named, word(x))
	}
	if rest := len(list) - maxNamed; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(named, ", "), rest)
	}
	return strings.Join(named, ", ")
}
