package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// TestRepair holds that a start makes the directories that a killed process has not made,
// and removes those that it has left behind.
func TestRepair(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		p := start(t, at)
		blue := p.createTeam("blue", 1, 3)
		p.kill()
		for _, change := range []error{
			os.Remove(filepath.Join(at.data, blue.uids[0])),
			os.MkdirAll(filepath.Join(at.data, "GONE", "files"), 0o755),
			os.WriteFile(filepath.Join(at.data, blue.uids[1], "file"), []byte("data"), 0o600),
		} {
			if change != nil {
				t.Fatal(change)
			}
		}
		start(t, at)
		got := directoriesOf(t, at)
		if want := slices.Sorted(slices.Values(blue.uids)); !slices.Equal(got, want) {
			t.Errorf("directories %v, want %v", got, want)
		}
		if _, err := os.Stat(filepath.Join(at.data, blue.uids[1], "file")); err != nil {
			t.Errorf("the file of a live database: %v", err)
		}
	})
}

// racing is a store in which an object changes before each Get.
type racing struct {
	store
	before func()
}

func (s racing) Get(ctx context.Context, key graph.Key) (graph.Object, error) {
	s.before()
	return s.store.Get(ctx, key)
}

// TestEnsureRaces holds that no directory stays if its database is deleted while the
// directory is made, by a process whose handler has run before.
func TestEnsureRaces(t *testing.T) {
	for _, c := range []struct {
		finalizers []string
		again      bool
		stays      bool
		reason     string
	}{
		{nil, false, false, "it is gone"},
		{[]string{directoryFinalizer}, false, false, "it is marked"},
		{nil, true, false, "another database has its name"},
	} {
		opened, err := openRecords(t.Context(), onSQLite(t).store)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.close() })
		dirs, err := openDirectories(t.Context(), t.TempDir(), opened.store())
		if err != nil {
			t.Fatal(err)
		}
		create := func() graph.Key {
			made, err := opened.create(t.Context(), record{Object: graph.Object{Key: graph.Key{Kind: "databases", Scope: "blue", Name: "main"}, Finalizers: c.finalizers}})
			if err != nil {
				t.Fatal(err)
			}
			return made.Object.Key
		}
		key := create()
		dirs.store = racing{opened.store(), func() {
			if err := opened.store().Delete(t.Context(), key, ownergraph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			if c.again {
				create()
			}
		}}
		if err := dirs.ensure(t.Context(), key); err != nil {
			t.Errorf("ensure: %v: %s", err, c.reason)
		}
		if _, err := dirs.root.Stat(string(key.UID)); err == nil != c.stays {
			t.Errorf("the directory stays: %v, want %v: %s", err == nil, c.stays, c.reason)
		}
	}
}

// TestHandlerIsIdempotent runs the handler again, and for a UID that leads out of the folder.
func TestHandlerIsIdempotent(t *testing.T) {
	opened, err := openRecords(t.Context(), onSQLite(t).store)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.close()
	parent := t.TempDir()
	dirs, err := openDirectories(t.Context(), filepath.Join(parent, "databases"), opened.store())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(parent, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, uid := range []graph.UID{"none", "none", "../other"} {
		_ = dirs.remove(t.Context(), graph.Object{Key: graph.Key{UID: uid}})
	}
	if err := dirs.remove(t.Context(), graph.Object{Key: graph.Key{UID: "none"}}); err != nil {
		t.Errorf("remove a missing directory: %v", err)
	}
	if _, err := os.Stat(filepath.Join(parent, "other")); err != nil {
		t.Errorf("a file outside of the folder: %v", err)
	}
}
