package mutants

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bug is one fault that is put into the engine's source on purpose. It breaks
// one rule. It is a value.
type Bug struct {
	// Name is "m001" and so on.
	Name string
	// Rule says in words what is lost.
	Rule string
	// Source is where the rule comes from, in words parted by spaces: R1 to R8,
	// "decide" and "work" for the other headings of the rules, B1 to B30 of the
	// catalogue of real cases.
	Source string
	// Decl names the declaration that the bug is in. Old begins in it exactly once.
	// New takes the place of Old.
	Decl     Decl
	Old, New string
	// Killers are the methods each of which has to kill it.
	Killers []Method
	// Where says which graph of CI's exhaustive run kills it; the zero value
	// stands for the first that does in the small scopes.
	Where Where
}

// Where is one graph in one row of the exhaustive search that CI runs. It is a
// value.
type Where struct {
	Row   string // as the search prints it
	Graph int    // by its number there, from 1
}

// String returns the row and the graph in words, "" for the zero value.
func (w Where) String() string {
	if w.Row == "" {
		return ""
	}
	return fmt.Sprintf("%s; graph %d", w.Row, w.Graph)
}

// parseWhere reads what String writes.
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
