// Command tenants has three tenants share a store, deletes one of them, and shows
// that nothing of it is left and that nothing of the others was touched: custom
// resource definitions and custom resources, persistent volumes, priority classes,
// webhook configurations, and namespaces with what is in them. Two of the tenants
// have names of which one begins like the other.
//
//	go run ./examples/tenants
//
// What belongs to a tenant says package tenancy, which works on a real cluster
// through adapters/clientgo as it does here.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/examples/tenants/tenancy"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

func main() { os.Exit(command(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) }

// command refuses arguments, of which there are none, and returns the exit status: 1
// for a failure, 2 for wrong usage. Held by TestCommand.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tenants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprintln(stderr, "usage: tenants (it takes no arguments)") }
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
		fmt.Fprintln(stderr, "tenants:", err)
		return 1
	}
	return 0
}

// run plays the whole of it. Held by Example.
func run(ctx context.Context, out io.Writer) (err error) {
	store, err := fill(ctx, "111111", "1111112", "222222")
	if err != nil {
		return err
	}
	collector, err := ownergraph.New(store, ownergraph.Config{
		Sweeps:     []finalizer.Sweep{tenancy.Tenants(tenant, true)},
		OnDecision: func(d ownergraph.Decided) { tell(out, d) },
		Workers:    1, // so that the output is always the same
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()

	if _, err := collector.WaitIdle(ctx); err != nil { // everything is listed
		return err
	}
	before := store.Objects()
	fmt.Fprintf(out, "%d objects; somebody deletes tenant 111111\n", len(before))
	if err := store.Delete(ctx, graph.Key{Kind: tenant, Name: "111111"}, graph.DeleteOptions{}); err != nil {
		return err
	}
	held, err := collector.WaitIdle(ctx)
	if err != nil {
		return err
	}
	return report(out, before, store.Objects(), held, collector.Stats())
}

// tell shows what a sweep does.
func tell(out io.Writer, d ownergraph.Decided) {
	if d.Reason == policy.HolderDeleted || d.Action == policy.Attach || d.Reason == policy.MembersGone && d.Action == policy.Release {
		fmt.Fprintf(out, "  %-7s %s: %s\n", d.Action, place(d.Key), d.Reason)
	}
}

// report says what is gone and what is left, and returns an error if a sweep has
// done too much or too little.
func report(out io.Writer, before, after []graph.Object, held []ownergraph.Held, s ownergraph.Stats) error {
	left := map[graph.Key]graph.Version{}
	for _, o := range after {
		left[o.Key] = o.Version
	}
	for _, o := range before {
		version, there := left[o.Key]
		switch own := whose(o.Key) == "111111"; {
		case own && there:
			return fmt.Errorf("%s is left", place(o.Key))
		case !own && (!there || version != o.Version):
			return fmt.Errorf("%s was touched, and is not of tenant 111111", place(o.Key))
		}
	}
	fmt.Fprintf(out, "%d objects are left, of nobody's or of 1111112's and 222222's, and none of them was touched\n", len(after))
	fmt.Fprintf(out, "%d members are gone with %d deletes; %d objects are held\n", s.MembersGone, s.Deletes, len(held))
	return nil
}

func place(k graph.Key) string {
	k.UID = ""
	name := string(k.Kind) + " "
	if k.Scope != "" {
		name += k.Scope + "/"
	}
	return name + k.Name
}
