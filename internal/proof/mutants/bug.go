package mutants

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bug is one deliberate fault in the engine's source. It breaks one rule. It is a
// value.
type Bug struct {
	// Name is "m001" and so on.
	Name string
	// Rule describes the broken behaviour in words.
	Rule string
	// Source names the origins of the rule, with spaces between them. R1 to R8, P1 to P6, X1 to
	// X4 and G1 to G8 are laws of RULES.md. "decide" and "work" are its headings Decisions and
	// Work. Its index has the lists of the other numbers. K1 to K30 are real cases of other
	// collectors.
	Source string
	// Decl names the declaration that the bug is in. Old begins in it exactly once.
	// New takes the place of Old.
	Decl     Decl
	Old, New string
	// Killers are the methods that have to kill the bug, each by itself.
	Killers []Method
	// Tests matches the names of the tests that the methods run. It is empty for all tests
	// of a package. The methods exhaustive and simulator do not use it.
	Tests string
	// Where is the graph of CI's exhaustive run that kills the bug. With the zero
	// value, the search goes through the small scopes until a graph kills it.
	Where Where
}

// Where is one graph in one row of CI's exhaustive search. It is a value.
type Where struct {
	Row   string // as the search prints it
	Graph int    // the number in the row, from 1
}

// String returns the row and the graph, "" for the zero value.
func (w Where) String() string {
	if w.Row == "" {
		return ""
	}
	return fmt.Sprintf("%s; graph %d", w.Row, w.Graph)
}

// parseWhere reads the result of String.
func parseWhere(text string) (w Where, err error) {
	row, number, found := strings.Cut(text, "; graph ")
	w.Row = row
	if w.Graph, err = strconv.Atoi(number); err != nil || !found || w.Graph < 1 || row == "" {
		return Where{}, fmt.Errorf("exhaustive: %q: want a row, \"; graph \" and its number", text)
	}
	return w, nil
}

// Edit returns the file with the bug in it. An error wraps ErrNoPlace if the source
// has changed and the bug has to follow.
func (b Bug) Edit(s *Source) (Edit, error) {
	p, at, err := s.Locate(b.Decl, b.Old)
	if err != nil {
		return Edit{}, fmt.Errorf("edit %s: %w", b.Name, err)
	}
	content := slices.Concat(p.Src[:at], []byte(b.New), p.Src[at+len(b.Old):])
	return Edit{File: p.File, Content: content}, nil
}
