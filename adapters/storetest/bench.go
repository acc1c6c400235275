package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// Bench measures the calls for which an engine waits. These are a read, a write
// under UID and version, a creation with its deletion, the report of a change, and
// a listing of a thousand objects. If the store is a Fencer, a fence is one more.
// Each benchmark has a store of its own. The figures are per operation, and for the
// listing also per object.
//
//test:by BenchmarkMemory
func Bench(b *testing.B, c Config) {
	b.Helper()
	p, first := prepare(b.Context(), b.Name(), c)
	if first.Outcome != Kept {
		b.Fatal(first)
	}
	for _, m := range []struct {
		name string
		run  func(*testing.B, *trial)
	}{
		{"get", benchGet}, {"patch", benchPatch}, {"life", benchLife}, {"event", benchEvent}, {"listing", benchListing}, {"fence", benchFence},
	} {
		if _, missing := needFencer.lacking(p.sub, p.kinds); missing && m.name == "fence" {
			continue
		}
		b.Run(m.name, func(b *testing.B) {
			t := newTrial(b, law{name: m.name}, c, p.kinds)
			t.Subject = c.New(b)
			m.run(b, t)
		})
	}
}

func benchGet(b *testing.B, t *trial) {
	key := t.made("a").Key
	for b.Loop() {
		if _, err := t.Store.Get(b.Context(), key); err != nil {
			b.Fatal(err)
		}
	}
}

// benchPatch reads and patches, as the engine does after a conflict.
func benchPatch(b *testing.B, t *trial) {
	key := t.made("a").Key
	for n := 0; b.Loop(); n++ {
		change := ownergraph.Change{AddFinalizer: holdFinalizer}
		if n%2 == 1 {
			change = ownergraph.Change{DropFinalizer: holdFinalizer}
		}
		o, err := t.Store.Get(b.Context(), key)
		if err == nil {
			err = t.Store.Patch(b.Context(), key, exact(o), change)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchLife(b *testing.B, t *trial) {
	for b.Loop() {
		o, err := t.Client.Create(b.Context(), t.object("a"))
		if err == nil {
			err = t.Store.Delete(b.Context(), o.Key, ownergraph.DeleteOptions{Precondition: exact(o), Propagation: ownergraph.Background})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// benchEvent waits for its own change.
func benchEvent(b *testing.B, t *trial) {
	o := t.made("a")
	next, _ := t.benchWatch(graph.Put)
	flip := []string{holdFinalizer}
	for b.Loop() {
		o.Finalizers, flip = flip, o.Finalizers
		var err error
		if o, err = t.Client.Update(b.Context(), o); err != nil {
			b.Fatal(err)
		}
		for next().Object.Version != o.Version {
			continue
		}
	}
}

const benchObjects = 1000

func benchListing(b *testing.B, t *trial) {
	for i := range benchObjects {
		t.made(fmt.Sprintf("a%d", i))
	}
	for b.Loop() {
		next, stop := t.benchWatch(graph.ListEnded)
		for next().Kind != t.main.Kind {
			continue
		}
		stop()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchObjects, "ns/object")
}

func benchFence(b *testing.B, t *trial) {
	next, _ := t.benchWatch(graph.ListEnded, graph.FencePassed)
	for next().Kind != t.main.Kind {
		continue
	}
	for b.Loop() {
		for id := t.fence(); ; {
			if e := next(); e.Fence == id && e.Kind == t.main.Kind {
				break
			}
		}
	}
}

// benchWatch hands out the events of some types of a watch. The watch runs until
// the benchmark ends or stop is called. It keeps no events. A watch that ends by
// itself ends the benchmark, with the store's error.
func (t *trial) benchWatch(types ...graph.EventType) (next func() ownergraph.Event, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	events, ended := make(chan ownergraph.Event), make(chan struct{})
	var why error
	done := start(ctx, func(ctx context.Context) error {
		defer close(ended)
		why = t.Store.Watch(ctx, func(batch []ownergraph.Event) error { return sendOf(ctx, events, batch, types) })
		return why
	})
	next = func() ownergraph.Event {
		select {
		case e := <-events:
			return e
		case <-ended:
			t.Fatalf("the watch has ended: %v", why)
			return ownergraph.Event{}
		}
	}
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return next, stop
}

// sendOf sends the events of some types.
func sendOf(ctx context.Context, to chan<- ownergraph.Event, batch []ownergraph.Event, types []graph.EventType) error {
	for _, e := range batch {
		if !slices.Contains(types, e.Type) {
			continue
		}
		select {
		case to <- e:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
