package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/live"
	"github.com/ownergraph/ownergraph/internal/spell"
)

// options has the values of the command line.
type options struct {
	file  string      // "" for the recorded cluster, "-" for standard input
	steps []live.Step // the deletions, or one object to draw
	tree  bool        // draw it and end
	plane bool        // show the control plane first
}

const usage = `usage: quickstart [-f FILE] [-delete OBJECT [-propagation HOW] | -tree OBJECT]

Without flags, deletes a project of a small control plane first. Deletes objects in a copy of a
cluster, in memory. Shows the deleted objects, the
remaining objects and the reasons. OBJECT is KIND[.GROUP]/[SCOPE/]NAME, as in deployment/shop/cart.

`

// parseOptions prints usage and errors to stderr. It returns flag.ErrHelp for -h.
func parseOptions(args []string, stderr io.Writer) (o options, err error) {
	var drawn, deleted []live.Step
	var how graph.Propagation
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	flags.StringVar(&o.file, "f", "", "read the objects from `FILE`, as kubectl get -A -o json prints them; - is standard input\n(default a recorded cluster)")
	flags.Func("tree", "draw the owners and the dependents of the `OBJECT`, and end", into(&drawn))
	flags.Func("delete", "delete the `OBJECT`, in place of three Deployments of the recorded cluster", into(&deleted))
	flags.Var((*live.PropagationFlag)(&how), "propagation", "`HOW` to delete: background (the default), foreground (it waits for the dependents that block) or orphan")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.steps, o.tree = append(drawn, deleted...), drawn != nil
	switch {
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case len(o.steps) > 1:
		err = errors.New("-tree and -delete: want one of them")
	case how != graph.Unset && deleted == nil:
		err = errors.New("-propagation: -delete is missing")
	case len(o.steps) == 0 && o.file == "":
		o.steps, o.plane = showcase(), true
	case deleted != nil:
		o.steps[0].Propagation = max(how, graph.Background)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		flags.Usage()
	}
	return o, err
}

// into parses an object. It refuses a second one, which would hide the first.
func into(list *[]live.Step) func(string) error {
	return func(s string) error {
		if *list != nil {
			return errors.New("given twice")
		}
		t, err := spell.ParseTarget(s)
		*list = []live.Step{{Target: t}}
		return err
	}
}

// showcase returns the default deletions: one Deployment with each propagation. They share
// no object, so no step changes the result of another.
//
//test:by TestShowcase
func showcase() []live.Step {
	of := func(scope, name string, p graph.Propagation) live.Step {
		return live.Step{Target: spell.Target{Kind: "Deployment", Scope: scope, Name: name}, Propagation: p}
	}
	return []live.Step{of("shop", "frontend", graph.Background), of("shop", "search", graph.Foreground), of("payments", "checkout", graph.Orphan)}
}
