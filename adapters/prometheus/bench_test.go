package promstats

import (
	"context"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
)

// BenchmarkCascade is a cascade of 10,000 objects on a memory store, with metrics and without.
func BenchmarkCascade(b *testing.B) {
	for _, c := range []struct {
		name    string
		observe bool
	}{{"without", false}, {"with", true}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				collector, store, root := benchStore(b, 10_000, c.observe)
				ctx, cancel := context.WithCancel(context.Background())
				ended := make(chan error)
				go func() { ended <- collector.Run(ctx) }()
				if _, err := collector.WaitIdle(ctx); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := store.Delete(ctx, root, ownergraph.DeleteOptions{}); err != nil {
					b.Fatal(err)
				}
				if _, err := collector.WaitIdle(ctx); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if n := len(store.Objects()); n != 0 {
					b.Fatalf("%d objects are left", n)
				}
				cancel()
				if err := <-ended; err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

func benchStore(b *testing.B, n int, observe bool) (*ownergraph.Collector, *memory.Store, ownergraph.Key) {
	store, err := memory.New(memory.Config{Kinds: []ownergraph.KindInfo{{Kind: "app"}, {Kind: "pod"}}})
	if err != nil {
		b.Fatal(err)
	}
	root, err := store.Create(b.Context(), ownergraph.Object{Key: ownergraph.Key{Kind: "app", Name: "root"}})
	for i := 0; err == nil && i < n; i++ {
		_, err = store.Create(b.Context(), ownergraph.Object{Key: ownergraph.Key{Kind: "pod", Name: fmt.Sprint(i)}, Owners: []ownergraph.Owner{{Key: root.Key}}})
	}
	if err != nil {
		b.Fatal(err)
	}
	var c *ownergraph.Collector
	if observe {
		c, _, err = New(store, ownergraph.Config{}, Config{})
	} else {
		c, err = ownergraph.New(store, ownergraph.Config{})
	}
	if err != nil {
		b.Fatal(err)
	}
	return c, store, root.Key
}
