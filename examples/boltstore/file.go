package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
)

// New returns the store in a file, and adds the kinds to those that the file serves. Several
// stores may use one file at once, and serve the same kinds. Errors: those of feed.New and of
// bbolt.
func New(db *bolt.DB, conf feed.Config, kinds ...graph.Kind) (s *Store, err error) {
	s = &Store{db: db}
	if err := db.Update(func(tx *bolt.Tx) error { return makeBuckets(tx, kinds) }); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s.Feed, err = feed.New(s, conf)
	return s, err
}

// makeBuckets makes the buckets of the file: the objects of each kind by name, the log by
// position, and the epoch.
func makeBuckets(tx *bolt.Tx, kinds []graph.Kind) error {
	names := [][]byte{logName(), epochName()}
	for _, kind := range kinds {
		names = append(names, objectsOf(kind))
	}
	for _, name := range names {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
	}
	return nil
}

func logName() []byte                  { return []byte("log") }
func epochName() []byte                { return []byte("epoch") }
func objectsOf(kind graph.Kind) []byte { return []byte("objects/" + kind) }

// at is the key of a position in the log. The keys have the order of the positions.
func at(position uint64) []byte { return binary.BigEndian.AppendUint64(nil, position) }

// epoch names the newest restore of the file, "" before the first.
func epoch(tx *bolt.Tx) string { return string(tx.Bucket(epochName()).Get(epochName())) }

// kindsOf returns the kinds that the file serves. Each of them has a bucket.
func kindsOf(tx *bolt.Tx) (kinds []graph.KindInfo) {
	c := tx.Cursor()
	for name, _ := c.Seek(objectsOf("")); bytes.HasPrefix(name, objectsOf("")); name, _ = c.Next() {
		kinds = append(kinds, graph.KindInfo{Kind: graph.Kind(bytes.TrimPrefix(name, objectsOf("")))})
	}
	return kinds
}
