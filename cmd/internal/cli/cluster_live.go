package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/clientgo"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/internal/spell"
)

var (
	errUnlisted  = errors.New("not every kind is listed")
	errForbidden = errors.New("the right to list every kind is missing")
)

// lookEvery is the time between two looks at the kinds. A look makes no request.
const lookEvery = 100 * time.Millisecond

// synced waits until every kind is listed. It ends as soon as the server forbids a kind, because
// no time brings the right.
//
//test:by TestNotListedInTime TestWaitWithoutRights
func synced(ctx context.Context, c *ownergraph.Collector) error {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- c.Synced(waiting) }()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("%w: %w", errUnlisted, timely(ctx, err))
			}
			return err
		case <-tick.C:
			if why := forbiddenKinds(c.Kinds()); len(why) > 0 {
				cancel()
				<-ended
				return fmt.Errorf("%w, %w: %s", errUnlisted, errForbidden, spell.Some(why))
			}
		}
	}
}

// forbiddenKinds returns the reasons of the kinds that the server forbids, once each other kind is
// listed or sick.
func forbiddenKinds(kinds []engine.KindStatus) (why []string) {
	for _, k := range kinds {
		switch {
		case clientgo.Forbidden(k.Sick):
			reason, _, _ := strings.Cut(k.Sick, ":")
			why = append(why, reason)
		case !k.Listed && k.Sick == "":
			return nil
		}
	}
	return why
}
