package promstats_test

import (
	"context"
	"fmt"
	"log"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	promstats "github.com/ownergraph/ownergraph/adapters/prometheus"
)

func Example() {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "app"}}})
	if err != nil {
		log.Fatal(err)
	}
	collector, metrics, err := promstats.New(store, ownergraph.Config{}, promstats.Config{})
	if err != nil {
		log.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { _ = collector.Run(ctx) }()
	if _, err := store.Create(ctx, ownergraph.Object{Key: ownergraph.Key{Kind: "app", Name: "a"}}); err != nil {
		log.Fatal(err)
	}
	if _, err := collector.WaitIdle(ctx); err != nil {
		log.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "ownergraph_objects" {
			fmt.Println(f.GetName(), f.GetMetric()[0].GetLabel()[0].GetValue(), f.GetMetric()[0].GetGauge().GetValue())
		}
	}
	// Output: ownergraph_objects app 1
}
