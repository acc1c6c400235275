package storetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

var errBroken = errors.New("connection lost")

var (
	errBusy = errors.New("database is busy")
	errDisk = errors.New("disk I/O error")
)

// database is the storage under a memory store. The hooks Outage and FailCommits
// make it fail.
type database struct {
	outage, undone, unanswered atomic.Bool
}

func (d *database) err() error {
	if d.outage.Load() {
		return errBusy
	}
	return nil
}

// commit runs a write or fails it, as the hooks say.
func commit[T any](p *database, do func() (T, error)) (out T, err error) {
	switch {
	case p.outage.Load():
		return out, errBusy
	case p.undone.Load():
		return out, errDisk
	}
	if out, err = do(); err == nil && p.unanswered.Load() {
		err = errDisk
	}
	return out, err
}

func cutBy(b *atomic.Bool) func(context.Context) error {
	b.Store(true)
	return func(context.Context) error { b.Store(false); return nil }
}

func (d *database) fail(context.Context) (func(context.Context) error, error) {
	return cutBy(&d.outage), nil
}

func (d *database) failCommits(_ context.Context, done bool) (func(context.Context) error, error) {
	if done {
		return cutBy(&d.unanswered), nil
	}
	return cutBy(&d.undone), nil
}

// testStore is a memory store whose watches can be cut, and whose database can
// fail.
type testStore struct {
	*memory.Store
	*database
	mu  sync.Mutex
	cut chan struct{} // closed by the next break
}

func (s *testStore) Get(ctx context.Context, key ownergraph.Key) (ownergraph.Object, error) {
	if err := s.err(); err != nil {
		return ownergraph.Object{}, err
	}
	return s.Store.Get(ctx, key)
}

func (s *testStore) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	_, err := commit(s.database, func() (struct{}, error) { return struct{}{}, s.Store.Patch(ctx, key, pre, change) })
	return err
}

func (s *testStore) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	_, err := commit(s.database, func() (struct{}, error) { return struct{}{}, s.Store.Delete(ctx, key, opts) })
	return err
}

// MaxBatch is that of the memory store. It is 0 for a type that embeds a testStore.
func (s *testStore) MaxBatch(of ownergraph.Store) int {
	if of != ownergraph.Store(s) {
		return 0
	}
	return s.Store.MaxBatch(s.Store)
}

// Batch commits all the writes at once, or fails them at once.
func (s *testStore) Batch(ctx context.Context, writes []ownergraph.Write) ([]error, error) {
	return commit(s.database, func() ([]error, error) { return s.Store.Batch(ctx, writes) })
}

func (s *testStore) ReadRecord(ctx context.Context, name string) (ownergraph.Record, error) {
	if err := s.err(); err != nil {
		return ownergraph.Record{}, err
	}
	return s.Store.ReadRecord(ctx, name)
}

func (s *testStore) WriteRecord(ctx context.Context, name string, value []byte, version ownergraph.Version) (ownergraph.Version, error) {
	return commit(s.database, func() (ownergraph.Version, error) { return s.Store.WriteRecord(ctx, name, value, version) })
}

func (s *testStore) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	if err := s.err(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.mu.Lock()
	cut := s.cut
	s.mu.Unlock()
	go func() {
		select {
		case <-cut:
			cancel(errBroken)
		case <-ctx.Done():
		}
	}()
	err := s.Store.Watch(ctx, sink)
	if errors.Is(context.Cause(ctx), errBroken) {
		return errBroken
	}
	return err
}

func (s *testStore) breakAll(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.cut)
	s.cut = make(chan struct{})
	return nil
}

// memoryUsers is the client of a memory store's users. It writes to the memory
// store directly, past the wrappers of a test.
type memoryUsers struct {
	store    *memory.Store
	database *database
}

func (c memoryUsers) Create(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	return commit(c.database, func() (ownergraph.Object, error) { return c.store.Create(ctx, o) })
}

