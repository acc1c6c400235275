package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/offline"
	"github.com/ownergraph/ownergraph/internal/printing"
	"github.com/spf13/cobra"
)

// addLive adds the flags of a subcommand that needs a live store.
func (a *app) addLive(cmd *cobra.Command) {
	a.addStore(cmd)
}

// onStore opens the store, runs a collector on it until every kind is listed, and calls do.
// The arguments name objects. The collector only observes. The settings may add to it.
func (a *app) onStore(ctx context.Context, args []string, set settings, do func(context.Context, *site) error) error {
	if a.source.store.url == "" {
		return printing.UsageError("--store is missing")
	}
	opening, cancel := a.source.deadline(ctx)
	defer cancel()
	s, err := a.source.store.open(opening)
	if err != nil {
		return err
	}
	defer s.close()
	at := &site{app: a, store: s}
	if len(args) > 0 {
		c, err := a.listStore(opening, s)
		if err != nil {
			return err
		}
		if at.objects, err = c.find(args); err != nil {
			return err
		}
	}
	cfg := ownergraph.Config{ObserveOnly: true}
	if set != nil {
		set(&cfg, at.objects)
	}
	return offline.Collect(ctx, s.Store, cfg, func(ctx context.Context, c *ownergraph.Collector) error {
		if err := c.Synced(opening); err != nil {
			return timely(opening, err)
		}
		at.Collector = c
		return do(ctx, at)
	})
}

// settings changes the settings of a collector for the objects that the user names.
type settings func(cfg *ownergraph.Config, objects []graph.Object)

// site is a live store with a collector of this command.
type site struct {
	*ownergraph.Collector
	app     *app
	store   *opened
	acting  *ownergraph.Collector // of delete --act, or nil
	objects []graph.Object        // of the arguments, as they were listed
}

// confirm asks the user, unless --yes was given. Without a terminal it needs --yes. An
// interrupt ends the question.
//
//test:by TestInterruptedQuestion
func (a *app) confirm(ctx context.Context, yes bool, question string) error {
	if yes {
		return nil
	}
	fmt.Fprintf(a.stderr, "%s Type yes to go on: ", question)
	reply := make(chan error, 1)
	go func() { reply <- a.readYes() }()
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		fmt.Fprintln(a.stderr)
		return fmt.Errorf("interrupted: nothing is changed: %w", context.Cause(ctx))
	}
}

func (a *app) readYes() error {
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	switch {
	case strings.TrimSpace(line) == "yes":
		return nil
	case err != nil && line == "":
		fmt.Fprintln(a.stderr)
		return printing.UsageError("no answer: give --yes where no user can answer")
	}
	return errDeclined
}

var errDeclined = errors.New("not confirmed: nothing is changed")
