package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/ownergraph/ownergraph/graph"
)

// Restore replaces the objects by those of a backup, a file that bbolt's Tx.CopyFile made. The
// transaction draws an epoch, so every watch of every process announces the restore and lists
// anew. Each object gets a version that it never had. Positions go on, so none names two
// entries. After an error the store is unchanged.
func (s *Store) Restore(backup *bolt.DB) error {
	err := s.update(func(tx *bolt.Tx) error {
		return backup.View(func(from *bolt.Tx) error { return replace(tx, from) })
	})
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

// replace keeps the kinds of the file, and adds those of the backup.
func replace(tx, from *bolt.Tx) error {
	if from.Bucket(logName()) == nil {
		return errors.New("backup: the file has no log, so no store made it")
	}
	drawn, next := rand.Text(), max(tx.Bucket(logName()).Sequence(), from.Bucket(logName()).Sequence())
	old := [][]byte{logName()}
	var kinds []graph.Kind
	for _, info := range slices.Concat(kindsOf(tx), kindsOf(from)) {
		kinds = append(kinds, info.Kind)
		old = append(old, objectsOf(info.Kind))
	}
	for _, name := range old {
		if err := tx.DeleteBucket(name); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
	}
	if err := makeBuckets(tx, kinds); err != nil {
		return err
	}
	for _, info := range kindsOf(from) {
		if err := copyObjects(tx.Bucket(objectsOf(info.Kind)), from.Bucket(objectsOf(info.Kind)), drawn); err != nil {
			return fmt.Errorf("kind %s: %w", info.Kind, err)
		}
	}
	return errors.Join(tx.Bucket(logName()).SetSequence(next), tx.Bucket(epochName()).Put(epochName(), []byte(drawn)))
}

// copyObjects copies a bucket of objects, each with a new version.
func copyObjects(to, from *bolt.Bucket, drawn string) error {
	return from.ForEach(func(name, text []byte) error {
		var o graph.Object
		if err := json.Unmarshal(text, &o); err != nil {
			return fmt.Errorf("object %s: %w", name, err)
		}
		o.Version = graph.Version(drawn) // no object had it, and later ones have a position behind it
		text, err := json.Marshal(o)
		return errors.Join(err, to.Put(bytes.Clone(name), text))
	})
}
