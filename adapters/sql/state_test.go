package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

// TestMigrateTogether: several processes migrate one new database at once.
func TestMigrateTogether(t *testing.T) {
	for _, name := range sortedNames(newDatabases) {
		t.Run(name, func(t *testing.T) {
			d := newDatabases[name](t)
			if d.conf.Dialect == Postgres {
				d.conf.Prefix = fmt.Sprintf("new%d_", schemas.Add(1)) // its schema may have tables
			}
			var group sync.WaitGroup
			handles := make([]*handle, 4)
			errs := make([]error, len(handles))
			for i := range handles {
				group.Go(func() { handles[i], errs[i] = d.handleOn(t, nil) })
			}
			group.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			if d.conf.Dialect == Postgres {
				defer handles[0].dropTables(t)
			}
			h := handles[0]
			o := h.mustCreate(t, object("team", "", "a"))
			if err := h.Migrate(t.Context()); err != nil {
				t.Errorf("migrate again: %v", err)
			}
			if now, err := handles[3].Get(t.Context(), o.Key); err != nil || !now.Equal(o) {
				t.Errorf("after another migration: %v, %v, want %v", now, err, o)
			}
		})
	}
}

func (h *handle) dropTables(t *testing.T) {
	t.Helper()
	for _, table := range copied {
		if _, err := h.db.ExecContext(t.Context(), h.conf.names().Replace("DROP TABLE "+table)); err != nil {
			t.Error(err)
		}
	}
}

// TestMigrateRefusesNewer leaves the tables of a newer version as they are.
func TestMigrateRefusesNewer(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		if _, err := h.db.ExecContext(t.Context(), h.conf.names().Replace(fmt.Sprintf(`UPDATE {meta} SET version = %d`, schemaVersion+1))); err != nil {
			t.Fatal(err)
		}
		if err := h.Migrate(t.Context()); !errors.Is(err, errNewer) {
			t.Errorf("Migrate: %v, want %v", err, errNewer)
		}
	})
}

// TestRestoreIsFound puts an old copy of the tables back while a watch runs, and tells the
// store nothing. The watch finds it, and all watches announce one epoch. A later store of
// another process announces the same.
func TestRestoreIsFound(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h, other := d.mustHandle(t, nil), d.mustHandle(t, nil)
		a := h.mustCreate(t, object("team", "", "a"))
		saved := content{}
		if err := h.transact(t.Context(), func(ses *session) error { return saved.read(t.Context(), h, ses) }); err != nil {
			t.Fatal(err)
		}
		one, two := h.watch(t), other.watch(t)
		later, err := h.Update(t.Context(), graph.Object{Key: a.Key, Finalizers: []string{"x/y"}})
		if err != nil {
			t.Fatal(err)
		}
		knows := func(events []graph.Event) bool { return replayed(events)[a.Key].Version == later.Version }
		one.until(t, "the later state is known", knows)
		two.until(t, "the later state is known", knows)
		if err := h.transact(t.Context(), func(ses *session) error { return saved.write(t.Context(), h, ses) }); err != nil {
			t.Fatal(err)
		}
		epochs := map[string]bool{}
		rewound := func(events []graph.Event) bool {
			for _, e := range events {
				if e.Type == graph.Rewound {
					epochs[e.Epoch] = true
				}
			}
			now := replayed(events)[a.Key]
			return count(events, graph.Rewound) > 0 && len(now.Finalizers) == 0
		}
		one.until(t, "the watch of this store announces the restore", rewound)
		two.until(t, "the watch of another store announces the restore", rewound)
		d.mustHandle(t, nil).watch(t).until(t, "a later watch announces the restore", rewound)
		if len(epochs) != 1 || epochs[""] {
			t.Errorf("epochs: %v, want one", epochs)
		}
		now, err := h.Get(t.Context(), a.Key)
		if err != nil || h.CompareVersions("team", now.Version, later.Version) <= 0 {
			t.Errorf("after the restore %v, %v has a version that is not above %s", now, err, later.Version)
		}
	})
}

// TestOtherServer moves the tables to a server that has counted fewer transactions, as a
// dump does. The first watch finds that, and reports changes again.
func TestOtherServer(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	o := h.mustCreate(t, object("team", "", "a"))
	if _, err := h.db.ExecContext(t.Context(), h.conf.names().Replace(`UPDATE {meta} SET base = base - 1000000`)); err != nil {
		t.Fatal(err)
	}
	next := d.mustHandle(t, nil)
	w := next.watch(t)
	w.until(t, "the watch announces a restore", func(events []graph.Event) bool { return count(events, graph.Rewound) == 1 && listed(events) })
	b := next.mustCreate(t, object("team", "", "b"))
	w.until(t, "the watch reports a new object", func(events []graph.Event) bool { _, ok := replayed(events)[b.Key]; return ok })
	now, err := next.Get(t.Context(), o.Key)
	if err != nil || next.CompareVersions("team", now.Version, o.Version) <= 0 || next.CompareVersions("team", b.Version, now.Version) <= 0 {
		t.Errorf("versions %s, %s, %s do not rise: %v", o.Version, now.Version, b.Version, err)
	}
}

