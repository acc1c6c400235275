package feed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/replica"
)

// database has objects and their log in memory. It is a feed.Log.
type database struct {
	mu      sync.Mutex
	state   *replica.State
	entries []feed.Entry
	first   uint64
	next    uint64
	down    bool // every call fails
	refuses bool // every commit fails
	silent  bool // every commit is done, and its answer is lost
	leaks   bool // a refused commit appends its entry

	// The mutants keep these of a read of the log.
	noted atomic.Uint64
	was   atomic.Pointer[replica.State]
}

var errDown = errors.New("the test broke the connection")

var allKinds = []graph.KindInfo{{Kind: "app", Scoped: true}, {Kind: "node"}, {Kind: "pod", Scoped: true}}

func newDatabase(kinds ...graph.KindInfo) *database {
	state, err := replica.New(replica.Config{Kinds: kinds})
	if err != nil {
		panic(err) // the kinds are those of a test
	}
	return &database{state: state, first: 1, next: 1}
}

func (d *database) ReadLog(ctx context.Context, from uint64, limit int) (feed.LogPage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.reachable(ctx); err != nil {
		return feed.LogPage{}, err
	}
	page := feed.LogPage{Kinds: d.state.Kinds(), Epoch: d.state.Epoch(), First: d.first, Next: d.next}
	for _, e := range d.entries {
		if e.Position >= from && len(page.Entries) < limit {
			e.Object = e.Object.Clone()
			page.Entries = append(page.Entries, e)
		}
	}
	return page, nil
}

func (d *database) ReadObjects(ctx context.Context, kind graph.Kind, after graph.Key, limit int) (feed.ObjectPage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.reachable(ctx); err != nil {
		return feed.ObjectPage{}, err
	}
	if !d.state.Serves(kind) {
		return feed.ObjectPage{}, graph.ErrKindUnknown
	}
	page := feed.ObjectPage{Next: d.next}
	for o := range d.state.ObjectsOf(kind) {
		if o.Place().Compare(after) > 0 && len(page.Objects) < limit {
			page.Objects = append(page.Objects, o)
		}
	}
	return page, nil
}

func (d *database) AppendFence(ctx context.Context, token uint64) (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.reachable(ctx); err != nil {
		return 0, err
	}
	return d.append(feed.Entry{Fence: token}), nil
}

// append adds an entry. The caller has the lock.
func (d *database) append(e feed.Entry) uint64 {
	e.Position = d.next
	d.entries = append(d.entries, e)
	d.next++
	return e.Position
}

func (d *database) reachable(ctx context.Context) error {
	if d.down {
		return errDown
	}
	return ctx.Err()
}

// write carries out a write and appends its entry, in one step.
func (d *database) write(ctx context.Context, do func() (replica.Commit, error)) (graph.Object, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.reachable(ctx); err != nil {
		return graph.Object{}, err
	}
	if d.refuses {
		if was := d.state.Clone(); d.leaks {
			if c, err := do(); err == nil && c.Changed() {
				d.append(feed.Entry{Object: c.Object(), Removed: c.Event().Type == graph.Gone})
			}
			d.state = was
		}
		return graph.Object{}, errDown
	}
	c, err := do()
	if err != nil {
		return graph.Object{}, err
	}
	if c.Changed() {
		e := c.Event()
		if d.append(feed.Entry{Object: c.Object(), Removed: e.Type == graph.Gone}); d.silent {
			return graph.Object{}, errDown
		}
	}
	return c.Object(), nil
}

// compact drops the log.
func (d *database) compact() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries, d.first = nil, d.next
}

// set changes the database by hand.
func (d *database) set(do func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return do()
}

// backup notes the content and the position. The returned function restores both, and the
// state draws an epoch.
func (d *database) backup() func() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	was, next := d.state.Snapshot(), d.next
	return func() error {
		return d.set(func() error {
			d.entries, d.first, d.next = nil, next, next
			return d.state.Restore(was)
		})
	}
}

// store is a store of the database, and its own client.
type store struct {
	*feed.Feed
	d *database
}

