package exhaustive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Step is one move of a history, and the objects of the store after it, in the notation
// of package graph.
type Step struct{ Move, Store string }

// History is a way through a scope. Its first step is the start.
type History []Step

// String returns a history, one line for each step.
func (h History) String() string {
	width := 0
	for _, s := range h {
		width = max(width, len(s.Move))
	}
	var b strings.Builder
	for i, s := range h {
		fmt.Fprintf(&b, "%3d  %-*s  | %s\n", i, width, s.Move, s.Store)
	}
	return b.String()
}

// tell makes the moves again, and returns the history and the broken rule at its end.
func tell(start []graph.Object, scope Scope, path []move) (History, error) {
	x, err := begin(start, scope)
	if err != nil {
		return nil, err
	}
	h := History{{"start", graph.Format(x.w.Store.Objects())}}
	for _, m := range path {
		name := x.label(m)
		_, err = x.do(m, scope)
		h = append(h, Step{name, graph.Format(x.w.Store.Objects())})
		if err != nil {
			return h, err
		}
	}
	return h, nil
}

// Replay makes the moves of a history. It returns the broken invariant at its end, or
// an error for a quiet state that is not permitted, or nil. It fails with an error that
// wraps graph.ErrInvalid if a move of the history is not possible.
func Replay(start []graph.Object, scope Scope, h History) error {
	s := newSearch(start, scope)
	x, err := begin(start, scope)
	if err != nil {
		return err
	}
	for i, step := range h[min(1, len(h)):] {
		moves := s.moves(x)
		at := slices.IndexFunc(moves, func(m move) bool { return x.label(m) == step.Move })
		if at < 0 {
			return fmt.Errorf("replay step %d: no move %q: %w", i+1, step.Move, graph.ErrInvalid)
		}
		if _, err := x.do(moves[at], scope); err != nil {
			return err
		}
	}
	s.moves(x)
	return s.res.Broken
}