// TestRestored raises the versions above every former one, twice from one backup.
func TestRestored(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		o := h.mustCreate(t, object("team", "", "a"))
		saved := content{}
		if err := h.transact(t.Context(), func(ses *session) error { return saved.read(t.Context(), h, ses) }); err != nil {
			t.Fatal(err)
		}
		highest := o
		for range 3 {
			if err := h.transact(t.Context(), func(ses *session) error { return saved.write(t.Context(), h, ses) }); err != nil {
				t.Fatal(err)
			}
			if err := h.Restored(t.Context()); err != nil {
				t.Fatal(err)
			}
			now, err := h.Get(t.Context(), o.Key)
			if err != nil || h.CompareVersions("team", now.Version, highest.Version) <= 0 {
				t.Fatalf("%v, %v is not above %v", now, err, highest)
			}
			if highest, err = h.Update(t.Context(), graph.Object{Key: o.Key, Finalizers: []string{"x/y"}}); err != nil {
				t.Fatal(err)
			}
			if h.CompareVersions("team", highest.Version, now.Version) <= 0 {
				t.Fatalf("%v is not above %v", highest, now)
			}
			if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{Precondition: graph.Precondition{UID: o.UID, Version: o.Version}}); !errors.Is(err, graph.ErrConflict) {
				t.Errorf("a delete from before the restore: %v", err)
			}
		}
	})
}

// TestCompareVersions checks the order of versions.
func TestCompareVersions(t *testing.T) {
	s, err := New(sql.OpenDB(dsnConnector{}), Config{Dialect: SQLite})
	if err != nil {
		t.Fatal(err)
	}
	order := []graph.Version{"text", "1", "2", "9.1", "9.2", "9.10", "10", "10.1", "1795623456000000123"}
	for i, a := range order {
		for j, b := range order {
			if got := s.CompareVersions("team", a, b); got != compareInts(i, j) {
				t.Errorf("CompareVersions(%q, %q): %d, want %d", a, b, got, compareInts(i, j))
			}
		}
		if i > 0 && positionOf(a).version() != a {
			t.Errorf("version %q is read as %q", a, positionOf(a).version())
		}
	}
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestConfig names the wrong setting.
func TestConfig(t *testing.T) {
	db := sql.OpenDB(dsnConnector{})
	for _, tc := range []struct {
		conf   Config
		want   string
		reason string
	}{
		{Config{}, "Dialect", "the driver is unknown"},
		{Config{Dialect: 9}, "Dialect: dialect(9)", "there is no such database"},
		{Config{Dialect: SQLite, Prefix: `a"b`}, "Prefix", "it is put into the statements"},
		{Config{Dialect: Postgres, Schema: "a b"}, "Schema", "it is put into the statements"},
		{Config{Dialect: SQLite, Channel: "c"}, "Channel", "SQLite notifies no process"},
		{Config{Dialect: SQLite, Limits: graph.Limits{Text: -1}}, "Limits", "negative"},
		{Config{Dialect: SQLite, LogSize: -1}, "LogSize", "negative"},
		{Config{Dialect: SQLite, Propagation: map[graph.Kind]graph.Propagation{"a": 9}}, "Propagation", "it means nothing"},
		{Config{Dialect: SQLite, Kinds: []graph.KindInfo{{}}}, "Kinds[0]", "an empty kind"},
		{Config{Dialect: SQLite, Kinds: []graph.KindInfo{{Kind: "a", Unwatched: true}}}, "Unwatched", "all kinds are watched"},
	} {
		if _, err := New(db, tc.conf); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("New(%+v): %v, want %q: %s", tc.conf, err, tc.want, tc.reason)
		}
	}
	if _, err := New(nil, Config{}); err == nil {
		t.Error("New without a database succeeds")
	}
}

var bodies = rapid.Custom(func(t *rapid.T) graph.Object {
	text := rapid.StringN(0, 20, -1)
	o := graph.Object{Deleting: rapid.Bool().Draw(t, "deleting"), GraceSeconds: rapid.Int64().Draw(t, "grace"),
		Generation: rapid.Int64().Draw(t, "generation"), ObservedGeneration: rapid.Int64().Draw(t, "observed")}
	for range rapid.IntRange(0, 4).Draw(t, "owners") {
		o.Owners = append(o.Owners, graph.Owner{
			Key:        graph.Key{Kind: graph.Kind(text.Draw(t, "kind")), Scope: text.Draw(t, "scope"), Name: text.Draw(t, "name"), UID: graph.UID(text.Draw(t, "uid"))},
			Unresolved: rapid.Bool().Draw(t, "unresolved"), Block: rapid.Bool().Draw(t, "block"), Controller: rapid.Bool().Draw(t, "controller"),
			OnDelete: graph.OnDelete(rapid.IntRange(0, 3).Draw(t, "policy"))})
	}
	for range rapid.IntRange(0, 4).Draw(t, "finalizers") {
		o.Finalizers = append(o.Finalizers, text.Draw(t, "finalizer"))
	}
	return o
})

