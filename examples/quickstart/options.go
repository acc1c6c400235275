package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// options holds the values of the command line.
type options struct {
	file        string  // "" for the recorded cluster, "-" for standard input
	tree        *target // draw it and end; nil for none
	delete      *target // in place of the showcase; nil for none
	propagation graph.Propagation
}

const usage = `usage: quickstart [-f FILE] [-delete OBJECT [-propagation HOW] | -tree OBJECT]

Deletes objects in a copy of a cluster, in memory. Shows the deleted objects, the
remaining objects and the reasons. OBJECT is KIND[.GROUP]/[SCOPE/]NAME, as in deployment/shop/cart.

`

// parseOptions reads args. It prints usage and errors to stderr. It returns
// flag.ErrHelp for -h.
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
	flags.Func("tree", "draw the dependents of the `OBJECT`, and end", into(&opts.tree))
	flags.Func("delete", "delete the `OBJECT`, in place of three Deployments of the recorded cluster", into(&opts.delete))
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

// into parses a target. It refuses a second one, which would hide the first.
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
		return errors.New("-propagation: -delete is missing")
	}
	return nil
}
