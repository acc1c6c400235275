package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/feed"
	"github.com/ownergraph/ownergraph/graph"
)

func TestStoreIsShort(t *testing.T) {
	text, err := os.ReadFile("store.go")
	if n := bytes.Count(text, []byte("\n")); err != nil || n > 160 {
		t.Errorf("store.go has %d lines, %v: docs/write-a-store.md promises about 150", n, err)
	}
}

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := New(openFile(t, filepath.Join(t.TempDir(), "objects.db")), feed.Config{}, "Team", "Repo")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLevel(t *testing.T) {
	if level := ownergraph.LevelOf(newStore(t)); level != ownergraph.Level2 {
		t.Errorf("level %s, want 2: the feed has fences", level)
	}
}

func TestNewRefuses(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "objects.db"))
	if _, err := New(db, feed.Config{PageSize: -1}, "Team"); !errors.Is(err, graph.ErrInvalid) {
		t.Errorf("New with a wrong setting: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := New(db, feed.Config{}, "Team"); err == nil {
		t.Error("New takes a closed file")
	}
}

// TestCreateRefuses: each refused object leaves the log as it was.
func TestCreateRefuses(t *testing.T) {
	s := newStore(t)
	if _, err := s.Create(graph.Object{Key: graph.Key{Kind: "Team", Name: "blue"}}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		object graph.Object
		want   error
		reason string
	}{
		{graph.Object{Key: graph.Key{Kind: "Team", Name: "blue"}}, graph.ErrConflict, "the name is taken"},
		{graph.Object{Key: graph.Key{Kind: "Page", Name: "blue"}}, graph.ErrKindUnknown, "the store does not serve the kind"},
		{graph.Object{Key: graph.Key{Kind: "Team", Scope: "x", Name: "red"}}, graph.ErrRefused, "the store has no scopes"},
		{graph.Object{Key: graph.Key{Kind: "Team"}}, graph.ErrRefused, "no reference could name it"},
	} {
		if _, err := s.Create(tc.object); !errors.Is(err, tc.want) {
			t.Errorf("Create of %s: %v, want %v: %s", tc.object.Key, err, tc.want, tc.reason)
		}
	}
	if page, err := s.ReadLog(t.Context(), 1, 9); err != nil || len(page.Entries) != 1 || page.Next != 2 {
		t.Errorf("the log has %+v, %v", page, err)
	}
	if _, err := s.ReadObjects(t.Context(), "Page", graph.Key{Kind: "Page"}, 9); !errors.Is(err, graph.ErrKindUnknown) {
		t.Errorf("a listing of another kind: %v", err)
	}
}

// TestLogIsBounded: a long log loses its oldest entry, and says so.
func TestLogIsBounded(t *testing.T) {
	s := newStore(t)
	if _, err := s.AppendFence(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Update(func(tx *bolt.Tx) error { return tx.Bucket(logName()).SetSequence(maxLog) }); err != nil {
		t.Fatal(err)
	}
	position, err := s.AppendFence(t.Context(), 8)
	page, read := s.ReadLog(t.Context(), 1, 9)
	if err := errors.Join(err, read); err != nil || position != maxLog+1 || page.First != position || len(page.Entries) != 1 {
		t.Errorf("position %d, %v, the log: %+v", position, err, page)
	}
}

// TestUpdateRefuses: an invalid object is not stored.
func TestUpdateRefuses(t *testing.T) {
	s := newStore(t)
	o, err := s.Create(graph.Object{Key: graph.Key{Kind: "Team", Name: "blue"}})
	if err != nil {
		t.Fatal(err)
	}
	o.Finalizers = []string{""}
	if _, err := s.Update(o); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("Update with an empty finalizer: %v", err)
	}
}

// TestRestoreRefuses: a file of another program is no backup, and the store stays as it is.
func TestRestoreRefuses(t *testing.T) {
	s := newStore(t)
	o, err := s.Create(graph.Object{Key: graph.Key{Kind: "Team", Name: "blue"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(openFile(t, filepath.Join(t.TempDir(), "other.db"))); err == nil {
		t.Error("the store is restored from an empty file")
	}
	if now, err := s.Get(t.Context(), o.Key); err != nil || !now.Equal(o) {
		t.Errorf("the store has %s, %v, want %s", now, err, o)
	}
}

// TestKindsOfTheFile: two stores of one file serve the same kinds, also after a restore.
func TestKindsOfTheFile(t *testing.T) {
	s := newStore(t)
	other, err := New(s.db, feed.Config{}, "Page")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "backup.db")
	old, err := New(openFile(t, path), feed.Config{}, "Team", "Wiki")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"[Page Repo Team]", "[Page Repo Team Wiki]"} {
		for _, x := range []*Store{s, other} {
			page, err := x.ReadLog(t.Context(), 1, 1)
			var kinds []graph.Kind
			for _, info := range page.Kinds {
				kinds = append(kinds, info.Kind)
			}
			if got := fmt.Sprint(kinds); err != nil || got != want {
				t.Errorf("kinds %s, %v, want %s", got, err, want)
			}
		}
		if err := s.Restore(old.db); err != nil {
			t.Fatal(err)
		}
	}
}
