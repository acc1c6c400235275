package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/ownergraph/ownergraph/adapters/storetest"
	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
)

// TestKit runs the conformance kit on the store, as you can in your own CI.
func TestKit(t *testing.T) {
	storetest.Test(t, storetest.Config{
		New: func(tb storetest.TB) storetest.Subject {
			return openSubject(tb, filepath.Join(newDir(tb), "objects.db"))
		},
		Without: []storetest.Promise{
			storetest.ScopedKinds,       // the store has one flat space of names
			storetest.SickKinds,         // all kinds are in one file, so none is out of reach alone
			storetest.ChangingKinds,     // no call removes a kind
			storetest.BrokenConnections, // a file has no connection
			storetest.Outages,           // bbolt has no seam where a test could make its reads fail
			storetest.FailedCommits,     // nor one for its commits
		},
	})
}

func newDir(tb storetest.TB) string {
	dir, err := os.MkdirTemp("", "boltstore")
	if err != nil {
		tb.Fatalf("%v", err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func openFile(tb storetest.TB, path string) *bolt.DB {
	db, err := bolt.Open(path, 0o600, &bolt.Options{NoSync: true}) // the test crashes no machine
	if err != nil {
		tb.Fatalf("%v", err)
	}
	tb.Cleanup(func() { _ = db.Close() }) // a second time after a restart, without an effect
	return db
}

// openSubject opens a file.
func openSubject(tb storetest.TB, path string) storetest.Subject {
	db := openFile(tb, path)
	sub := subject(tb, db)
	sub.Restart = func(context.Context) (storetest.Subject, error) {
		if err := db.Close(); err != nil { // bbolt lets one handle open the file
			return storetest.Subject{}, err
		}
		return openSubject(tb, path), nil
	}
	sub.Second = func(context.Context) (storetest.Subject, error) { return subject(tb, db), nil }
	return sub
}

// subject is a store with small pages, so that each listing has several. It polls often, because a
// second handle sees the writes of the first by polls alone.
func subject(tb storetest.TB, db *bolt.DB) storetest.Subject {
	s, err := New(db, feed.Config{PageSize: 7, Poll: 10 * time.Millisecond}, "Team", "Repo", "Page")
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return storetest.Subject{
		Store: s, Client: client{s},
		Compact: func(context.Context) error { return s.update(dropLog) },
		Backup: func(context.Context) (func(context.Context) error, error) {
			path := filepath.Join(newDir(tb), "backup.db")
			err := db.View(func(tx *bolt.Tx) error { return tx.CopyFile(path, 0o600) })
			return func(context.Context) error { return restore(s, path) }, err
		},
	}
}

func restore(s *Store, path string) error {
	backup, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(s.Restore(backup), backup.Close())
}

// dropLog drops all entries of the log.
func dropLog(tx *bolt.Tx) error {
	c := tx.Bucket(logName()).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.First() {
		if err := c.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// client is a user of the store.
type client struct{ s *Store }

func (c client) Create(_ context.Context, o graph.Object) (graph.Object, error) { return c.s.Create(o) }

func (c client) Update(_ context.Context, o graph.Object) (graph.Object, error) {
	return c.s.Update(graph.Object{Key: o.Key, Version: o.Version, Owners: o.Owners, Finalizers: o.Finalizers})
}

func (c client) Delete(ctx context.Context, key graph.Key, opts graph.DeleteOptions) error {
	return c.s.Delete(ctx, key, opts)
}
