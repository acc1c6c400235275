package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Store is an ownergraph.Store of objects without scopes, in maps. It is safe for
// concurrent use. The package comment has its guarantees. Use NewStore.
type Store struct {
	mu      sync.Mutex
	objects map[graph.Kind]map[graph.Key]graph.Object // by served kind, then by place
	version int                                       // of the latest write; each write has its own
	changed chan struct{}                             // closed at the next write
}

// Get returns the object of the maps, so its answer is never older than the call.
func (s *Store) Get(_ context.Context, key graph.Key) (graph.Object, error) {
	return s.step(key, func(live graph.Object) (finalizer.Outcome, error) { return finalizer.Outcome{Object: live}, nil })
}

// Patch applies a change by the rules of package finalizer. It may end a deletion.
func (s *Store) Patch(_ context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	_, err := s.step(key, func(live graph.Object) (finalizer.Outcome, error) { return finalizer.Patch(live, pre, change) })
	return err
}

// Delete removes or marks an object by the rules of package finalizer.
func (s *Store) Delete(_ context.Context, key graph.Key, opts graph.DeleteOptions) error {
	_, err := s.step(key, func(live graph.Object) (finalizer.Outcome, error) { return finalizer.Delete(live, opts, graph.Unset) })
	return err
}

// step applies a rule to the live object and commits the outcome, in one step. Over a
// database it is one transaction.
func (s *Store) step(key graph.Key, rule func(live graph.Object) (finalizer.Outcome, error)) (graph.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects[key.Kind] == nil {
		return graph.Object{}, fmt.Errorf("find %s: %w", key, graph.ErrKindUnknown) // this proves nothing
	}
	if live, ok := s.objects[key.Kind][key.Place()]; ok { // with any UID
		return s.commit(rule(live.Clone()))
	}
	return graph.Object{}, fmt.Errorf("find %s: %w", key, graph.ErrNotFound) // this proves absence
}

// commit gives each write its own version, and wakes the watches.
func (s *Store) commit(out finalizer.Outcome, err error) (graph.Object, error) {
	if out.Effect != finalizer.Stored && out.Effect != finalizer.Removed {
		return out.Object, err
	}
	s.version++
	out.Object.Version = graph.Version(fmt.Sprint(s.version))
	if table := s.objects[out.Object.Kind]; out.Effect == finalizer.Removed {
		delete(table, out.Object.Place())
	} else {
		table[out.Object.Place()] = out.Object
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return out.Object.Clone(), err
}

// Watch lists every kind, and again after each change. That is slow, and valid. A listing
// is one batch here. Over a database, each page of it is one.
func (s *Store) Watch(ctx context.Context, sink func(batch []graph.Event) error) error {
	for {
		events, changed := s.list()
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

func (s *Store) list() (events []graph.Event, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kinds := graph.Event{Type: graph.KindsKnown}
	for kind, table := range s.objects {
		kinds.Kinds = append(kinds.Kinds, graph.KindInfo{Kind: kind})
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: kind})
		for _, o := range table {
			events = append(events, graph.Event{Type: graph.Put, Object: o.Clone()})
		}
		events = append(events, graph.Event{Type: graph.ListEnded, Kind: kind})
	}
	return append([]graph.Event{kinds}, events...), s.changed
}
