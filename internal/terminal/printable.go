package terminal

import (
	"strconv"
	"strings"
	"unicode"
)

// Printable returns text in which no character can control a terminal: each that is not
// printable stands there as its escape, such as \x1b. New lines and tabs stay.
//
//test:by TestPrintable
func Printable(text string) string {
	controls := func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }
	if !strings.ContainsFunc(text, controls) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if controls(r) {
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
