package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// archiveVariable names the environment variable that makes the test program a process with an archive.
const archiveVariable = "OWNERGRAPH_SQL_ARCHIVE"

// archiveTask is the value of that variable, in JSON. The program deletes the root, with its cascade, or restores it. It kills
// itself before a write or a commit, counted from 1. 0 lets it end.
type archiveTask struct {
	Dialect     Dialect
	DSN, Schema string
	Root        graph.Key
	Restore     bool
	KilledAt    int
}

// runArchiveTask is the main function of the program.
func runArchiveTask(text string) error {
	var task archiveTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return err
	}
	n := 0
	die := func(text string) error {
		if !writes.MatchString(text) && text != "COMMIT" {
			return nil
		}
		if n++; n == task.KilledAt {
			dieNow()
		}
		return nil
	}
	f := &faults{}
	db, err := openTask(task.Dialect, task.DSN, f)
	if err != nil {
		return err
	}
	c := Config{Dialect: task.Dialect, Schema: task.Schema, Kinds: kindsOfTests(), Poll: 5 * time.Millisecond}
	archivingRows(&c)
	s, err := New(db, c)
	if err != nil {
		return err
	}
	f.fail.Store(&die)
	return task.run(s)
}

func openTask(d Dialect, dsn string, f *faults) (*sql.DB, error) {
	if d == Postgres {
		return openPostgres(dsn, f)
	}
	return openFaulty(dsnConnector{&sqlite.Driver{}, dsn}, f), nil
}

func (task *archiveTask) run(s *Store) error {
	collector, err := ownergraph.New(s, ownergraph.Config{Policies: true})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- collector.Run(ctx) }()
	if task.Restore {
		_, err := restore.Run(ctx, collector, archive.Request{Roots: []graph.UID{task.Root.UID}}, nil)
		return err
	}
	if err := s.Delete(ctx, task.Root, graph.DeleteOptions{Precondition: graph.Precondition{UID: task.Root.UID}}); err != nil && !errors.Is(err, graph.ErrNotFound) {
		return err
	}
	if err := collector.Synced(ctx); err != nil {
		return err
	}
	_, err = collector.WaitIdle(ctx)
	return err
}

// archivingRows is archiving with the rows of withRows.
func archivingRows(c *Config) {
	archiving(c)
	c.Archive.Tables = map[graph.Kind]Table{"photo": {Schema: map[Dialect]string{Postgres: c.Schema}[c.Dialect], Name: "photos", Owners: []OwnerColumn{{Column: "owner"}}}}
}

