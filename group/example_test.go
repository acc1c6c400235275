package group_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/group"
	"github.com/ownergraph/ownergraph/share"
)

// Two collectors divide the work on one store. Each observes all objects, and writes to the objects
// of its own set.
func Example() {
	objects, err := graph.Parse("team/red; job/1 -> team/red; job/2 -> team/red; job/3 -> team/red; job/4")
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var work sync.WaitGroup
	var members []*group.Membership
	var collector *ownergraph.Collector
	coordinator := memory.NewGroup()
	for _, name := range []string{"one", "two"} {
		collector, err = ownergraph.New(store, ownergraph.Config{})
		if err != nil {
			fmt.Println(err)
			return
		}
		member, err := group.New(collector, coordinator, group.Config{Name: name, Lease: 10 * time.Second, Renew: 100 * time.Millisecond})
		if err != nil {
			fmt.Println(err)
			return
		}
		run := collector.Run
		work.Go(func() { _ = run(ctx) })
		work.Go(func() { _ = member.Run(ctx) })
		members = append(members, member)
	}

	// The group is complete when each member knows the other one.
	for look := time.NewTicker(10 * time.Millisecond); len(members[0].Status().Members) < 2 || len(members[1].Status().Members) < 2; {
		<-look.C
	}
	one, two := members[0].Status().Share, members[1].Status().Share
	fmt.Println("in both sets:", one.And(two), "- in one of them:", one.Or(two) == share.All())

	red := ownergraph.Key{Kind: "team", Name: "red"}
	if err := store.Delete(ctx, red, ownergraph.DeleteOptions{}); err != nil {
		fmt.Println(err)
	}
	if err := collector.Await(ctx, red); err != nil {
		fmt.Println(err)
	}
	for _, o := range store.Objects() {
		fmt.Println("left:", o.Key)
	}
	stop()
	work.Wait()
	// Output:
	// in both sets: none - in one of them: true
	// left: job/4
}
