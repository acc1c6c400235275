package main

import (
	"crypto/rand"
	"fmt"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// NewStore returns an empty store that serves the kinds.
func NewStore(kinds ...graph.Kind) *Store {
	s := &Store{objects: map[graph.Kind]map[graph.Key]graph.Object{}, changed: make(chan struct{})}
	for _, kind := range kinds {
		s.objects[kind] = map[graph.Key]graph.Object{}
	}
	return s
}

// Create adds an object for a user of the store. An engine never creates objects. The
// store makes a random UID, so a UID never names a second object and no user can
// predict it. Errors: those of finalizer.Create, graph.ErrKindUnknown,
// graph.ErrConflict if the name is taken, and graph.ErrRefused for a scope.
func (s *Store) Create(kind graph.Kind, name string, owners ...graph.Owner) (graph.Object, error) {
	return s.add(graph.Object{Key: graph.Key{Kind: kind, Name: name}, Owners: owners})
}

// add is Create for an object with finalizers.
func (s *Store) add(o graph.Object) (graph.Object, error) {
	out, err := finalizer.Create(o, graph.Limits{})
	if err != nil {
		return graph.Object{}, err
	}
	if o.Scope != "" {
		return graph.Object{}, fmt.Errorf("create %s: scope: the store has none: %w", o.Key, graph.ErrRefused)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	table := s.objects[o.Kind]
	if table == nil {
		return graph.Object{}, fmt.Errorf("create %s: %w", o.Key, graph.ErrKindUnknown)
	}
	if _, taken := table[o.Place()]; taken {
		return graph.Object{}, fmt.Errorf("create %s: name: taken: %w", o.Key, graph.ErrConflict)
	}
	out.Object.UID = graph.UID(rand.Text())
	return s.commit(out, nil)
}

// Update sets the owners and finalizers of the object at o's coordinates, by the rules
// of finalizer.Update. It returns the object after the write. If the update removes the
// object, it returns the last state. Errors: those of finalizer.Update and of Get, and
// graph.ErrRefused for an invalid object.
func (s *Store) Update(o graph.Object) (graph.Object, error) {
	return s.step(o.Key, func(live graph.Object) (finalizer.Outcome, error) {
		out, err := finalizer.Update(live, o)
		if err != nil || out.Effect != finalizer.Stored { // a removed object needs no check
			return out, err
		}
		if err := graph.Validate(out.Object, graph.Limits{}); err != nil {
			return finalizer.Outcome{}, fmt.Errorf("update: %w: %w", graph.ErrRefused, err)
		}
		return out, nil
	})
}
