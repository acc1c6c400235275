// A tracer shows the deletes of a collector.
package main

import (
	"context"
	"fmt"
	"log"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	oteltrace "github.com/ownergraph/ownergraph/adapters/otel"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "team"}, {Kind: "repo"}}})
	if err != nil {
		return err
	}
	exporter := tracetest.NewInMemoryExporter()
	tracer := oteltrace.New(oteltrace.Config{Provider: sdk.NewTracerProvider(sdk.WithSyncer(exporter))})
	traced, config := tracer.Wrap(store, ownergraph.Config{})
	collector, err := ownergraph.New(traced, config)
	if err != nil {
		return err
	}
	tracer.Bind(collector)
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(ctx) }()
	defer func() { stop(); <-ended }()
	team, err := store.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "team", Name: "blue"}})
	if err != nil {
		return err
	}
	repo := ownergraph.Object{Key: ownergraph.Key{Kind: "repo", Name: "site"}, Owners: []ownergraph.Owner{{Key: team.Key}}}
	if _, err := store.Create(ctx, repo); err != nil {
		return err
	}
	if err := store.Delete(ctx, team.Key, ownergraph.DeleteOptions{}); err != nil {
		return err
	}
	if _, err := collector.WaitIdle(ctx); err != nil {
		return err
	}
	fmt.Println("spans:", len(exporter.GetSpans()) > 0)
	return nil
}
