package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Store is an ownergraph.Store of objects without scopes, in maps. It is safe for
// concurrent use. The package's comment says what it promises. Use NewStore.
type Store struct {
	mu      sync.Mutex
	objects map[graph.Kind]map[graph.Key]graph.Object // by kind served, then by place
	version int                                       // of the latest write: each has its own
	changed chan struct{}                             // closed by the next write
}

// Get returns what the maps hold, so its answer is never older than the call.
func (s *Store) Get(_ context.Context, key graph.Key) (graph.Object, error) {
	return s.step(key, func(live graph.Object) (finalizer.Outcome, error) { return finalizer.Outcome{Object: live}, nil })
}

// Patch leaves it to package finalizer what a change does: it may end a deletion.
func (s *Store) Patch(_ context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	_, err := s.step(key, func(live graph.Object) (finalizer.Outcome, error) { return finalizer.Patch(live, pre, change) })
	return err
}

// Delete leaves it to package finalizer whether an object goes, or is only marked.
func (s *Store) Delete(_ context.Context, key graph.Key, opts graph.DeleteOptions) error {
	_, err := s.step(key, func(live graph.Object) (finalizer.Outcome, error) { return finalizer.Delete(live, opts, graph.Unset) })
	return err
}

// step looks an object up, has rule say what becomes of it, and carries that out.
// The lock makes that one step; over a database it is one transaction.
func (s *Store) step(key graph.Key, rule func(live graph.Object) (finalizer.Outcome, error)) (graph.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects[key.Kind] == nil {
		return graph.Object{}, fmt.Errorf("find %s: %w", key, graph.ErrKindUnknown) // which proves nothing
	}
	if live, ok := s.objects[key.Kind][key.Place()]; ok { // whatever its UID
		return s.commit(rule(live.Clone()))
	}
	return graph.Object{}, fmt.Errorf("find %s: %w", key, graph.ErrNotFound) // which proves that it is gone
}

// commit gives every write a version of its own, and wakes the watches.
func (s *Store) commit(out finalizer.Outcome, err error) (graph.Object, error) {
	if out.Effect != finalizer.Stored && out.Effect != finalizer.Removed {
		return out.Object, err
	}
	s.version++
	out.Object.Version = graph.Version(fmt.Sprint(s.version))
	if shelf := s.objects[out.Object.Kind]; out.Effect == finalizer.Removed {
		delete(shelf, out.Object.Place())
	} else {
		shelf[out.Object.Place()] = out.Object
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return out.Object.Clone(), err
}

// Watch lists everything, and after each change everything again: slow, and valid.
func (s *Store) Watch(ctx context.Context, sink func(graph.Event) error) error {
	for {
		events, changed := s.list()
		for _, e := range events {
			if err := sink(e); err != nil {
				return err
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *Store) list() (events []graph.Event, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kinds := graph.Event{Type: graph.KindsKnown}
	for kind, shelf := range s.objects {
		kinds.Kinds = append(kinds.Kinds, graph.KindInfo{Kind: kind})
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: kind})
		for _, o := range shelf {
			events = append(events, graph.Event{Type: graph.Put, Object: o.Clone()})
		}
		events = append(events, graph.Event{Type: graph.ListEnded, Kind: kind})
	}
	return append([]graph.Event{kinds}, events...), s.changed
}
