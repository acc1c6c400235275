// Command controlplane is a small control plane with an HTTP API. Teams own projects,
// projects own databases, and databases and projects own backups. README.md is a tutorial.
//
//	go run . -store sqlite:controlplane.db
//	go run . -store postgres://user@host/base
//	go run . -store etcd://localhost:2379/controlplane
//
// Any number of processes may run on one store with one folder -data. A process may be killed
// at any moment. The others, or the next one, go on with its deletions. With -share auto they divide
// the objects. With -undo 720h a deletion can be undone for 30 days, on SQLite and Postgres.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
)

// passwords matches each part of a store's address that may have a password.
var passwords = regexp.MustCompile(`(?s)//.*@|(\?|password=).*`)

func main() {
	listen := flag.String("listen", "localhost:8080", "the `address` of the API")
	store := flag.String("store", "sqlite:controlplane.db", "the `store`: sqlite:FILE, postgres://... or etcd://HOST:PORT/PREFIX")
	data := flag.String("data", "databases", "the `folder` for the files of the databases")
	auto := false
	flag.Func("share", "the `part` of the objects that this process works on: all, or auto for an equal part beside the other processes (default all)", func(text string) (err error) {
		auto, err = isAuto(text)
		return err
	})
	var graced []graph.Kind
	flag.Func("propagate-grace", "the `kinds` whose grace periods a foreground deletion passes on to dependents, such as projects,databases", func(text string) (err error) {
		graced, err = kindsIn(text)
		return err
	})
	policies := flag.Bool("policies", false, "begin to use policies of owners, such as projects/web:restrict, when all programs on the store know them")
	trash := flag.Duration("trash", 7*24*time.Hour, "the `time` for which the trash keeps the files of deleted databases")
	undo := flag.Duration("undo", 0, "the `time`, such as 720h, for which a deletion can be undone on SQLite and Postgres, or 0 for no undo; it takes the step of -policies, too, and shuts programs without -undo out for good")
	flag.Parse()
	if *undo < 0 {
		fmt.Fprintln(os.Stderr, "controlplane: -undo: negative")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *store, *data, auto, use{*policies || *undo > 0, *undo}, graced, *trash); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends or a part fails. The end of the collector ends the streams.
func run(ctx context.Context, listen, store, data string, auto bool, use use, graced []graph.Kind, trash time.Duration) error {
	records, err := openRecords(ctx, store, use)
	name := passwords.ReplaceAllString(store, "...")
	if err != nil {
		return fmt.Errorf("open %s: %w", name, err)
	}
	defer records.close()
	dirs, err := openDirectories(ctx, data, records.store())
	if err != nil {
		return fmt.Errorf("open %s for %s: %w", data, name, err)
	}
	collector, err := ownergraph.New(records.store(), ownergraph.Config{Logger: slog.Default(), Policies: use.policies, PropagateGrace: graced,
		Handlers: map[string]ownergraph.Handler{directoryFinalizer: dirs.remove}})
	if err != nil {
		return err
	}
	var member *group.Membership
	if auto {
		if member, err = join(ctx, collector, records); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: (&api{records: records, collector: collector, dirs: dirs, member: member}).routes(), MaxHeaderBytes: 16 << 10,
		ReadTimeout: 10 * time.Second, WriteTimeout: 2 * callTimeout, IdleTimeout: time.Minute,
	}
	running, stop := context.WithCancelCause(ctx)
	go func() { stop(server.Serve(l)) }()
	go dirs.tidyHourly(running, trash)
	go func() {
		if collector.Synced(running) == nil {
			fmt.Printf("ready on http://%s\n", l.Addr())
		}
	}()
	left := make(chan error, 1)
	go func() { left <- stay(running, member) }()
	if err = collector.Run(running); ctx.Err() == nil {
		err = errors.Join(err, context.Cause(running))
	}
	return errors.Join(err, <-left, server.Shutdown(context.WithoutCancel(ctx)))
}
