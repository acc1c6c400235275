package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/proof/storefaults/judge"
)

// collect is the subcommand that runs one collector until a signal.
func collect(args []string) error {
	var t target
	flags := flag.NewFlagSet("collect", flag.ContinueOnError)
	t.register(flags)
	work := flags.String("work", "", "the directory in which the handler works")
	mistake := flags.String("mistake", "", "the planted mistake of the store")
	if err := flags.Parse(args); err != nil {
		return err
	}
	store, err := t.open()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	collector, err := ownergraph.New(lying(bare(store), *mistake), collectorConfig(t, *work))
	if err != nil {
		return err
	}
	if err := collector.Run(ctx); err != nil {
		return fmt.Errorf("collector: %w", err)
	}
	return store.close()
}

// bare returns the store without its wrapper, which would hide its batches.
func bare(c client) ownergraph.Store {
	switch c := c.(type) {
	case *sqlClient:
		return c.Store
	case *etcdClient:
		return c.Store
	}
	return c
}

// collectorConfig has short times, so that a round ends soon.
func collectorConfig(t target, work string) ownergraph.Config {
	c := ownergraph.Config{
		CallTimeout: 2 * time.Second,
		Policies:    t.Policies,
		Logger:      slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Handlers:    map[string]finalizer.Handler{judge.FinalizerWork: worker(work)},
	}
	if t.Grace {
		for _, k := range kinds() {
			c.PropagateGrace = append(c.PropagateGrace, k.Kind)
		}
	}
	tuning := c.Inside(inside.Key{})
	tuning.AwaitTimeout, tuning.RefusedRetry = 2*time.Second, 2*time.Second
	return c
}

// worker does the work of a finalizer: it makes a file with the object's UID.
func worker(dir string) finalizer.Handler {
	return func(_ context.Context, o graph.Object) error {
		f, err := os.OpenFile(filepath.Join(dir, string(o.UID)), os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		return f.Close()
	}
}
