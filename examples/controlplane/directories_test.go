package main

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// gone is the UID of no database.
const gone = "ZZZZZZZZZZZZZZZZZZZZZZZZZZ"

// TestRepair checks that a start makes the directories that a killed process has not made,
// and moves those that it has left behind to the trash. Other files of the user stay.
func TestRepair(t *testing.T) {
	onEach(t, func(t *testing.T, at place) {
		p := start(t, at)
		blue := p.createTeam("blue", 1, 3)
		p.kill()
		for _, change := range []error{
			os.Remove(filepath.Join(at.data, blue.uids[0])),
			os.MkdirAll(filepath.Join(at.data, gone, "files"), 0o755),
			os.MkdirAll(filepath.Join(at.data, "photos"), 0o755),
			os.WriteFile(filepath.Join(at.data, blue.uids[1], "file"), []byte("data"), 0o600),
		} {
			if change != nil {
				t.Fatal(change)
			}
		}
		start(t, at)
		got := directoriesOf(t, at)
		if want := slices.Sorted(slices.Values(append(blue.uids, "photos"))); !slices.Equal(got, want) {
			t.Errorf("directories %v, want %v", got, want)
		}
		if _, err := os.Stat(filepath.Join(at.data, blue.uids[1], "file")); err != nil {
			t.Errorf("the file of a live database: %v", err)
		}
		if found, _ := filepath.Glob(filepath.Join(at.data, ".trash", gone+".*", "files")); len(found) != 1 {
			t.Errorf("the files in the trash: %v", found)
		}
	})
}

// mustRefuse starts the program, and checks that it ends with an error that has the texts.
func mustRefuse(t *testing.T, at place, texts ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, binary, "-listen", "127.0.0.1:0", "-store", at.store, "-data", at.data).CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 1 {
		t.Fatalf("the program ended with %v\n%s", err, out)
	}
	for _, text := range texts {
		if !strings.Contains(string(out), text) {
			t.Errorf("the error does not have %q: %s", text, out)
		}
	}
}

// TestForeignFolder checks that the program refuses a folder of another store, and one with
// files of the user, with the names of both, and that it changes neither. An earlier version
// removed all of these files at its start.
func TestForeignFolder(t *testing.T) {
	at := onSQLite(t)
	p := start(t, at)
	blue := p.createTeam("blue", 1, 2)
	kept := filepath.Join(at.data, blue.uids[0], "file")
	p.kill()
	home := t.TempDir()
	for _, path := range []string{kept, filepath.Join(home, "photo.jpg")} {
		if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	misspelt := onSQLite(t)
	mustRefuse(t, place{misspelt.store, at.data}, misspelt.store, at.data, "belongs to the store")
	mustRefuse(t, place{at.store, home}, at.store, home, "photo.jpg")
	if got, err := os.ReadDir(home); err != nil || len(got) != 1 {
		t.Errorf("the home folder has %v, error %v", got, err)
	}
	start(t, at).mustBeWhole(at, blue)
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// backup copies a database of SQLite. The file alone may lack the last writes: a process that has
// ended may have left its log beside the file.
func backup(t *testing.T, from, to string) {
	t.Helper()
	db, err := sql.Open("sqlite", from)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `VACUUM INTO ?`, to); err != nil {
		t.Fatal(err)
	}
}

// TestRestoredBackup checks that the files come back which a start on an old copy of the store
// has moved to the trash, once the right store is back.
func TestRestoredBackup(t *testing.T) {
	at := onSQLite(t)
	file := strings.TrimPrefix(at.store, "sqlite:")
	p := start(t, at)
	p.stop()
	backup(t, file, file+".old")
	p = start(t, at)
	blue := p.createTeam("blue", 1, 2)
	p.stop()
	kept := filepath.Join(at.data, blue.uids[0], "file")
	if err := os.WriteFile(kept, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, place{at.store + ".old", at.data}).stop()
	if got := directoriesOf(t, at); len(got) > 0 {
		t.Errorf("directories %v of no database", got)
	}
	start(t, at).mustBeWhole(at, blue)
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the file of a database that came back: %v", err)
	}
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

// TestEnsureRaces checks that no directory stays if its database is deleted while the
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
		opened, err := openRecords(t.Context(), onSQLite(t).store, use{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.close() })
		path := t.TempDir()
		dirs, err := openDirectories(t.Context(), path, opened.store())
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
		if live, err := dirs.ensure(t.Context(), key); live || err != nil {
			t.Errorf("ensure: live %t, %v: %s", live, err, c.reason)
		}
		if _, err := os.Stat(filepath.Join(path, string(key.UID))); err == nil != c.stays {
			t.Errorf("the directory stays: %v, want %v: %s", err == nil, c.stays, c.reason)
		}
	}
}

// TestStartBesideHandler: a process starts while the handler of another one has discarded the
// directory of a marked database, and its finalizer is still on. The handler does not run again,
// so the start leaves the files in the trash. A directory that it finds in its place goes there.
func TestStartBesideHandler(t *testing.T) {
	for _, handled := range []bool{true, false} {
		at := onSQLite(t)
		opened, err := openRecords(t.Context(), at.store, use{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = opened.close() })
		first, err := openDirectories(t.Context(), at.data, opened.store())
		if err != nil {
			t.Fatal(err)
		}
		made, err := opened.create(t.Context(), record{Object: graph.Object{Key: graph.Key{Kind: "databases", Scope: "blue", Name: "main"}, Finalizers: []string{directoryFinalizer}}})
		if err != nil {
			t.Fatal(err)
		}
		live, wrong := first.ensure(t.Context(), made.Object.Key)
		uid := string(made.Object.UID)
		err = errors.Join(wrong, os.WriteFile(filepath.Join(at.data, uid, "file"), []byte("data"), 0o600),
			opened.store().Delete(t.Context(), made.Object.Key, ownergraph.DeleteOptions{}))
		if err == nil && handled {
			err = first.remove(t.Context(), made.Object)
		}
		if !live || err != nil {
			t.Fatalf("live %t, %v", live, err)
		}
		if _, err := openDirectories(t.Context(), at.data, opened.store()); err != nil {
			t.Fatal(err)
		}
		if got := directoriesOf(t, at); len(got) > 0 {
			t.Errorf("handled %t: the directory of a marked database is back: %v", handled, got)
		}
		if found, _ := filepath.Glob(filepath.Join(at.data, ".trash", uid+".*", "file")); len(found) != 1 {
			t.Errorf("handled %t: the files in the trash: %v", handled, found)
		}
	}
}

// TestHandlerIsIdempotent runs the handler again, and for a UID that leads out of the folder.
func TestHandlerIsIdempotent(t *testing.T) {
	opened, err := openRecords(t.Context(), onSQLite(t).store, use{})
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
	for _, c := range []struct {
		uid   graph.UID
		fails bool
	}{{gone, false}, {gone, false}, {"../other", true}} {
		if err := dirs.remove(t.Context(), graph.Object{Key: graph.Key{UID: c.uid}}); (err != nil) != c.fails {
			t.Errorf("remove the directory of %q: %v", c.uid, err)
		}
	}
	if _, err := os.Stat(filepath.Join(parent, "other")); err != nil {
		t.Errorf("a file outside of the folder: %v", err)
	}
}
