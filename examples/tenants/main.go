// Command tenants has three tenants in one store and deletes one of them. Then it
// checks that all objects of that tenant are gone and that no other object has changed.
// A tenant has custom resource definitions, custom resources, persistent volumes,
// priority classes, webhook configurations and namespaces with objects. The name of one
// tenant is a prefix of another's.
//
//	go run ./examples/tenants
//
// Package tenancy decides which objects belong to a tenant. It works on a real cluster
// through adapters/clientgo as it does here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/examples/internal/command"
	"github.com/ownergraph/ownergraph/examples/tenants/tenancy"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

func main() {
	os.Exit(command.Run(context.Background(), "tenants", os.Args[1:], os.Stdout, os.Stderr, run))
}

// run runs the example.
//
// Tested by Example.
func run(ctx context.Context, out io.Writer) (err error) {
	store, err := fill(ctx, "111111", "1111112", "222222")
	if err != nil {
		return err
	}
	collector, err := ownergraph.New(store, ownergraph.Config{
		Sweeps:     []guard.Sweep{tenancy.Tenants(tenant, true)},
		OnDecision: func(d ownergraph.DecisionEvent) { print(out, d) },
		Workers:    1, // for a stable output
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	defer func() { stop(); err = errors.Join(err, <-ended) }()

	if _, err := collector.WaitIdle(ctx); err != nil { // until every kind is listed
		return err
	}
	before := store.Objects()
	fmt.Fprintf(out, "%d objects; a user deletes tenant 111111\n", len(before))
	if err := store.Delete(ctx, graph.Key{Kind: tenant, Name: "111111"}, graph.DeleteOptions{}); err != nil {
		return err
	}
	held, err := collector.WaitIdle(ctx)
	if err != nil {
		return err
	}
	return report(out, before, store.Objects(), held, collector.Stats())
}

// print prints the steps of a sweep.
func print(out io.Writer, d ownergraph.DecisionEvent) {
	if d.Reason == policy.HolderDeleted || d.Action == policy.Attach || d.Reason == policy.MembersGone && d.Action == policy.Release {
		fmt.Fprintf(out, "  %-7s %s: %s\n", d.Action, place(d.Key), d.Reason)
	}
}

// report prints the result. It returns an error if the sweep has deleted too much or
// too little.
func report(out io.Writer, before, after []graph.Object, held []ownergraph.Held, s engine.Stats) error {
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
			return fmt.Errorf("%s has changed, and is not of tenant 111111", place(o.Key))
		}
	}
	fmt.Fprintf(out, "%d objects are left, without a tenant or of 1111112 and 222222, and none of them has changed\n", len(after))
	fmt.Fprintf(out, "%d members are gone with %d deletes; %d objects are held\n", s.Sweeps.MembersGone, s.Calls.Of(engine.CallDelete), len(held))
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
