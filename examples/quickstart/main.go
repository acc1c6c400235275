// Command quickstart deletes a project of a small control plane, and then objects of a recorded
// Kubernetes cluster. With flags it takes a list of objects that kubectl prints as JSON. It works on
// copies in memory and changes no cluster.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph/dump"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/terminal"
	"github.com/ownergraph/ownergraph/view"
)

// recorded has the objects of a real cluster.
//
//go:embed cluster.json
var recorded string

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run returns 0, 1 after an error or for a missing object, or 2 for wrong usage.
//
//test:by TestRun
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

// perform reads the input, finds the objects, and then prints.
func perform(ctx context.Context, opts options, stdin io.Reader, out *terminal.Output) error {
	began := time.Now()
	c, err := opts.read(stdin)
	if err != nil {
		return err
	}
	todo, err := live.Find(c, opts.steps)
	if err != nil {
		return err
	}
	if opts.tree {
		out.Print(view.Tree(c.Objects, todo[0].Key, 0).Text())
		return out.Err()
	}
	ctx, stop := live.Interruptible(ctx) // reading is over
	defer stop()
	if opts.plane {
		if err := showPlane(ctx, out); err != nil {
			if ctx.Err() != nil {
				err = fmt.Errorf("interrupted: %w", context.Cause(ctx))
			}
			return err
		}
	}
	return show(ctx, c, todo, out, began)
}

func (o options) read(stdin io.Reader) (dump.Content, error) {
	if o.file == "" {
		return dump.Read(strings.NewReader(recorded), "cluster.json")
	}
	return dump.ReadFile(o.file, stdin)
}
