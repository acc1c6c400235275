package recipes_test

import (
	"context"
	"log"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
)

// start returns a store of teams, databases and backups, and a collector that runs on it. The
// function stop ends the collector.
func start(config ownergraph.Config) (store *memory.Store, c *ownergraph.Collector, stop func()) {
	return startOn(memory.Config{}, config)
}

// startOn is start with settings of the store.
func startOn(settings memory.Config, config ownergraph.Config) (store *memory.Store, c *ownergraph.Collector, stop func()) {
	settings.Kinds = []ownergraph.KindInfo{{Kind: "team"}, {Kind: "database"}, {Kind: "backup"}}
	store, err := memory.New(settings)
	if err != nil {
		log.Fatal(err)
	}
	c, err = ownergraph.New(store, config)
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	return store, c, func() { cancel(); <-ended }
}

// create creates an object with owners.
func create(store *memory.Store, kind ownergraph.Kind, name string, owners ...ownergraph.Owner) ownergraph.Object {
	o, err := store.Create(context.Background(), ownergraph.Object{Key: ownergraph.Key{Kind: kind, Name: name}, Owners: owners})
	if err != nil {
		log.Fatal(err)
	}
	return o
}

// idle waits until the collector has nothing to do.
func idle(c *ownergraph.Collector) []ownergraph.Held {
	held, err := c.WaitIdle(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	return held
}
