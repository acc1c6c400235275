// A registry has the metrics of a collector.
package main

import (
	"fmt"
	"log"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	promstats "github.com/ownergraph/ownergraph/adapters/prometheus"
)

func main() {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "app"}}})
	if err != nil {
		log.Fatal(err)
	}
	_, metrics, err := promstats.New(store, ownergraph.Config{}, promstats.Config{})
	if err != nil {
		log.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics)
	families, err := registry.Gather()
	fmt.Println("families:", len(families) > 10, err)
}
