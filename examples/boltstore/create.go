package main

import (
	"crypto/rand"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// Create adds an object for a user of the store, and returns it as stored. The store makes a
// random UID. Errors: those of finalizer.Create, graph.ErrKindUnknown, graph.ErrConflict if the
// name is taken, and graph.ErrRefused for a scope.
func (s *Store) Create(o graph.Object) (made graph.Object, err error) {
	out, err := finalizer.Create(o, graph.Limits{})
	if err != nil {
		return graph.Object{}, err
	}
	out.Object.UID = graph.UID(rand.Text())
	err = s.update(func(tx *bolt.Tx) error {
		objects := tx.Bucket(objectsOf(o.Kind))
		switch {
		case o.Scope != "":
			return fmt.Errorf("create %s: scope: the store has none: %w", o.Key, graph.ErrRefused)
		case objects == nil:
			return fmt.Errorf("create %s: %w", o.Key, graph.ErrKindUnknown)
		case objects.Get([]byte(o.Name)) != nil:
			return fmt.Errorf("create %s: name: taken: %w", o.Key, graph.ErrConflict)
		}
		made, err = write(tx, out)
		return err
	})
	return made, err
}

// Update sets the owners and finalizers of the object at o's coordinates, by the rules of
// finalizer.Update. It returns the object after the write, or the last state of an object that
// the write removed. Errors: those of finalizer.Update and of Get, and graph.ErrRefused for an
// invalid object.
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
