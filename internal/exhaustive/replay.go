package exhaustive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Step is one move of a history, and what the store holds after it, in the
// notation of package graph.
type Step struct{ Move, Store string }

// History is a way through a scope. Its first step is the start of it.
type History []Step

// String returns a history one line per step.
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

// tell makes the moves again, and returns the history and what it ends with.
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

// Replay takes a history's way and returns what it ends with: an invariant that
// is broken, or a quiet state that is not permitted; nil if nothing is wrong. It
// fails with an error that wraps graph.ErrInvalid where the history has a move
// that the state does not.
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
