// Package command is the main function of the example programs without arguments.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// Run runs a program that takes no arguments, and returns its exit status: 0 for success
// or -h, 1 for an error of run, 2 for wrong usage.
//
//test:by TestRun
func Run(ctx context.Context, name string, args []string, stdout, stderr io.Writer, run func(context.Context, io.Writer) error) int {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprintf(stderr, "usage: %s (it takes no arguments)\n", name) }
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "unexpected argument %q\n", flags.Arg(0))
		flags.Usage()
		return 2
	}
	if err := run(ctx, stdout); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}
