package linear

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/graph"
)

// store has all methods that a history calls.
type store interface {
	ownergraph.Store
	storetest.Client
}

func subjects(wrap func(*memory.Store) store) storetest.Config {
	return storetest.Config{New: func(t storetest.TB) storetest.Subject {
		s := wrap(newMemory(t))
		return storetest.Subject{Store: s, Client: s}
	}}
}

// witness records the failures that a test reports.
type witness struct {
	*testing.T
	reports []string
}

func (w *witness) Errorf(format string, args ...any) {
	w.reports = append(w.reports, fmt.Sprintf(format, args...))
}

// TestBrokenStores checks that Test finds each broken store. Each one breaks one
// law of concurrency.
func TestBrokenStores(t *testing.T) {
	for _, tc := range []struct {
		name   string
		wrap   func(*memory.Store) store
		reason string
	}{
		{"stale read", func(s *memory.Store) store { return &staleReads{Store: s} }, "a cache that only a read refreshes"},
		{"lost update", func(s *memory.Store) store { return lostUpdate{s} }, "an update that does not compare versions"},
		{"unconditional patch", func(s *memory.Store) store { return unconditional{s} }, "a patch that compares nothing"},
		{"check, then act", func(s *memory.Store) store { return checkThenAct{s} }, "a precondition that is checked before the step that writes"},
		{"patch in two steps", func(s *memory.Store) store { return twoSteps{s} }, "the removals and the additions are two writes"},
		{"lost delete", func(s *memory.Store) store { return lostDelete{s} }, "a deletion that is acknowledged and not done"},
		{"conflict that has written", func(s *memory.Store) store { return falseConflict{s} }, "an error that says that nothing was changed"},
		{"late write", func(s *memory.Store) store { return lateDelete{s, &sync.WaitGroup{}} }, "a write that is acknowledged before it is done"},
		{"version that stays", func(s *memory.Store) store { return sameVersion{s} }, "two states with one version"},
		{"same UID again", func(s *memory.Store) store { return sameUID{s} }, "two incarnations with one UID"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &witness{T: t}
			test(w, subjects(tc.wrap), settings{histories: 2000})
			if len(w.reports) != 1 || !strings.Contains(w.reports[0], "is not linearizable") || !strings.Contains(w.reports[0], "-rapid.seed=") {
				t.Fatalf("reports %q, want one, with its seed: %s", w.reports, tc.reason)
			}
			t.Log(w.reports[0])
		})
	}
}

// staleReads answers a read with the object of the read before.
type staleReads struct {
	*memory.Store
	mu   sync.Mutex
	last map[graph.Key]graph.Object
}

func (s *staleReads) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	o, err := s.Store.Get(ctx, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	old, cached := s.last[key]
	if s.last == nil || err != nil {
		s.last = map[graph.Key]graph.Object{}
	}
	if err == nil {
		s.last[key] = o
	}
	if cached && err == nil {
		o = old
	}
	return o, err
}

type lostUpdate struct{ *memory.Store }

func (s lostUpdate) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	live, err := s.Get(ctx, o.Key)
	if err == nil && live.UID == o.UID {
		live.Owners, live.Finalizers = o.Owners, o.Finalizers
		o = live
	}
	return s.Store.Update(ctx, o)
}

type unconditional struct{ *memory.Store }

func (s unconditional) Patch(ctx context.Context, key graph.Key, _ graph.Precondition, c graph.Change) error {
	return s.Store.Patch(ctx, key, graph.Precondition{}, c)
}

type checkThenAct struct{ *memory.Store }

func (s checkThenAct) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, c graph.Change) error {
	live, err := s.Get(ctx, key)
	if err == nil && !pre.Holds(live) {
		return graph.ErrConflict
	}
	runtime.Gosched()
	return s.Store.Patch(ctx, key, graph.Precondition{}, c)
}

type twoSteps struct{ *memory.Store }

func (s twoSteps) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, c graph.Change) error {
	first := graph.Change{DropFinalizer: c.DropFinalizer, DropOwners: c.DropOwners}
	if first.IsZero() {
		return s.Store.Patch(ctx, key, pre, c)
	}
	if err := s.Store.Patch(ctx, key, pre, first); err != nil {
		return err
	}
	runtime.Gosched()
	c.DropFinalizer, c.DropOwners = "", nil
	return s.Store.Patch(ctx, key, graph.Precondition{UID: pre.UID}, c)
}

type lostDelete struct{ *memory.Store }

func (s lostDelete) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	if live, err := s.Get(ctx, key); err == nil && opts.Precondition.Holds(live) {
		return nil
	}
	return s.Store.Delete(ctx, key, opts)
}

type falseConflict struct{ *memory.Store }

func (s falseConflict) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, c graph.Change) error {
	err := s.Store.Patch(ctx, key, pre, c)
	if errors.Is(err, graph.ErrConflict) {
		if s.Store.Patch(ctx, key, graph.Precondition{}, c) == nil {
			return err
		}
	}
	return err
}

// lateDelete deletes some time after its answer.
type lateDelete struct {
	*memory.Store
	writes *sync.WaitGroup
}

func (s lateDelete) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	if live, err := s.Get(ctx, key); err != nil || !opts.Precondition.Holds(live) {
		return s.Store.Delete(ctx, key, opts)
	}
	s.writes.Go(func() { _ = s.Store.Delete(context.WithoutCancel(ctx), key, opts) })
	return nil
}

// sameVersion shows one version for all states, and ignores the version of a write.
type sameVersion struct{ *memory.Store }

func (s sameVersion) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	o, err := s.Store.Get(ctx, key)
	o.Version = "1"
	return o, err
}

func (s sameVersion) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	o, err := s.Store.Create(ctx, o)
	o.Version = "1"
	return o, err
}

func (s sameVersion) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	o.Version = ""
	o, err := s.Store.Update(ctx, o)
	o.Version = "1"
	return o, err
}

func (s sameVersion) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, c graph.Change) error {
	pre.Version = ""
	return s.Store.Patch(ctx, key, pre, c)
}

func (s sameVersion) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	opts.Precondition.Version = ""
	return s.Store.Delete(ctx, key, opts)
}

// sameUID makes the UID from the name.
type sameUID struct{ *memory.Store }

func (s sameUID) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	o, err := s.Store.Get(ctx, key)
	o.UID = graph.UID(o.Name)
	return o, err
}

func (s sameUID) Create(ctx context.Context, o graph.Object) (graph.Object, error) {
	o, err := s.Store.Create(ctx, o)
	o.UID = graph.UID(o.Name)
	return o, err
}

func (s sameUID) Update(ctx context.Context, o graph.Object) (graph.Object, error) {
	o.UID = ""
	o, err := s.Store.Update(ctx, o)
	o.UID = graph.UID(o.Name)
	return o, err
}

func (s sameUID) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, c graph.Change) error {
	pre.UID = ""
	return s.Store.Patch(ctx, key, pre, c)
}

func (s sameUID) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	opts.Precondition.UID = ""
	return s.Store.Delete(ctx, key, opts)
}
