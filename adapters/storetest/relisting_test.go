package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// relisting is the least Store: maps, no scopes, no optional power, and a watch
// that lists everything again after each change. It is its own Client.
type relisting struct {
	mu      sync.Mutex
	objects map[ownergraph.Kind]map[ownergraph.Key]ownergraph.Object
	count   int
	changed chan struct{}
}

func newRelisting() *relisting {
	return &relisting{objects: map[ownergraph.Kind]map[ownergraph.Key]ownergraph.Object{"a": {}, "b": {}}, changed: make(chan struct{})}
}

func (s *relisting) Get(ctx context.Context, key ownergraph.Key) (o ownergraph.Object, err error) {
	err = s.step(ctx, key, func(live ownergraph.Object) (finalizer.Outcome, error) { o = live; return finalizer.Outcome{}, nil })
	return o, err
}

func (s *relisting) Patch(ctx context.Context, key ownergraph.Key, pre ownergraph.Precondition, change ownergraph.Change) error {
	return s.step(ctx, key, func(live ownergraph.Object) (finalizer.Outcome, error) { return finalizer.Patch(live, pre, change) })
}

func (s *relisting) Delete(ctx context.Context, key ownergraph.Key, opts ownergraph.DeleteOptions) error {
	return s.step(ctx, key, func(live ownergraph.Object) (finalizer.Outcome, error) {
		return finalizer.Delete(live, opts, graph.Unset)
	})
}

func (s *relisting) Update(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	var out finalizer.Outcome
	err := s.step(ctx, o.Key, func(live ownergraph.Object) (_ finalizer.Outcome, err error) {
		out, err = finalizer.Update(live, ownergraph.Object{Key: o.Key, Version: o.Version, Owners: o.Owners, Finalizers: o.Finalizers})
		return out, err
	})
	if err != nil || out.Effect == finalizer.Removed {
		return out.Object, err
	}
	return s.Get(ctx, o.Key)
}

func (s *relisting) Create(ctx context.Context, o ownergraph.Object) (ownergraph.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.objects[o.Kind][o.Place()]; taken {
		return o, fmt.Errorf("create %s: %w", o.Key, graph.ErrConflict)
	}
	o.UID = graph.UID(rand.Text())
	return s.commit(finalizer.Outcome{Effect: finalizer.Stored, Object: o.Clone()}).Clone(), nil
}

func (s *relisting) step(ctx context.Context, key ownergraph.Key, rule func(ownergraph.Object) (finalizer.Outcome, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	live, ok := s.objects[key.Kind][key.Place()]
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.objects[key.Kind] == nil:
		return fmt.Errorf("find %s: %w", key, graph.ErrKindUnknown)
	case !ok:
		return fmt.Errorf("find %s: %w", key, graph.ErrNotFound)
	}
	out, err := rule(live.Clone())
	if out.Effect == finalizer.Stored || out.Effect == finalizer.Removed {
		s.commit(out)
	}
	return err
}

func (s *relisting) commit(out finalizer.Outcome) ownergraph.Object {
	s.count++
	o := out.Object
	o.Version = ownergraph.Version(fmt.Sprintf("v%d", s.count))
	if s.objects[o.Kind][o.Place()] = o; out.Effect == finalizer.Removed {
		delete(s.objects[o.Kind], o.Place())
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return o
}

func (s *relisting) Watch(ctx context.Context, sink func([]ownergraph.Event) error) error {
	for {
		events, changed := s.list()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := sink(events); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *relisting) list() ([]ownergraph.Event, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := ownergraph.Event{Type: graph.KindsKnown}
	var events []ownergraph.Event
	for kind, objects := range s.objects {
		known.Kinds = append(known.Kinds, ownergraph.KindInfo{Kind: kind})
		events = append(events, ownergraph.Event{Type: graph.ListBegun, Kind: kind})
		for _, o := range objects {
			events = append(events, ownergraph.Event{Type: graph.Put, Object: o.Clone()})
		}
		events = append(events, ownergraph.Event{Type: graph.ListEnded, Kind: kind})
	}
	return append([]ownergraph.Event{known}, events...), s.changed
}

// relistingConfig excuses the promises that the store cannot show.
func relistingConfig() Config {
	return Config{
		New: func(TB) Subject {
			s := newRelisting()
			return Subject{Store: s, Client: s}
		},
		Without: []Promise{ScopedKinds, Compaction, BrokenConnections, SickKinds, ChangingKinds, Durability, SecondHandles, Outages, FailedCommits},
	}
}

// TestRelisting checks that the kit demands only the contract.
func TestRelisting(t *testing.T) {
	t.Parallel()
	testLaws(t, relistingConfig())
	runModel(t, relistingConfig())
}
