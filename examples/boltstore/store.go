package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
)

// maxLog is the number of entries in the log. A watch that is further behind lists again.
const maxLog = 10_000

// Store is an ownergraph.Store of level 2 in a bbolt file, for objects without scopes. It is
// safe for concurrent use. The package comment has its guarantees. Use New.
type Store struct {
	*feed.Feed // Watch, Fence and List
	db         *bolt.DB
}

// Get reads in a transaction, so its answer is never older than the call.
func (s *Store) Get(_ context.Context, key graph.Key) (o graph.Object, err error) {
	err = s.db.View(func(tx *bolt.Tx) error { o, err = find(tx, key); return err })
	return o, err
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

// step applies a rule to the live object and writes the outcome, in one transaction.
func (s *Store) step(key graph.Key, rule func(live graph.Object) (finalizer.Outcome, error)) (o graph.Object, err error) {
	err = s.update(func(tx *bolt.Tx) error {
		live, err := find(tx, key) // with any UID
		if err != nil {
			return err
		}
		out, err := rule(live)
		if o = out.Object; err != nil || out.Effect == finalizer.Unchanged {
			return err
		}
		o, err = write(tx, out)
		return err
	})
	return o, err
}

// update runs a transaction, and wakes the watches after its commit.
func (s *Store) update(do func(tx *bolt.Tx) error) error {
	defer s.Changed()
	return s.db.Update(do)
}

// find returns the object at the place of the key.
func find(tx *bolt.Tx, key graph.Key) (o graph.Object, err error) {
	objects := tx.Bucket(objectsOf(key.Kind))
	if objects == nil {
		return o, fmt.Errorf("find %s: %w", key, graph.ErrKindUnknown) // this proves nothing
	}
	text := objects.Get([]byte(key.Name))
	if text == nil || key.Scope != "" {
		return o, fmt.Errorf("find %s: %w", key, graph.ErrNotFound) // this proves absence
	}
	return o, json.Unmarshal(text, &o)
}

// write stores or removes the object, and appends the entry. The version has the epoch, so that
// it names no state from before a restore.
func write(tx *bolt.Tx, out finalizer.Outcome) (graph.Object, error) {
	o, objects := out.Object, tx.Bucket(objectsOf(out.Object.Kind))
	o.Version = graph.Version(fmt.Sprint(epoch(tx), tx.Bucket(logName()).Sequence()+1))
	removed := out.Effect == finalizer.Removed
	text, err := json.Marshal(o)
	if removed {
		err = errors.Join(err, objects.Delete([]byte(o.Name)))
	} else {
		err = errors.Join(err, objects.Put([]byte(o.Name), text))
	}
	_, appended := appendEntry(tx, feed.Entry{Object: o, Removed: removed})
	return o, errors.Join(err, appended)
}

// appendEntry appends an entry to the log. A long log loses its oldest one.
func appendEntry(tx *bolt.Tx, e feed.Entry) (position uint64, err error) {
	log := tx.Bucket(logName())
	position, counted := log.NextSequence()
	text, encoded := json.Marshal(e)
	if position > maxLog {
		err = log.Delete(at(position - maxLog))
	}
	return position, errors.Join(counted, encoded, err, log.Put(at(position), text))
}

// AppendFence appends a fence in a transaction of its own (feed.Log).
func (s *Store) AppendFence(_ context.Context, token uint64) (position uint64, err error) {
	err = s.update(func(tx *bolt.Tx) error { position, err = appendEntry(tx, feed.Entry{Fence: token}); return err })
	return position, err
}

// ReadLog reads the log from a position on (feed.Log).
func (s *Store) ReadLog(_ context.Context, from uint64, limit int) (page feed.LogPage, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		log, next := tx.Bucket(logName()), tx.Bucket(logName()).Sequence()+1
		page = feed.LogPage{Kinds: kindsOf(tx), Epoch: epoch(tx), First: next, Next: next}
		c := log.Cursor()
		if first, _ := c.First(); first != nil {
			page.First = binary.BigEndian.Uint64(first)
		}
		for k, text := c.Seek(at(from)); k != nil && len(page.Entries) < limit; k, text = c.Next() {
			e := feed.Entry{Position: binary.BigEndian.Uint64(k)}
			if err := json.Unmarshal(text, &e); err != nil {
				return fmt.Errorf("entry at position %d: %w", e.Position, err)
			}
			page.Entries = append(page.Entries, e)
		}
		return nil
	})
	return page, err
}

// ReadObjects reads a page of the objects of a kind (feed.Log). The file has them by name.
func (s *Store) ReadObjects(_ context.Context, kind graph.Kind, after graph.Key, limit int) (page feed.ObjectPage, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		objects := tx.Bucket(objectsOf(kind))
		if objects == nil {
			return graph.ErrKindUnknown
		}
		page.Next = tx.Bucket(logName()).Sequence() + 1
		c := objects.Cursor()
		for name, text := c.Seek([]byte(after.Name + "\x00")); name != nil && len(page.Objects) < limit; name, text = c.Next() {
			var o graph.Object
			if err := json.Unmarshal(text, &o); err != nil {
				return fmt.Errorf("object %s: %w", name, err)
			}
			page.Objects = append(page.Objects, o)
		}
		return nil
	})
	return page, err
}
