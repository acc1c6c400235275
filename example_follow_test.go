package ownergraph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// startExample runs a collector on a store with the objects, in notation, until the context
// ends. It returns once the collector is idle.
func startExample(ctx context.Context, objects string, cfg ownergraph.Config) (*memory.Store, *ownergraph.Collector) {
	list, _ := graph.Parse(objects)
	store, _ := memory.New(memory.Config{Objects: list})
	collector, _ := ownergraph.New(store, cfg)
	go func() { _ = collector.Run(ctx) }()
	_, _ = collector.WaitIdle(ctx)
	return store, collector
}

// A client deletes a web site in the foreground. The finalizer of a foreign controller holds
// one pod, and with it the site.
func ExampleCollector_Follow() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	store, collector := startExample(ctx, "site/shop/web; pod/shop/a -> site/shop/web!; pod/shop/b[example.com/x] -> site/shop/web!", ownergraph.Config{})
	site := ownergraph.Key{Kind: "site", Scope: "shop", Name: "web"}
	_ = store.Delete(ctx, site, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground})
	_, _ = collector.WaitIdle(ctx)

	for p, err := range collector.Follow(ctx, site) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch {
		case p.Held > 0:
			fmt.Println(p.Left, "left, held:")
			for _, h := range p.By {
				fmt.Println(" ", h)
			}
			pod := ownergraph.Key{Kind: "pod", Scope: "shop", Name: "b"}
			_ = store.Patch(ctx, pod, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: "example.com/x"})
		case p.Done:
			fmt.Println(p.Gone, "of", p.Known, "gone")
		}
	}
	// Output:
	// 2 left, held:
	//   pod/shop/b: finalizers hold it (example.com/x)
	//   site/shop/web: dependents hold it (pod/shop/b)
	// 2 of 2 gone
}

// A client deletes a web site and waits. The first wait ends at its deadline, and names the
// cause. The second one ends with the deletion.
func ExampleCollector_Await() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	store, collector := startExample(ctx, "site/shop/web; pod/shop/a[example.com/x] -> site/shop/web!", ownergraph.Config{})
	site := ownergraph.Key{Kind: "site", Scope: "shop", Name: "web"}
	pod := ownergraph.Key{Kind: "pod", Scope: "shop", Name: "a"}
	_ = store.Delete(ctx, site, ownergraph.DeleteOptions{Propagation: ownergraph.Foreground})

	_, _ = collector.WaitIdle(ctx)
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	err := collector.Await(short, site)
	fmt.Println(errors.Is(err, context.DeadlineExceeded), strings.Contains(err.Error(), "still waiting for: pod/shop/a (finalizer example.com/x, "))

	_ = store.Patch(ctx, pod, ownergraph.Precondition{}, ownergraph.Change{DropFinalizer: "example.com/x"})
	fmt.Println(collector.Await(ctx, site), len(store.Objects()))
	// Output:
	// true true
	// <nil> 0
}

// A client deletes a tenant. One of its volumes is held, so the sweep goes on.
func ExampleCollector_Sweeps_progress() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	store, collector := startExample(ctx, "tenant/1; volume/1-data[example.com/x]; volume/1-logs", ownergraph.Config{Sweeps: []guard.Sweep{{
		Finalizer: "example.org/tenant", Holder: "tenant", Members: []guard.Members{{By: guard.ByName, Delimiter: "-"}},
	}}})
	_ = store.Delete(ctx, ownergraph.Key{Kind: "tenant", Name: "1"}, ownergraph.DeleteOptions{})
	_, _ = collector.WaitIdle(ctx)

	for _, sweep := range collector.Sweeps(10) {
		p := sweep.Progress()
		fmt.Printf("%s: %d of %d gone\n", p.Root, p.Gone, p.Known)
		for _, h := range p.By {
			fmt.Println(h)
		}
	}
	// Output:
	// tenant/1: 1 of 3 gone
	// volume/1-data: finalizers hold it (example.com/x)
}
