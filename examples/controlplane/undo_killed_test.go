package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
)

// undoThenKill begins an undo, and kills the program at a random point of it: once the team is back, or some directories.
func undoThenKill(t *testing.T, draw *rand.Rand, p *program, at place, m team, root string, before int) {
	t.Helper()
	answers := make(chan string, 1) // "" from a killed program
	go func() {
		text := ""
		if answer, err := http.Post(p.url+"/undo", "application/json", strings.NewReader(uids(root))); err == nil {
			body, _ := io.ReadAll(answer.Body)
			text = answer.Status + " " + string(body)
			_ = answer.Body.Close()
		}
		answers <- text
	}()
	want, point := draw.IntN(len(m.uids)), "once the team is back"
	back := func() bool { _, there := p.object("/teams/" + m.name); return there }
	if draw.IntN(3) > 0 {
		point = fmt.Sprintf("at more than %d directories", want)
		back = func() bool { return len(directoriesOf(t, at)) > before+want }
	}
	for until := time.Now().Add(patience); !back(); {
		if time.Now().After(until) {
			t.Fatalf("the undo does not begin: %.2000s\n%s", <-answers, p.log.String())
		}
	}
	p.kill()
	<-answers
	t.Logf("killed %s, with %d directories", point, len(directoriesOf(t, at)))
}

// TestUndoKilled kills the program between DELETE and POST /undo, and during the undo. After a background deletion the
// cascade still runs then, and some objects never go. A repeated undo is complete: each object is there once, with its
// content, and each file once.
func TestUndoKilled(t *testing.T) {
	onEachSQL(t, func(t *testing.T, at place) {
		draw := random(t)
		flags := []string{"-undo", "720h"}
		p := start(t, at, flags...)
		for round := range *rounds {
			blue := p.createTeam(fmt.Sprintf("blue-%d", round), 3, 8)
			for _, uid := range blue.uids {
				at.write(t, uid)
			}
			root := p.uidOf("/teams/" + blue.name)
			p.want(http.StatusAccepted, "DELETE", "/teams/"+blue.name+"?propagation="+propagation(draw), "")
			p.kill()
			p = start(t, at, flags...)
			p.waitGone("/teams/" + blue.name)
			before := round * len(blue.uids) // directories of the earlier teams
			for range 1 + draw.IntN(2) {
				undoThenKill(t, draw, p, at, blue, root, before)
				p = start(t, at, flags...)
			}
			if answer := p.undo(http.StatusOK, uids(root)); !answer.Done {
				t.Errorf("the undo waits for %v", answer.Waits)
			}
			p.mustHaveFiles(at, blue)
		}
		p.stop()
		checkSpecs(t, at, use{policies: true, undo: time.Hour})
	})
}

// mustHaveFiles checks that the team has all its objects, and each database its file, which is nowhere else.
func (p *program) mustHaveFiles(at place, m team) {
	p.t.Helper()
	n := 0
	for _, path := range m.paths {
		uid := p.uidOf(path)
		if strings.Contains(path, "/databases/") {
			at.mustHave(p.t, uid, m.uids[n])
			if o, _ := p.object(path); !o.HasFinalizer(directoryFinalizer) {
				p.t.Errorf("%s has no finalizer", path)
			}
			n++
		}
	}
}

// killed is a store at whose write the process is killed: before it, or after it.
type killed struct {
	store
	after bool
	dirs  directories
}

func (k killed) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	if k.after {
		return errors.Join(k.store.Patch(ctx, key, pre, change), k.dirs.Close(), errKilled)
	}
	return errors.Join(errKilled, k.dirs.Close())
}

var errKilled = errors.New("killed")

// TestUndoFilesKilled kills a process after each step of the way of the files back, and deletes the new database after
// each step. The next start, or another process within the hour, puts the files into their place, or keeps them for the
// next undo. They are never there twice.
func TestUndoFilesKilled(t *testing.T) {
	for _, c := range []struct {
		steps  int // done before the process is killed
		ends   bool
		reason string
	}{
		{0, false, "killed before the first step"},
		{1, false, "killed when the files have their new UID"},
		{2, false, "killed when the files are in their place"},
		{3, false, "killed when the database has its finalizer"},
		{4, false, "killed after the last step"},
		{0, true, "the new database ends before the first step"},
		{1, true, "the new database ends when the files have its UID"},
		{2, true, "the new database ends when the files are in their place"},
		{3, true, "the new database ends with its finalizer"},
		{4, true, "the new database ends after the last step"},
	} {
		for name, next := range map[string]func(*files){"start": (*files).reopen, "another process": (*files).hour} {
			t.Run(fmt.Sprintf("%s/%s", c.reason, name), func(t *testing.T) {
				f := newFiles(t)
				first := f.ended(f.create())
				second := f.restore(first)
				f.carryOut(c.steps, first, second)
				if !c.ends {
					next(f)
					f.at.mustHave(t, string(second), string(first))
					return
				}
				f.ended(second)
				next(f)
				if found := f.at.copies(t, string(first)); len(found) != 1 || !strings.Contains(found[0], ".trash/"+string(second)+".") {
					t.Errorf("the files are in %v, want the trash under the new UID", found)
				}
				third := f.restore(second)
				for range 2 {
					next(f)
					f.at.mustHave(t, string(third), string(first))
				}
			})
		}
	}
}

