package restoring

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Patcher writes the references of objects.
type Patcher interface {
	Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error
}

// maxRounds bounds the rounds of Relink in which writers change the same objects.
const maxRounds = 64

// Relink moves the references of living objects to other owners. It returns the number of objects that
// it has changed, and the marked ones, which keep their references. It is over when a fence shows that no unmarked
// object has such a reference.
//
//test:by restore.TestRelink restore.TestRelinkInput
func Relink(ctx context.Context, s Patcher, g Graph, moves []graph.Relink) (moved int, marked []graph.Key, err error) {
	if err := checkMoves(ctx, g, moves); err != nil {
		return 0, nil, fmt.Errorf("relink: %w", err)
	}
	t := turn{moves: movesOf(moves)}
	former := slices.Sorted(maps.Keys(t.moves))
	for range maxRounds {
		if err := g.Observe(ctx); err != nil {
			return moved, marked, fmt.Errorf("relink: %w", err)
		}
		left := 0
		marked = nil
		for _, o := range g.naming(former) {
			change := graph.Change{Relink: t.relinksOf(&o)}
			switch {
			case o.Deleting:
				marked = append(marked, o.Key)
				continue
			case change.IsZero(): // its reference has other coordinates
				continue
			}
			left++
			err := s.Patch(ctx, o.Key, graph.Precondition{UID: o.UID, Version: o.Version}, change)
			switch {
			case err == nil:
				moved++
			case !errors.Is(err, graph.ErrConflict) && !errors.Is(err, graph.ErrNotFound):
				return moved, marked, fmt.Errorf("relink %s: %w", o.Key, err)
			}
		}
		if left == 0 {
			return moved, marked, nil
		}
	}
	return moved, marked, fmt.Errorf("relink: writers change the objects in each of %d rounds: %w", maxRounds, graph.ErrConflict)
}

// checkMoves returns the error of the first move that is none, or that leads to an owner that is not there.
func checkMoves(ctx context.Context, g Graph, moves []graph.Relink) error {
	to := map[graph.UID]graph.Key{}
	for i, m := range moves {
		cause := ""
		switch first, twice := to[m.From.UID]; {
		case m.From.UID == "":
			cause = "From: it has no UID"
		case m.To.UID == "":
			cause = "To: it has no UID"
		case m.From.UID == m.To.UID:
			cause = "From and To have the same UID"
		case twice && first != m.To:
			cause = fmt.Sprintf("From: %s moves to %s, too", m.From, first)
		}
		if cause != "" {
			return fmt.Errorf("moves[%d]: %s: %w", i, cause, graph.ErrInvalid)
		}
		to[m.From.UID] = m.To
	}
	for i, m := range moves {
		if _, further := to[m.To.UID]; further {
			return fmt.Errorf("moves[%d]: To: another move has %s as From: %w", i, m.To, graph.ErrInvalid)
		}
	}
	return checkTargets(ctx, g, moves)
}

// checkTargets returns the error of the first new owner that is not there, or is marked. The engine would delete the dependents of
// such an owner after the pause.
func checkTargets(ctx context.Context, g Graph, moves []graph.Relink) error {
	if err := g.Observe(ctx); err != nil {
		return err
	}
	keys, uids := make([]graph.Key, len(moves)), make([]graph.UID, len(moves))
	for i, m := range moves {
		keys[i], uids[i] = m.To, m.To.UID
	}
	states := g.states(uids)
	if err := g.unobserved(ctx, keys, states); err != nil {
		return err
	}
	for i, m := range moves {
		switch x, there := states[m.To.UID]; {
		case !there:
			return fmt.Errorf("moves[%d]: To: %s is not there: %w", i, m.To, graph.ErrRefused)
		case x.key != m.To:
			return fmt.Errorf("moves[%d]: To: %s has the UID of %s: %w", i, x.key, m.To, graph.ErrRefused)
		case x.marked:
			return fmt.Errorf("moves[%d]: To: %s is marked, so it goes: %w", i, m.To, graph.ErrRefused)
		}
	}
	return nil
}
