package storetest

import (
	"context"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// wrapper is a sound store with one bug. A method that is set replaces that of the
// sound store.
type wrapper struct {
	ownergraph.Store
	get    func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error)
	patch  func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error
	delete func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error
	watch  func(ctx context.Context, sink func([]ownergraph.Event) error) error
}

func (w *wrapper) Unwrap() ownergraph.Store { return w.Store }

func (d *wrapper) Get(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
	if d.get != nil {
		return d.get(ctx, key)
	}
	return d.Store.Get(ctx, key)
}

func (w *wrapper) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
	if w.patch != nil {
		return w.patch(ctx, key, pre, c)
	}
	return w.Store.Patch(ctx, key, pre, c)
}

func (w *wrapper) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	if w.delete != nil {
		return w.delete(ctx, key, opts)
	}
	return w.Store.Delete(ctx, key, opts)
}

func (w *wrapper) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	if w.watch != nil {
		return w.watch(ctx, sink)
	}
	return w.Store.Watch(ctx, sink)
}

// fencing and relister are wrappers of the optional powers.
type fencing struct {
	ownergraph.Store
	fence func(ctx context.Context) (token uint64, err error)
}

func (f *fencing) Unwrap() ownergraph.Store                            { return f.Store }
func (f *fencing) Fence(ctx context.Context) (token uint64, err error) { return f.fence(ctx) }

type relister struct {
	ownergraph.Store
	list func(ctx context.Context, kind ownergraph.Kind) error
}

func (r *relister) Unwrap() ownergraph.Store                             { return r.Store }
func (r *relister) List(ctx context.Context, kind ownergraph.Kind) error { return r.list(ctx, kind) }

// comparing orders versions in its own way.
type comparing struct {
	ownergraph.Store
	compare func(a, b ownergraph.Version) int
}

func (c *comparing) Unwrap() ownergraph.Store { return c.Store }
func (c *comparing) CompareVersions(_ ownergraph.Kind, a, b ownergraph.Version) int {
	return c.compare(a, b)
}

// wrappedClient is a sound client with one bug.
type wrappedClient struct {
	Client
	create func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error)
	update func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error)
	delete func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error
}

func (c *wrappedClient) Create(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	if c.create != nil {
		return c.create(ctx, o)
	}
	return c.Client.Create(ctx, o)
}

func (c *wrappedClient) Update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	if c.update != nil {
		return c.update(ctx, o)
	}
	return c.Client.Update(ctx, o)
}

func (c *wrappedClient) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	if c.delete != nil {
		return c.delete(ctx, key, opts)
	}
	return c.Client.Delete(ctx, key, opts)
}

// sinkFunc reports one event to a watch's sink.
type sinkFunc = func(ownergraph.Event) error

// reporting makes every watch report through the function that begin makes for it.
// That function gets one event after another.
func reporting(s ownergraph.Store, begin func() func(e ownergraph.Event, sink sinkFunc) error) ownergraph.Store {
	return &wrapper{Store: s, watch: eachEvent(func(ctx context.Context, sink sinkFunc) error {
		report := begin()
		return watchEach(ctx, s, func(e ownergraph.Event) error { return report(e, sink) })
	})}
}

// eachEvent makes a Watch of a function that reports event by event.
func eachEvent(watch func(ctx context.Context, sink sinkFunc) error) func(context.Context, func([]ownergraph.Event) error) error {
	return func(ctx context.Context, sink func([]ownergraph.Event) error) error {
		return watch(ctx, func(e ownergraph.Event) error { return sink([]ownergraph.Event{e}) })
	}
}

// watchEach watches a store with a sink for one event at a time.
func watchEach(ctx context.Context, s ownergraph.Store, sink sinkFunc) error {
	return s.Watch(ctx, func(batch []ownergraph.Event) error { return sendAll(sink, batch...) })
}

// sendAll reports several events.
func sendAll(sink sinkFunc, events ...ownergraph.Event) error {
	for _, e := range events {
		if err := sink(e); err != nil {
			return err
		}
	}
	return nil
}

// listings knows of one watch which kinds it is listing, and how often it has
// listed each.
type listings struct {
	now   map[ownergraph.Kind]bool
	ended map[ownergraph.Kind]int
}

func newListings() *listings {
	return &listings{map[ownergraph.Kind]bool{}, map[ownergraph.Kind]int{}}
}

func (l *listings) applyEvent(e ownergraph.Event) {
	switch e.Type {
	case graph.ListBegun:
		l.now[e.Kind] = true
	case graph.ListEnded:
		l.now[e.Kind] = false
		l.ended[e.Kind]++
	}
}

// change reports whether the event is about a commit after the listing.
func (l *listings) change(e ownergraph.Event) bool {
	return e.Type == graph.Gone || e.Type == graph.Put && !l.now[e.Object.Kind]
}

// guarded is a value that several goroutines use.
type guarded[T any] struct {
	mu sync.Mutex
	v  T
}

func (g *guarded[T]) with(use func(v *T)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	use(&g.v)
}
