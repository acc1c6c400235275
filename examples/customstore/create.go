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

// Create adds an object for the store's users: an engine never creates any. The
// store makes the UID, at random, so that none ever names a second object. Errors:
// graph.ErrRefused for an object that breaks a rule, graph.ErrKindUnknown,
// graph.ErrConflict where the name is taken.
func (s *Store) Create(kind graph.Kind, name string, owners ...graph.Owner) (graph.Object, error) {
	return s.add(graph.Object{Key: graph.Key{Kind: kind, Name: name}, Owners: owners})
}

// add is Create for an object that carries finalizers, too.
func (s *Store) add(o graph.Object) (graph.Object, error) {
	o = o.Clone()
	o.UID = graph.UID(rand.Text())
	if err := graph.Validate(o, graph.Limits{}); err != nil {
		return graph.Object{}, fmt.Errorf("create: %w: %w", graph.ErrRefused, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	shelf := s.objects[o.Kind]
	if shelf == nil {
		return graph.Object{}, fmt.Errorf("create %s: %w", o.Key, graph.ErrKindUnknown)
	}
	if _, taken := shelf[o.Place()]; taken {
		return graph.Object{}, fmt.Errorf("create %s: name: taken: %w", o.Key, graph.ErrConflict)
	}
	s.commit(finalizer.Outcome{Effect: finalizer.Stored, Object: o})
	return shelf[o.Place()].Clone(), nil
}
