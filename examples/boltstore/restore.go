package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/ownergraph/ownergraph/graph"
)

// Restore replaces the objects by those of a backup, a file that bbolt's Tx.CopyFile made. The
// transaction draws an epoch, so every watch of every process announces the restore and lists
// anew. Each object gets a version that it never had. Positions go on, so none names two
// entries.
func (s *Store) Restore(backup *bolt.DB) error {
	err := s.update(func(tx *bolt.Tx) error {
		return backup.View(func(from *bolt.Tx) error { return s.replace(tx, from) })
	})
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

func (s *Store) replace(tx, from *bolt.Tx) error {
	drawn := rand.Text()
	next := max(tx.Bucket(logName()).Sequence(), from.Bucket(logName()).Sequence())
	err := tx.ForEach(func(name []byte, _ *bolt.Bucket) error {
		if bytes.Equal(name, epochName()) {
			return nil
		}
		return tx.DeleteBucket(name)
	})
	if err != nil {
		return err
	}
	if err := s.makeBuckets(tx); err != nil {
		return err
	}
	err = from.ForEach(func(name []byte, objects *bolt.Bucket) error {
		if !bytes.HasPrefix(name, objectsOf("")) {
			return nil
		}
		return copyObjects(tx, name, objects, drawn)
	})
	return errors.Join(err, tx.Bucket(logName()).SetSequence(next), tx.Bucket(epochName()).Put(epochName(), []byte(drawn)))
}

// copyObjects copies a bucket of objects, each with a new version.
func copyObjects(tx *bolt.Tx, name []byte, from *bolt.Bucket, drawn string) error {
	to, err := tx.CreateBucketIfNotExists(name)
	if err != nil {
		return err
	}
	return from.ForEach(func(name, text []byte) error {
		var o graph.Object
		if err := json.Unmarshal(text, &o); err != nil {
			return fmt.Errorf("object %s: %w", name, err)
		}
		o.Version = graph.Version(drawn+"/") + o.Version
		text, err := json.Marshal(o)
		return errors.Join(err, to.Put(bytes.Clone(name), text))
	})
}
