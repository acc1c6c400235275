package spell

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/ownergraph/ownergraph/graph"
)

// MaxNamed bounds the names of one sort in a line.
const MaxNamed = 5

// Plural returns the plural of a kind, in lower case, by simple rules.
func Plural(kind string) string {
	s := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(s, "s"), strings.HasSuffix(s, "x"), strings.HasSuffix(s, "ch"):
		return s + "es"
	case strings.HasSuffix(s, "y") && !strings.HasSuffix(s, "ey") && !strings.HasSuffix(s, "ay"):
		return s[:len(s)-1] + "ies"
	}
	return s + "s"
}

// Count returns "1 read", "2 reads".
func Count(n uint64, noun string) string {
	if n != 1 {
		noun = Plural(noun)
	}
	return fmt.Sprint(n, " ", noun)
}

// Split returns the group and the name of a kind.
func Split(k graph.Kind) (group, name string) {
	if group, name, ok := strings.Cut(string(k), "/"); ok {
		return group, name
	}
	return "", string(k)
}

// List names some of the objects, in a form that the user can type.
func List(objects []graph.Object) string {
	first := make(map[string]graph.Kind) // kind by its name without group
	clash := false
	for _, o := range objects {
		_, name := Split(o.Kind)
		if kind, ok := first[name]; ok && kind != o.Kind {
			clash = true
		}
		first[name] = o.Kind
	}
	var names []string
	for _, o := range objects {
		s := o.Key.Text()
		if group, name := Split(o.Kind); clash && group == "" {
			s = name + "." + strings.TrimPrefix(s, name)
		}
		names = append(names, s)
	}
	return Some(names)
}

// Some joins the first names of list and counts the others.
func Some(list []string) string {
	if rest := len(list) - MaxNamed; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:MaxNamed], ", "), rest)
	}
	return strings.Join(list, ", ")
}

// Clip shortens text that a user or an input made, for an error message. It quotes text
// that could control a terminal.
func Clip(s string) string {
	const limit = 120
	if len(s) > limit || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s[:min(len(s), limit)])
	}
	return s
}

// Line replaces the characters of a text that could control a terminal, or end a line.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

const (
	maxName  = 512 // bytes of a name that Short leaves
	maxMarks = 4   // marks above and below one character
)

// Short returns the spelling of a name for a line of text. Longer text than 512 bytes loses its
// middle. Of the marks that stand above and below one character, it leaves 4, because a heap of
// them covers other lines.
//
//test:by TestShort
func Short(s string) string {
	if len(s) > maxName {
		s = strings.ToValidUTF8(s[:maxName/2], "") + "…" + strings.ToValidUTF8(s[len(s)-maxName/4:], "")
	}
	if isASCII(s) {
		return s
	}
	marks := 0
	return strings.Map(func(r rune) rune {
		if marks++; !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
		}
		switch {
		case marks <= maxMarks:
			return r
		case marks == maxMarks+1:
			return '…'
		}
		return -1
	}, s)
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}
