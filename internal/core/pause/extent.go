package pause

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ownergraph/ownergraph/graph"
)

// Extent is the range of a pause: exactly one of everything, a scope and a kind. It is a
// value.
type Extent struct {
	All     bool
	Kind    graph.Kind
	InScope bool   // Scope counts
	Scope   string // "" is that of the global objects
}

// Check returns an error for an extent that is not exactly one of the three.
func (x Extent) Check() error {
	n := 0
	for _, set := range [...]bool{x.All, x.Kind != "", x.InScope} {
		if set {
			n++
		}
	}
	switch {
	case n != 1:
		return errors.New("want exactly one of everything, a scope and a kind")
	case x.Scope != "" && !x.InScope:
		return errors.New("a scope without InScope")
	case !utf8.ValidString(x.Scope) || !utf8.ValidString(string(x.Kind)): // a record could not name it
		return errors.New("not UTF-8")
	}
	return nil
}

// Covers reports whether the extent covers the objects of a kind in a scope.
func (x Extent) Covers(kind graph.Kind, scope string) bool {
	return x.All || x.Kind != "" && x.Kind == kind || x.InScope && x.Scope == scope
}

// String returns the extent in words.
func (x Extent) String() string {
	switch {
	case x.All:
		return "everything"
	case x.Kind != "":
		return "kind " + quoted(string(x.Kind))
	case x.InScope && x.Scope == "":
		return "the global objects"
	case x.InScope:
		return "scope " + quoted(x.Scope)
	}
	return "nothing"
}

// quoted returns a name as it is, or quoted if it would hide the end of the text.
func quoted(name string) string {
	if q := strconv.Quote(name); len(q) != len(name)+2 || strings.ContainsRune(name, ' ') {
		return q
	}
	return name
}

// compare orders extents: everything, then kinds, then scopes.
func (x Extent) compare(y Extent) int {
	rank := func(x Extent) int {
		switch {
		case x.All:
			return 0
		case x.Kind != "":
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(rank(x), rank(y)), strings.Compare(string(x.Kind), string(y.Kind)), strings.Compare(x.Scope, y.Scope))
}
