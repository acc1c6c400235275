package main

import (
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
)

// New returns the store in a file, which serves the kinds. Several stores may use one file at
// once. Errors: those of feed.New, and of bbolt for an empty kind.
func New(db *bolt.DB, conf feed.Config, kinds ...graph.Kind) (s *Store, err error) {
	s = &Store{db: db}
	for _, kind := range kinds {
		s.kinds = append(s.kinds, graph.KindInfo{Kind: kind})
	}
	if err := db.Update(s.makeBuckets); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s.Feed, err = feed.New(s, conf)
	return s, err
}

// makeBuckets makes the buckets of the file: the objects of each kind by name, the log by
// position, and the epoch.
func (s *Store) makeBuckets(tx *bolt.Tx) error {
	names := [][]byte{logName(), epochName()}
	for _, info := range s.kinds {
		names = append(names, objectsOf(info.Kind))
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