// files is a store with a database and its directory, without a collector.
type files struct {
	t     *testing.T
	at    place
	store store
	dirs  directories
	made  map[graph.UID]graph.Key
}

func newFiles(t *testing.T) *files {
	t.Helper()
	at := onSQLite(t)
	opened, err := openRecords(t.Context(), at.store, use{policies: true, undo: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.close() })
	f := &files{t: t, at: at, store: opened.store(), made: map[graph.UID]graph.Key{}}
	f.reopen()
	return f
}

// reopen starts the program anew.
func (f *files) reopen() {
	f.t.Helper()
	dirs, err := openDirectories(f.t.Context(), f.at.data, f.store)
	if err != nil {
		f.t.Fatal(err)
	}
	f.dirs = dirs
}

// hour is the work of a process that goes on.
func (f *files) hour() {
	f.t.Helper()
	if err := f.dirs.tidy(f.t.Context(), 0); err != nil {
		f.t.Fatal(err)
	}
}

func (f *files) create() graph.UID {
	f.t.Helper()
	o, err := f.store.(interface {
		Create(context.Context, graph.Object) (graph.Object, error)
	}).Create(f.t.Context(), graph.Object{Key: graph.Key{Kind: "databases", Scope: "blue", Name: "main"}, Finalizers: []string{directoryFinalizer}})
	if err == nil {
		_, err = f.dirs.ensure(f.t.Context(), o.Key)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	f.at.write(f.t, string(o.UID))
	f.made[o.UID] = o.Key
	return o.UID
}

// ended deletes a database, and does the work of the collector.
func (f *files) ended(uid graph.UID) graph.UID {
	f.t.Helper()
	key := f.made[uid]
	err := f.store.Delete(f.t.Context(), key, graph.DeleteOptions{})
	if o, gone := f.store.Get(f.t.Context(), key); err == nil && gone == nil {
		err = errors.Join(f.dirs.remove(f.t.Context(), o), f.store.Patch(f.t.Context(), key, graph.Precondition{}, graph.Change{DropFinalizer: directoryFinalizer}))
	}
	if _, gone := f.store.Get(f.t.Context(), key); err != nil || !errors.Is(gone, ownergraph.ErrNotFound) {
		f.t.Fatal(err, gone)
	}
	return uid
}

func (f *files) restore(uid graph.UID) graph.UID {
	f.t.Helper()
	keys, err := f.dirs.archive.RestoreEntries(f.t.Context(), []archive.Item{{UID: uid, Scope: "blue", Name: "main"}})
	if err != nil {
		f.t.Fatal(err)
	}
	f.made[keys[0].UID] = keys[0]
	return keys[0].UID
}

// carryOut does so many steps of reclaim, in a process of its own, which is killed then.
func (f *files) carryOut(steps int, from, to graph.UID) {
	f.t.Helper()
	victim, err := openDirectories(f.t.Context(), f.at.data, opening{f.store})
	switch {
	case err != nil:
	case steps == 1:
		err = victim.Give(map[string]string{string(from): string(to)}, time.Now())
	case steps == 2 || steps == 3:
		victim.store, victim.archive = killed{f.store, steps == 3, victim}, f.dirs.archive
		if err = victim.reclaim(f.t.Context(), ""); errors.Is(err, errKilled) {
			_, err = os.Stat(filepath.Join(f.at.data, string(to), "file"))
		}
	case steps == 4:
		err = f.dirs.reclaim(f.t.Context(), "")
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// opening is a store without objects and without an archive, so that the start of a process repairs nothing.
type opening struct{ store }

func (opening) Select(context.Context, graph.SelectRequest) (graph.SelectPage, error) {
	return graph.SelectPage{}, nil
}

// TestReclaimRaces checks that no files stay in the place of a database that ends while they come back.
func TestReclaimRaces(t *testing.T) {
	f := newFiles(t)
	first := f.ended(f.create())
	second := f.restore(first)
	dirs := f.dirs
	calls := 0
	dirs.store = racing{f.store, func() {
		if calls++; calls == 2 { // the finalizer is on by then
			f.ended(second)
		}
	}}
	if err := dirs.reclaim(t.Context(), ""); err != nil || calls != 2 {
		t.Errorf("error %v after %d reads", err, calls)
	}
	if found := f.at.copies(t, string(first)); len(found) != 1 || !strings.Contains(found[0], ".trash/"+string(second)+".") {
		t.Errorf("the files are in %v, want the trash under the new UID", found)
	}
}