// task returns a task on this database.
func (h *handle) task(t *testing.T) archiveTask {
	t.Helper()
	task := archiveTask{Dialect: h.conf.Dialect, DSN: server.DSN(), Schema: h.conf.Schema}
	if h.conf.Dialect == SQLite {
		var file string
		if err := h.db.QueryRowContext(t.Context(), `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&file); err != nil {
			t.Fatal(err)
		}
		task.DSN = "file:" + file + "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(1)&_txlock=immediate"
	}
	return task
}

// family creates a bucket with buckets below it, and photos with rows. It returns the root and all UIDs.
func (h *handle) family(t *testing.T, prefix string) (root graph.Object, all []graph.UID) {
	t.Helper()
	root = h.mustCreate(t, object("bucket", prefix, "root"))
	sub := object("bucket", prefix, "sub")
	sub.Owners = []graph.Owner{withPolicy(root, graph.OnDeleteCascade)}
	sub = h.mustCreate(t, sub)
	all = []graph.UID{root.UID, sub.UID}
	for i := range 5 {
		o := object("photo", prefix, fmt.Sprint("p", i))
		o.Owners = []graph.Owner{{Key: []graph.Object{root, sub}[i%2].Key}}
		o = h.mustCreate(t, o)
		h.run(t, h.db, fmt.Sprintf(`INSERT INTO %s VALUES ('%s', '%s', %d)`, h.photos(), o.UID, o.Owners[0].UID, i))
		all = append(all, o.UID)
	}
	return root, all
}

// shapeOf prints the objects of a scope with the places of their owners and their rows. It checks that a reference has the UID
// of its owner.
func (h *handle) familyOf(t *testing.T, prefix string) (text string) {
	t.Helper()
	var list []string
	all := h.objects(t.Context(), t)
	for _, o := range all {
		if o.Scope != prefix {
			continue
		}
		line := fmt.Sprintf("%s %s", o.Kind, o.Name)
		for _, r := range o.Owners {
			if all[r.UID].Place() != r.Place() {
				t.Errorf("%s names %s, which is not there", o.Key, r.Key)
			}
			line += fmt.Sprintf(" -> %s:%s", r.Name, r.OnDelete)
		}
		if o.Kind == "photo" {
			line += " row " + h.rowOf(t, o.UID, "n")
			if !strings.Contains(h.rowOf(t, o.UID, "owner"), string(o.Owners[0].UID)) {
				t.Errorf("%s: the row has the owner %s", o.Key, h.rowOf(t, o.UID, "owner"))
			}
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// isWhole checks that each object that is gone has its entry, that no living one has an entry, and that each entry was restored once.
func (h *handle) isWhole(t *testing.T, reason string, ever []graph.UID) {
	t.Helper()
	all, made := h.objects(t.Context(), t), map[graph.UID]graph.UID{}
	entries := map[graph.UID]archive.Entry{}
	for _, e := range h.entries(t, archive.Query{}) {
		entries[e.Object.UID] = e
		if _, lives := all[e.Object.UID]; lives || e.Unreadable != "" {
			t.Errorf("%s: %s has an entry, and lives: %t (%s)", reason, e.Object.Key, lives, e.Unreadable)
		}
		if by, twice := made[e.Restored.UID]; twice && e.IsRestored() {
			t.Errorf("%s: %s and %s have come back as %s", reason, by, e.Object.UID, e.Restored)
		}
		made[e.Restored.UID] = e.Object.UID
	}
	for _, uid := range ever {
		_, lives := all[uid]
		if _, has := entries[uid]; lives == has {
			t.Errorf("%s: object %s: it lives: %t, and has an entry: %t", reason, uid, lives, has)
		}
	}
	for uid := range all {
		if !slices.Contains(ever, uid) && made[uid] == "" {
			t.Errorf("%s: object %s is there, and no entry has it", reason, all[uid].Key)
		}
	}
	photos := 0
	for _, o := range all {
		if o.Kind == "photo" {
			photos++
		}
	}
	if n := h.rowsIn(t, h.photos()); n != photos {
		t.Errorf("%s: %d rows for %d photos", reason, n, photos)
	}
	if n := h.rowsIn(t, `{trails}`); n != 0 {
		t.Errorf("%s: %d trails, and no object is marked", reason, n)
	}
}

// TestArchiveKilled kills a process with kill -9 before each write and each commit of a cascade, and then of its restore. After each
// kill an object lives, or has its one entry. Another process ends the cascade, and one ends the restore. The end is the beginning up to
// UIDs.
func TestArchiveKilled(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.withRows(t, `n integer`)
		step := map[Dialect]int{Postgres: 1, SQLite: 3}[h.conf.Dialect] // SQLite writes a row by several statements
		var ever []graph.UID
		kills := 0
		for n, killed := 1, true; killed; n += step {
			prefix := fmt.Sprint("round", n)
			root, all := h.family(t, prefix)
			before := h.familyOf(t, prefix)
			ever = append(ever, all...)
			killed = false
			for _, back := range []bool{false, true} {
				task := h.task(t)
				task.Root, task.Restore, task.KilledAt = root.Key, back, n
				if killsItself(t, archiveVariable, task) {
					killed = true
					kills++
				}
				reason := fmt.Sprintf("killed at %d, restore %t", n, back)
				h.isWhole(t, reason, ever)
				if task.KilledAt = 0; killsItself(t, archiveVariable, task) {
					t.Fatal("a process without a kill has killed itself")
				}
				h.isWhole(t, reason+", and ended by another process", ever)
				if got, want := h.familyOf(t, prefix), map[bool]string{true: before}[back]; got != want {
					t.Errorf("%s: the objects are\n%s\nwant\n%s", reason, got, want)
				}
			}
		}
		if t.Logf("%d kills", kills); kills < 10 {
			t.Error("the kills are few")
		}
	})
}