// TestBodyRoundTrip reads each body as the object that was written, and no part of a body.
func TestBodyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := bodies.Draw(t, "object")
		body := encodeBody(&o)
		var back graph.Object
		if err := decodeBody(body, &back); err != nil || !back.Equal(o) {
			t.Fatalf("%v is read as %v, %v", o, back, err)
		}
		if err := decodeBody(body[:len(body)-1], &graph.Object{}); err == nil {
			t.Fatalf("a part of the body of %v is read without an error", o)
		}
	})
}

// TestBodyFormats: a body is written in the third format exactly if a reference has a policy. So a
// program that knows the former formats reads every other body. The second format is read.
func TestBodyFormats(t *testing.T) {
	with := func(policies ...graph.OnDelete) *graph.Object {
		o := &graph.Object{}
		for _, p := range policies {
			r := refTo(object("a", "b", "c"))[0]
			r.OnDelete = p
			o.Owners = append(o.Owners, r)
		}
		return o
	}
	first := func(format byte, o *graph.Object) []byte { return append([]byte{format}, encodeBody(o)[1:]...) }
	for _, tc := range []struct {
		body   []byte
		format byte // 0 if the body is not readable
		reason string
	}{
		{encodeBody(with()), formatPlain, "no reference"},
		{encodeBody(with(0, 0)), formatPlain, "references without a policy"},
		{encodeBody(with(0, graph.OnDeleteRestrict)), formatPolicies, "one with a policy"},
		{first(formatPlain, with(graph.OnDeleteRelease)), 0, "the first format has no policy"},
		{encodeBody(with(graph.OnDeleteCascade, 0)), formatPolicies, "a cascade"},
		{first(formatReserved, with(graph.OnDeleteRelease, graph.OnDeleteRestrict)), formatReserved, "a former program has written it"},
		{first(formatReserved, with(graph.OnDeleteRelease, graph.OnDeleteCascade)), 0, "no former program knew cascade"},
		{first(formatReserved, with(0)), 0, "the second format has a policy"},
		{first(formatPolicies, with(0)), 0, "one object has one body"},
		{first(4, with(graph.OnDeleteRelease)), 0, "a later format"},
		{encodeBody(with(4)), 0, "the policy is unknown"},
	} {
		err := decodeBody(tc.body, &graph.Object{})
		if tc.format == 0 && !errors.Is(err, errBody) || tc.format != 0 && (err != nil || tc.body[0] != tc.format) {
			t.Errorf("%x: %v, want format %d: %s", tc.body, err, tc.format, tc.reason)
		}
	}
}

// FuzzBody: no body makes the reader panic, and a body that it reads is written as one that
// is read as the same object.
func FuzzBody(f *testing.F) {
	f.Add(encodeBody(&graph.Object{Owners: refTo(object("a", "b", "c")), Finalizers: []string{"x"}}))
	f.Add([]byte{1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, body []byte) {
		var o, again graph.Object
		if decodeBody(body, &o) != nil {
			return
		}
		if err := decodeBody(encodeBody(&o), &again); err != nil || !reflect.DeepEqual(o, again) {
			t.Fatalf("%x is read as %v, and then as %v, %v", body, o, again, err)
		}
	})
}

// TestOneConnection runs a watch and all sorts of calls on a pool with one connection.
func TestOneConnection(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.db.SetMaxOpenConns(1)
		w := h.watch(t)
		made := h.createMany(t, numbered(20))
		for _, o := range made[:10] {
			if err := h.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Batch(t.Context(), []graph.Write{deletion(made[11]), deletion(made[12])}); err != nil {
			t.Fatal(err)
		}
		want := h.contentOf(t)
		w.until(t, "the watch knows the content", func(events []graph.Event) bool { return agree(replayed(events), want) })
	})
}

// TestWaitOnlyHints has a hook that always fails, and one that always returns. The watch
// works as without.
func TestWaitOnlyHints(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		for _, err := range []error{nil, errors.New("test: no notifications")} {
			calls := make(chan struct{}, 1)
			h := d.mustHandle(t, func(c *Config) {
				c.Wait = func(ctx context.Context) error {
					select {
					case calls <- struct{}{}:
						return err
					case <-ctx.Done():
						return ctx.Err()
					}
				}
			})
			w := h.watch(t)
			<-calls
			o := h.mustCreate(t, object("team", "", fmt.Sprint(err == nil)))
			<-calls
			w.until(t, "the object is reported", func(events []graph.Event) bool { _, ok := replayed(events)[o.Key]; return ok })
		}
	})
}
