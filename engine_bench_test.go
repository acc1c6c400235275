package ownergraph_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// benchForest returns the objects of n trees of one root, three inner nodes and
// thirty leaves, owners first.
func benchForest(n int) (out []graph.Object) {
	id := 0
	add := func(kind graph.Kind, name string, owner graph.Key) graph.Key {
		id++
		o := graph.Object{Version: graph.Version(fmt.Sprint(id))}
		o.Key = graph.Key{Kind: kind, Scope: "shop", Name: name, UID: graph.UID(fmt.Sprintf("3f0a9c1e-0000-4000-8000-%012x", id))}
		if owner.UID != "" {
			o.Owners = []graph.Owner{{Key: owner, Block: true, Controller: true}}
		}
		out = append(out, o)
		return o.Key
	}
	for t := range n {
		root := add("deployment", fmt.Sprint("web-", t), graph.Key{})
		for i := range 3 {
			inner := add("replicaset", fmt.Sprint("web-", t, "-7d4b9c6f5-", i), root)
			for j := range 10 {
				add("pod", fmt.Sprint("web-", t, "-7d4b9c6f5-x2x4z-", i, "-", j), inner)
			}
		}
	}
	return out
}

func forestKinds() []graph.KindInfo {
	return []graph.KindInfo{{Kind: "deployment", Scoped: true}, {Kind: "pod", Scoped: true}, {Kind: "replicaset", Scoped: true}}
}

