// Command quickstart deletes objects of a recorded Kubernetes cluster, or of a list of
// objects that kubectl prints as JSON. It shows the deleted objects, the remaining
// objects and the reasons. It works on a copy in memory and changes no cluster.
//
// cascade.go embeds a store and a collector, in one page. The other files read the
// input and print.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/internal/terminal"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run runs the command. It returns 0, 1 after an error or for a missing object, or 2
// for wrong usage.
//
// Held by TestRun.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if err := perform(ctx, opts, stdin, terminal.New(stdout)); err != nil {
		fmt.Fprintln(stderr, "quickstart:", err)
		return 1
	}
	return 0
}

// perform reads the input, checks the options, and then prints.
func perform(ctx context.Context, opts options, stdin io.Reader, out *terminal.Output) error {
	began := time.Now()
	c, err := open(opts.file, stdin)
	if err != nil {
		return err
	}
	todo, err := c.plan(opts)
	if err != nil {
		return err
	}
	if opts.tree != nil {
		out.Print(tree(c.objects, todo[0].key, maxLines))
		return out.Err()
	}
	// Reading is over, so the first interrupt now ends the run in order. A second one
	// ends the process.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	err = show(ctx, c, todo, out, began)
	if ctx.Err() != nil && err != nil {
		return fmt.Errorf("interrupted: %w", err)
	}
	return err
}

// show runs a collector on the cluster, carries out the deletions, and prints the
// results. It leaves no goroutine.
//
// Held by TestShowLeavesNothing.
func show(ctx context.Context, c cluster, todo []deletion, out *terminal.Output, began time.Time) (err error) {
	why := &reasons{}
	e, err := embed(c, ownergraph.Config{OnDecision: why.note})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()
	s := &session{embedded: e, out: out, why: why, began: began}
	return s.play(ctx, c, todo)
}
