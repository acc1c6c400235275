package storetest

import (
	"context"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// door is a sound store with one bug: a method that is set stands in for that of
// the sound store.
type door struct {
	ownergraph.Store
	get    func(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error)
	patch  func(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error
	delete func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error
	watch  func(ctx context.Context, sink func(ownergraph.Event) error) error
}

func (d *door) Unwrap() ownergraph.Store { return d.Store }

func (d *door) Get(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
	if d.get != nil {
		return d.get(ctx, key)
	}
	return d.Store.Get(ctx, key)
}

func (d *door) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, c ownergraph.Change) error {
	if d.patch != nil {
		return d.patch(ctx, key, pre, c)
	}
	return d.Store.Patch(ctx, key, pre, c)
}

func (d *door) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	if d.delete != nil {
		return d.delete(ctx, key, opts)
	}
	return d.Store.Delete(ctx, key, opts)
}

func (d *door) Watch(ctx context.Context, sink func(ownergraph.Event) error) error {
	if d.watch != nil {
		return d.watch(ctx, sink)
	}
	return d.Store.Watch(ctx, sink)
}

// fencing and relister are doors for the optional powers.
type fencing struct {
	ownergraph.Store
	fence func(ctx context.Context, id uint64) error
}

func (f *fencing) Unwrap() ownergraph.Store                   { return f.Store }
func (f *fencing) Fence(ctx context.Context, id uint64) error { return f.fence(ctx, id) }

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

// users is a sound client with one bug.
type users struct {
	Client
	create func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error)
	update func(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error)
	delete func(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error
}

func (u *users) Create(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	if u.create != nil {
		return u.create(ctx, o)
	}
	return u.Client.Create(ctx, o)
}

func (u *users) Update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	if u.update != nil {
		return u.update(ctx, o)
	}
	return u.Client.Update(ctx, o)
}

func (u *users) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	if u.delete != nil {
		return u.delete(ctx, key, opts)
	}
	return u.Client.Delete(ctx, key, opts)
}

// tell reports one event to a watch's sink.
type tell = func(ownergraph.Event) error

// reporting has every watch report through what begin makes for it, which is
// called for one event after another.
func reporting(s ownergraph.Store, begin func() func(e ownergraph.Event, tell tell) error) ownergraph.Store {
	return &door{Store: s, watch: func(ctx context.Context, sink func(ownergraph.Event) error) error {
		report := begin()
		return s.Watch(ctx, func(e ownergraph.Event) error { return report(e, sink) })
	}}
}

// each tells several events.
func each(tell tell, events ...ownergraph.Event) error {
	for _, e := range events {
		if err := tell(e); err != nil {
			return err
		}
	}
	return nil
}

// listings knows of one watch which kinds are being listed, and how often each
// has been.
type listings struct {
	now   map[ownergraph.Kind]bool
	ended map[ownergraph.Kind]int
}

func newListings() *listings {
	return &listings{map[ownergraph.Kind]bool{}, map[ownergraph.Kind]int{}}
}

func (l *listings) take(e ownergraph.Event) {
	switch e.Type {
	case graph.ListBegun:
		l.now[e.Kind] = true
	case graph.ListEnded:
		l.now[e.Kind] = false
		l.ended[e.Kind]++
	}
}

// change reports whether the event is of what was committed behind the listing.
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
