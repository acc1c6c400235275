package ownergraph_test

import (
	"context"
	"fmt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
)

// A user asks why an object is still there. The answer leads over the dependent to the
// finalizer that holds it.
func ExampleCollector_Explain() {
	objects, _ := graph.Parse(`site/front; page/home[example.com/archive] -> site/front!`)
	store, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		panic(err)
	}
	c, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	if _, err := c.WaitIdle(ctx); err != nil {
		panic(err)
	}
	err = store.Delete(ctx, objects[0].Key, ownergraph.DeleteOptions{Propagation: graph.Foreground})
	if err != nil {
		panic(err)
	}
	if _, err := c.WaitIdle(ctx); err != nil {
		panic(err)
	}
	x, err := c.Explain(ctx, graph.Key{Kind: "site", Name: "front"})
	if err != nil {
		panic(err)
	}
	fmt.Println(x.Sentence())
	_, next := x.Pace()
	fmt.Println("look at", next.Key, next.Reason.Code(), next.Actor)
	_, err = c.Explain(ctx, graph.Key{Kind: "site", Name: "back"})
	fmt.Println(err)
	stop()
	<-ended
	// Output:
	// site/front is being deleted and waits for its dependents: page/home. Who has to act: the controller of the finalizer example.com/archive, for page/home.
	// look at page/home NeedFinalizers example.com/archive
	// explain site/back: not found
}

// A user asks why an object is gone. The engine has deleted it, and names the evidence and
// the object whose deletion began the cascade.
func ExampleCollector_Explain_gone() {
	objects, _ := graph.Parse(`site/front; page/home -> site/front`)
	store, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		panic(err)
	}
	c, err := ownergraph.New(store, ownergraph.Config{})
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	if err := c.Synced(ctx); err != nil {
		panic(err)
	}
	if err := store.Delete(ctx, objects[0].Key, ownergraph.DeleteOptions{}); err != nil {
		panic(err)
	}
	if _, err := c.WaitIdle(ctx); err != nil {
		panic(err)
	}
	x, err := c.Explain(ctx, graph.Key{Kind: "page", Name: "home"})
	if err != nil {
		panic(err)
	}
	d := x.Deletion
	fmt.Println(x.Key, "is", x.State, "as", d.Proof.Decision.Reason)
	for _, o := range d.Proof.Owners {
		fmt.Println("owner", o.Owner, o.Class, "by", o.Evidence)
	}
	fmt.Println("root", d.Root.Keys)
	stop()
	<-ended
	// Output:
	// page/home is gone as all owners are gone
	// owner site/front dangling by watch-saw-go
	// root [site/front]
}
