package oteltrace_test

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

func Example() {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "team"}, {Kind: "repo"}}})
	if err != nil {
		log.Fatal(err)
	}
	exporter := tracetest.NewInMemoryExporter()
	tracer := oteltrace.New(oteltrace.Config{Provider: sdk.NewTracerProvider(sdk.WithSyncer(exporter))})
	traced, config := tracer.Wrap(store, ownergraph.Config{})
	collector, err := ownergraph.New(traced, config)
	if err != nil {
		log.Fatal(err)
	}
	tracer.Bind(collector)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { _ = collector.Run(ctx) }()

	team, err := store.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "team", Name: "blue"}})
	if err != nil {
		log.Fatal(err)
	}
	repo := ownergraph.Object{Key: ownergraph.Key{Kind: "repo", Name: "site"}, Owners: []ownergraph.Owner{team.ControllerRef()}}
	if _, err := store.Create(ctx, repo); err != nil {
		log.Fatal(err)
	}
	if _, err := collector.WaitIdle(ctx); err != nil {
		log.Fatal(err)
	}
	if err := store.Delete(ctx, team.Key, ownergraph.DeleteOptions{}); err != nil {
		log.Fatal(err)
	}
	if _, err := collector.WaitIdle(ctx); err != nil {
		log.Fatal(err)
	}
	for _, s := range exporter.GetSpans() {
		if len(s.Links) > 0 {
			fmt.Println(s.Name, "with a link to", s.Links[0].Attributes[1].Value.AsString())
		}
	}
	// Output: ownergraph.delete with a link to blue
}
