package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Store keeps objects without scopes in a map. It is an ownergraph.Store of level
// 1: nothing is ever deleted wrongly. It has no fence, so nobody can tell that
// the watch has caught up with a write: a foreground deletion may end before a
// dependent that was created at the last moment, and an orphaning may miss one.
// It is safe for concurrent use. Use NewStore.
type Store struct {
	mu      sync.Mutex
	objects map[ownergraph.Kind]map[ownergraph.Key]ownergraph.Object // by kind served, then by place
	version uint64                                                   // of the latest write; each write has its own
	changed chan struct{}                                            // closed by the next write
}

// NewStore returns an empty store that serves the kinds.
func NewStore(kinds ...ownergraph.Kind) *Store {
	s := &Store{objects: map[ownergraph.Kind]map[ownergraph.Key]ownergraph.Object{}, changed: make(chan struct{})}
	for _, k := range kinds {
		s.objects[k] = map[ownergraph.Key]ownergraph.Object{}
	}
	return s
}

// Get answers from the map itself, so it is as fresh as can be.
func (s *Store) Get(_ context.Context, key ownergraph.Key) (ownergraph.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(key)
}

func (s *Store) get(key ownergraph.Key) (ownergraph.Object, error) {
	shelf, served := s.objects[key.Kind]
	if !served {
		return ownergraph.Object{}, fmt.Errorf("get %s: %w", key, ownergraph.ErrKindUnknown)
	}
	o, ok := shelf[key.Place()] // whatever its UID
	if !ok {
		return ownergraph.Object{}, fmt.Errorf("get %s: %w", key, ownergraph.ErrNotFound) // proof of absence
	}
	return o.Clone(), nil // the receiver's own
}