// Update writes owners and finalizers of the present object.
func (c memoryUsers) Update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	return commit(c.database, func() (ownergraph.Object, error) {
		return c.store.Update(ctx, ownergraph.Object{Key: o.Key, Version: o.Version, Owners: o.Owners, Finalizers: o.Finalizers})
	})
}

func (c memoryUsers) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	_, err := commit(c.database, func() (struct{}, error) { return struct{}{}, c.store.Delete(ctx, key, opts) })
	return err
}

// memoryKinds are the kinds of the memory store in these tests.
func memoryKinds() []ownergraph.KindInfo {
	return []ownergraph.KindInfo{{Kind: "app", Scoped: true}, {Kind: "node"}, {Kind: "pod", Scoped: true}, {Kind: "event", Scoped: true, NoOwner: true}}
}

// memorySubject is a memory store with every hook. A test may wrap or replace its
// Store, a *testStore. The hooks and the Client go to the memory store.
func memorySubject(tb TB) Subject { return memorySubjectOf(tb, memory.Config{Kinds: memoryKinds()}) }

// countedSubject is memorySubject with predictable UIDs. A search then runs each time as
// before, and so does its shrinking.
func countedSubject(tb TB) Subject {
	return memorySubjectOf(tb, memory.Config{Kinds: memoryKinds(), UIDPrefix: "counted-by-the-test-"})
}

// strictSubject is memorySubject of level 3.
func strictSubject(tb TB) Subject {
	return memorySubjectOf(tb, memory.Config{Kinds: memoryKinds(), Strict: true})
}

func memorySubjectOf(tb TB, c memory.Config) Subject {
	tb.Helper()
	m, err := memory.New(c)
	if err != nil {
		tb.Fatalf("new memory store: %v", err)
	}
	p := &database{}
	l := &testStore{Store: m, database: p, cut: make(chan struct{})}
	s := Subject{Store: l, Client: memoryUsers{m, p}, Break: l.breakAll, Outage: p.fail, FailCommits: p.failCommits}
	s.Second = func(context.Context) (Subject, error) {
		return Subject{Store: &testStore{Store: m, database: p, cut: make(chan struct{})}, Client: memoryUsers{m, p}}, nil
	}
	s.Compact = func(context.Context) error { m.Inside(inside.Key{}).Compact(); return nil }
	s.Backup = func(context.Context) (func(context.Context) error, error) {
		was := m.Inside(inside.Key{}).Snapshot()
		return func(context.Context) error { return m.Inside(inside.Key{}).Restore(was) }, nil
	}
	s.Sicken = func(_ context.Context, kind ownergraph.Kind) (func(context.Context) error, error) {
		return func(context.Context) error { return m.Inside(inside.Key{}).Recover(kind) }, m.Inside(inside.Key{}).Sicken(kind, "taken out of reach")
	}
	s.Vanish = func(_ context.Context, kind ownergraph.Kind) (func(context.Context) error, error) {
		return func(context.Context) error { return m.Inside(inside.Key{}).AddKind(infoOf(kind)) }, m.Inside(inside.Key{}).RemoveKind(kind)
	}
	s.Label = func(ctx context.Context, key ownergraph.Key, labels map[string]string) error {
		_, err := m.Label(ctx, key, graph.Precondition{}, labels)
		return err
	}
	s.Restart = func(context.Context) (Subject, error) {
		next := memorySubjectOf(tb, memory.Config{Kinds: memoryKinds(), Objects: m.Objects(), Strict: c.Strict, Archive: c.Archive})
		m.Inside(inside.Key{}).CopyRecords(next.Store.(*testStore).Store)
		return next, nil
	}
	return s
}

func infoOf(kind ownergraph.Kind) ownergraph.KindInfo {
	for _, info := range memoryKinds() {
		if info.Kind == kind {
			return info
		}
	}
	return ownergraph.KindInfo{Kind: kind}
}
