// Command quickstart deletes objects of a recorded Kubernetes cluster, or of any
// list of objects that kubectl prints as JSON, and shows what goes with them,
// what stays, and why. It works on a copy in memory: no cluster is touched.
//
// Embedding a store and a collector is in cascade.go, and takes a screen. The
// other files read the input and print.
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
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the command: it returns 0, 1 where it failed or the object is missing,
// or 2 for wrong usage. Held by TestRun.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if err := perform(ctx, opts, stdin, newConsole(stdout)); err != nil {
		fmt.Fprintln(stderr, "quickstart:", err)
		return 1
	}
	return 0
}

// perform reads the input, checks what is asked for, and only then prints.
func perform(ctx context.Context, opts options, stdin io.Reader, out *console) error {
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
		out.print(tree(c.objects, todo[0].key, maxLines))
		return out.err
	}
	// Reading is over, so an interrupt no longer ends the process by itself. A
	// second one does.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	err = show(ctx, c, todo, out, began)
	if ctx.Err() != nil && err != nil {
		return fmt.Errorf("interrupted: %w", err)
	}
	return err
}

// show runs a collector on the cluster, does what is to be done, and prints what
// comes of it. It leaves no goroutine. Held by TestShowLeavesNothing.
func show(ctx context.Context, c cluster, todo []deletion, out *console, began time.Time) (err error) {
	why := &reasons{}
	e, err := embed(c, ownergraph.Config{OnDecision: why.note})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()
	s := &session{embedded: e, out: out, why: why, began: began}
	return s.play(ctx, c, todo)
}