// listing returns a watch's events that bring the objects.
func listing(objects []graph.Object) []graph.Event {
	out := []graph.Event{{Type: graph.KindsKnown, Kinds: forestKinds()}}
	for _, k := range forestKinds() {
		out = append(out, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
	}
	for _, o := range objects {
		out = append(out, graph.Event{Type: graph.Put, Object: o})
	}
	for _, k := range forestKinds() {
		out = append(out, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
	}
	return out
}

var benchNow = time.Unix(1e9, 0)

func benchEngine(b *testing.B) *engine.Engine {
	e, err := engine.New(ownergraph.Level2, ownergraph.Config{})
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func observe(b *testing.B, e *engine.Engine, events []graph.Event) {
	if err := probe.ObserveAll(e, benchNow, events); err != nil {
		b.Fatal(err)
	}
}

// drain carries out the calls of the engine, at once, until there is none left.
func drain(b *testing.B, e *engine.Engine) (calls int) {
	for {
		c, at := e.Next(benchNow, engine.LaneStore)
		switch {
		case c.Type == engine.CallDelete:
			calls++
			if err := e.Done(benchNow, c.ID, engine.Result{Fence: uint64(c.ID)}); err != nil {
				b.Fatal(err)
			}
			observe(b, e, []graph.Event{{Type: graph.Gone, Key: c.Key}})
		case c.Type != engine.CallUnset:
			b.Fatalf("%s %s", c.Type, c.Key)
		case at.IsZero() || at.After(benchNow):
			return calls
		}
	}
}

func perObject(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/object")
}

// BenchmarkObserve takes the listing of 10,200 objects, and decides them.
func BenchmarkObserve(b *testing.B) { benchListing(b, listing(benchForest(300))) }

// benchListing takes a listing that leads to no call, and decides it.
func benchListing(b *testing.B, events []graph.Event) {
	b.ReportAllocs()
	for b.Loop() {
		e := benchEngine(b)
		observe(b, e, events)
		if n := drain(b, e); n > 0 {
			b.Fatal(n)
		}
	}
	perObject(b, len(events))
}

// BenchmarkObserveMixed is BenchmarkObserve in the order of listings side by side: most
// dependents come before their owners.
func BenchmarkObserveMixed(b *testing.B) { benchListing(b, listing(sideBySide(benchForest(300)))) }

// sideBySide returns the objects in the order of listings that run side by side, with a
// page of 500 objects of each kind in turn, the last owner first.
func sideBySide(objects []graph.Object) (out []graph.Object) {
	byKind := map[graph.Kind][]graph.Object{}
	for _, o := range slices.Backward(objects) {
		byKind[o.Kind] = append(byKind[o.Kind], o)
	}
	for len(out) < len(objects) {
		for _, k := range []graph.Kind{"pod", "replicaset", "deployment"} {
			n := min(500, len(byKind[k]))
			if k != "pod" && len(byKind["pod"]) > 0 {
				n = min(50, n)
			}
			out, byKind[k] = append(out, byKind[k][:n]...), byKind[k][n:]
		}
	}
	return out
}

// BenchmarkObserveNothingNew takes another version of 10,200 objects that are as
// they were, and decides them.
func BenchmarkObserveNothingNew(b *testing.B) {
	objects := benchForest(300)
	e := benchEngine(b)
	observe(b, e, listing(objects))
	drain(b, e)
	events := make([][]graph.Event, 2)
	for v := range events {
		for _, o := range objects {
			o.Version = graph.Version(fmt.Sprint(1_000_000 + v))
			events[v] = append(events[v], graph.Event{Type: graph.Put, Object: o})
		}
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		observe(b, e, events[i%2])
		drain(b, e)
	}
	perObject(b, len(objects))
}

// BenchmarkCascade ends the roots of 300 trees, in the engine alone. The store answers
// each call at once.
func BenchmarkCascade(b *testing.B) {
	objects := benchForest(300)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		e := benchEngine(b)
		observe(b, e, listing(objects))
		drain(b, e)
		b.StartTimer()
		for i := 0; i < len(objects); i += 34 {
			observe(b, e, []graph.Event{{Type: graph.Gone, Key: objects[i].Key}})
		}
		if got := drain(b, e); got != len(objects)-300 {
			b.Fatal(got)
		}
	}
	perObject(b, len(objects)-300)
}

// instant is a store of keys. It carries out each delete at once, and reports it.
type instant struct {
	objects []graph.Object
	mu      sync.Mutex
	held    map[graph.Key]bool
	left    int
	removed chan graph.Key
	empty   chan struct{}
}

func (s *instant) Get(context.Context, graph.Key) (graph.Object, error) {
	return graph.Object{}, ownergraph.ErrNotFound
}

func (s *instant) Patch(context.Context, graph.Key, graph.Precondition, graph.Change) error {
	return ownergraph.ErrRefused
}

func (s *instant) Delete(_ context.Context, k graph.Key, _ graph.DeleteOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held[k] {
		return ownergraph.ErrNotFound
	}
	delete(s.held, k)
	s.removed <- k
	if s.left--; s.left == 0 {
		close(s.empty)
	}
	return nil
}

func (s *instant) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	if err := sink(listing(s.objects)); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case k := <-s.removed:
			if err := sink([]graph.Event{{Type: graph.Gone, Key: k}}); err != nil {
				return err
			}
		}
	}
}

// BenchmarkCollector ends the roots of 300 trees in a store that takes no time,
// with 20 workers.
func BenchmarkCollector(b *testing.B) {
	objects := benchForest(300)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		s := &instant{
			objects: objects, held: map[graph.Key]bool{}, left: len(objects),
			removed: make(chan graph.Key, len(objects)), empty: make(chan struct{}),
		}
		for _, o := range objects {
			s.held[o.Key] = true
		}
		c, err := ownergraph.New(s, ownergraph.Config{})
		if err != nil {
			b.Fatal(err)
		}
		ctx, stop := context.WithCancel(b.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		if _, err := c.WaitIdle(ctx); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for i := 0; i < len(objects); i += 34 {
			if err := s.Delete(ctx, objects[i].Key, graph.DeleteOptions{}); err != nil {
				b.Fatal(err)
			}
		}
		<-s.empty
		b.StopTimer()
		stop()
		if err := <-ended; err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	perObject(b, len(objects)-300)
}
