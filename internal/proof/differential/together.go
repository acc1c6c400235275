package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph/internal/proof/oracle"
)

// alone gives one side the history without a wait between the actions. It returns the
// done actions, and the state when the side is quiet.
func alone(ctx context.Context, run collect, h history) (done []oracle.Action, state string, err error) {
	l, err := begin(ctx, run, h.start)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, l.end()) }()
	awaitQuiet(l)
	for _, a := range h.actions {
		ok, err := act(ctx, l.store, a)
		if err != nil {
			return nil, "", err
		}
		if ok {
			done = append(done, a)
		}
	}
	awaitQuiet(l)
	return done, l.state(), nil
}

// overlap is the outcome of one side when all actions came at once.
type overlap struct {
	history
	done      []oracle.Action
	end       string
	permitted bool
}

func (o overlap) String() string {
	return fmt.Sprintf("%s\n  all at once: not permitted\n  done   %v\n  end    %s", o.history, o.done, o.end)
}

// rush runs a history on one side, all at once, and asks the specification.
func rush(ctx context.Context, run collect, h history) (overlap, error) {
	done, end, err := alone(ctx, run, h)
	if err != nil {
		return overlap{}, fmt.Errorf("all at once: %s: %w", h, err)
	}
	ends := oracle.Ends(h.start, done, oracle.Config{Scope: oracle.ScopeAbsent, OwnerName: oracle.NameAbsent})
	return overlap{h, done, end, slices.Contains(ends, end)}, nil
}
