package oteltrace

import (
	"context"
	"fmt"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
)

// BenchmarkCascade is a cascade of 10,000 objects on a memory store: without a tracer, with
// tracing off, with no span recorded, and with all spans recorded and dropped.
func BenchmarkCascade(b *testing.B) {
	for _, c := range []struct {
		name   string
		tracer *Tracer
	}{
		{"without", nil},
		{"off", New(Config{})},
		{"noop", New(Config{Provider: noop.NewTracerProvider()})},
		{"unsampled", New(Config{Provider: sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample()))})},
		{"recorded", New(Config{Provider: recording()})},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				collector, store, root := benchStore(b, 10_000, c.tracer)
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

// recording returns a provider that records each span and drops it at its end.
func recording() trace.TracerProvider {
	return sdk.NewTracerProvider(sdk.WithSpanProcessor(dropping{}))
}

type dropping struct{}

func (dropping) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (dropping) OnEnd(sdk.ReadOnlySpan)                     {}
func (dropping) Shutdown(context.Context) error             { return nil }
func (dropping) ForceFlush(context.Context) error           { return nil }

// single is a store whose writes are calls of their own.
type single struct{ ownergraph.Store }

func (s single) Unwrap() ownergraph.Store { return s.Store }

func benchStore(b *testing.B, n int, tracer *Tracer) (*ownergraph.Collector, *memory.Store, ownergraph.Key) {
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
	var s ownergraph.Store = single{store}
	var cfg ownergraph.Config
	if tracer != nil {
		s, cfg = tracer.Wrap(s, cfg)
	}
	c, err := ownergraph.New(s, cfg)
	if err != nil {
		b.Fatal(err)
	}
	if tracer != nil {
		tracer.Bind(c)
	}
	return c, store, root.Key
}
