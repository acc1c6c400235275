// Command quickstart shows what owns what in a recorded Kubernetes cluster, or
// in any list of objects that kubectl prints as JSON.
package main

import (
	"bufio"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// recorded is a real cluster's objects.
//
//go:embed cluster.json
var recorded string

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the command: it returns 0, 1 where it failed or the object is
// missing, or 2 for wrong usage. Held by TestRun.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	out := bufio.NewWriter(stdout)
	err = errors.Join(perform(opts, stdin, out), out.Flush())
	if err != nil {
		fmt.Fprintln(stderr, "quickstart:", err)
		return 1
	}
	return 0
}

// options is what the command line asks for.
type options struct {
	file string  // "" for the recorded cluster, "-" for standard input
	tree *target // nil for none
}

// parseOptions reads args, and writes usage and what is wrong with args to
// stderr. It returns flag.ErrHelp where help was asked for.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var opts options
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&opts.file, "f", "", "read the objects from `FILE`, as kubectl get -o json prints them; - is standard input")
	flags.Func("tree", "draw what is below the object `KIND[.GROUP]/[SCOPE/]NAME`", func(s string) error {
		t, err := parseTarget(s)
		opts.tree = &t
		return err
	})
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
		fmt.Fprintln(stderr, err)
		flags.Usage()
		return options{}, err
	}
	return opts, nil
}

func perform(opts options, stdin io.Reader, out io.Writer) error {
	c, err := open(opts.file, stdin)
	if err != nil {
		return err
	}
	shown := opts.tree
	if shown == nil {
		fmt.Fprintln(out, c.summary())
		if opts.file == "" {
			shown = &showcase()[0].target
		}
	}
	if shown == nil {
		return nil
	}
	root, err := c.find(*shown)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, tree(c.objects, root))
	return err
}

func open(file string, stdin io.Reader) (cluster, error) {
	switch file {
	case "":
		return load(strings.NewReader(recorded), "cluster.json")
	case "-":
		return load(stdin, "standard input")
	}
	f, err := os.Open(file)
	if err != nil {
		return cluster{}, err
	}
	defer f.Close()
	return load(f, file)
}

// summary counts what c holds.
func (c cluster) summary() string {
	references, unresolved, finalized := 0, 0, 0
	for _, o := range c.objects {
		references += len(o.Owners)
		for _, ref := range o.Owners {
			if ref.Unresolved {
				unresolved++
			}
		}
		if len(o.Finalizers) > 0 {
			finalized++
		}
	}
	return fmt.Sprintf("%d objects of %d kinds, %d owner references (%d cannot be resolved), %d objects with finalizers",
		len(c.objects), len(c.kinds), references, unresolved, finalized)
}