// newStore opens the database. Through is the log that the feed reads.
func newStore(tb storetest.TB, d *database, through feed.Log) store {
	f, err := feed.New(through, feed.Config{PageSize: 7})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return store{f, d}
}

func (s store) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if err := s.d.reachable(ctx); err != nil {
		return graph.Object{}, err
	}
	return s.d.state.Get(key)
}

func (s store) write(ctx context.Context, do func() (replica.Commit, error)) (graph.Object, error) {
	o, err := s.d.write(ctx, do)
	s.Changed()
	return o, err
}

func (s store) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	_, err := s.write(ctx, func() (replica.Commit, error) { return s.d.state.Patch(key, pre, change) })
	return err
}

func (s store) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	_, err := s.write(ctx, func() (replica.Commit, error) { return s.d.state.Delete(key, opts) })
	return err
}

func (s store) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	return s.write(ctx, func() (replica.Commit, error) { return s.d.state.Create(o) })
}

func (s store) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	return s.write(ctx, func() (replica.Commit, error) {
		live, err := s.d.state.Get(o.Key)
		if err != nil {
			return replica.Commit{}, err
		}
		live.UID, live.Version, live.Owners, live.Finalizers = o.UID, o.Version, o.Owners, o.Finalizers
		return s.d.state.Update(live)
	})
}

// subject is a store with every hook but those of sick kinds and connections.
func subject(tb storetest.TB, d *database, through feed.Log) storetest.Subject {
	s := newStore(tb, d, through)
	open := func(context.Context) (storetest.Subject, error) { return subject(tb, d, through), nil }
	return storetest.Subject{
		Store: s, Client: s, Second: open, Restart: open,
		Compact: func(context.Context) error { d.compact(); return nil },
		Backup: func(context.Context) (func(context.Context) error, error) {
			restore := d.backup()
			return func(context.Context) error { return restore() }, nil
		},
		Vanish: func(_ context.Context, kind graph.Kind) (func(context.Context) error, error) {
			serve := func(context.Context) error {
				i := slices.IndexFunc(allKinds, func(k graph.KindInfo) bool { return k.Kind == kind })
				return d.set(func() error { return d.state.AddKind(allKinds[i]) })
			}
			return serve, d.set(func() error { return d.state.RemoveKind(kind) })
		},
		Outage: func(context.Context) (func(context.Context) error, error) {
			end := func(context.Context) error { return d.set(func() error { d.down = false; return nil }) }
			return end, d.set(func() error { d.down = true; return nil })
		},
		FailCommits: func(_ context.Context, done bool) (func(context.Context) error, error) {
			end := func(context.Context) error {
				return d.set(func() error { d.refuses, d.silent = false, false; return nil })
			}
			return end, d.set(func() error { d.refuses, d.silent = !done, done; return nil })
		},
	}
}

// without names the promises that the database cannot show.
var without = []storetest.Promise{storetest.SickKinds, storetest.BrokenConnections}

func sound(tb storetest.TB) storetest.Subject {
	d := newDatabase(allKinds...)
	return subject(tb, d, d)
}

// TestKit runs the conformance kit on a store of level 2 whose watch is a feed.
func TestKit(t *testing.T) {
	storetest.Test(t, storetest.Config{New: sound, Without: without})
}

func key(name string) graph.Key { return graph.Key{Kind: "node", Name: name} }

func (d *database) put(t testing.TB, name string) graph.Object {
	t.Helper()
	o, err := d.write(t.Context(), func() (replica.Commit, error) { return d.state.Create(graph.Object{Key: key(name)}) })
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func say(e graph.Event) string {
	switch e.Type {
	case graph.Put:
		return "put " + e.Object.Name
	case graph.Gone:
		return "gone " + e.Key.Name
	case graph.KindsKnown:
		return fmt.Sprint("kinds ", len(e.Kinds))
	case graph.FencePassed:
		return fmt.Sprintf("fence %d of %q", e.Fence, e.Kind)
	case graph.Rewound:
		return "rewound: " + e.Reason
	}
	return fmt.Sprintf("%s %s", e.Type, e.Of())
}
