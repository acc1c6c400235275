package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// options is what the command line asks for.
type options struct {
	file        string  // "" for the recorded cluster, "-" for standard input
	tree        *target // draw it and do no more; nil for none
	delete      *target // instead of the showcase; nil for none
	propagation graph.Propagation
}

const usage = `usage: quickstart [-f FILE] [-delete OBJECT [-propagation HOW] | -tree OBJECT]

Deletes objects in a copy of a cluster, in memory, and shows what goes with them,
what stays, and why. OBJECT is KIND[.GROUP]/[SCOPE/]NAME, as in deployment/shop/cart.

`

// parseOptions reads args, and writes usage and what is wrong with args to
// stderr. It returns flag.ErrHelp where help was asked for.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var opts options
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&opts.file, "f", "",
		"read the objects from `FILE`, as kubectl get -A -o json prints them; - is standard input\n(default a recorded cluster)")
	flags.Func("tree", "draw what is below the `OBJECT`, and do no more", into(&opts.tree))
	flags.Func("delete", "delete the `OBJECT`, instead of three Deployments of the recorded cluster", into(&opts.delete))
	flags.Func("propagation", "`HOW` to delete: background (the default), foreground or orphan", func(s string) (err error) {
		opts.propagation, err = parsePropagation(s)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if err := opts.check(flags.Args()); err != nil {
		fmt.Fprintln(stderr, err)
		flags.Usage()
		return options{}, err
	}
	if opts.propagation == graph.Unset {
		opts.propagation = graph.Background
	}
	return opts, nil
}

// into parses a target. One that is given twice would hide the first.
func into(t **target) func(string) error {
	return func(s string) error {
		if *t != nil {
			return errors.New("given twice")
		}
		parsed, err := parseTarget(s)
		*t = &parsed
		return err
	}
}

func parsePropagation(s string) (graph.Propagation, error) {
	p, err := graph.ParsePropagation(strings.ToLower(s))
	if err == nil && p == graph.Unset {
		err = errors.New("want background, foreground or orphan")
	}
	return p, err
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case o.tree != nil && o.delete != nil:
		return errors.New("-tree and -delete: want one of them")
	case o.propagation != graph.Unset && o.delete == nil:
		return errors.New("-propagation: what to -delete is missing")
	}
	return nil
}
