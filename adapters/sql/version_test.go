package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// callsOf are all sorts of calls of a store that read or write its tables.
func (h *handle) callsOf(o graph.Object) map[string]func(context.Context) error {
	inTx := func(do func(context.Context, *Tx) error) func(context.Context) error {
		return func(ctx context.Context) error {
			tx, err := h.db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			if err := do(ctx, h.Tx(tx)); err != nil {
				return errors.Join(err, tx.Rollback())
			}
			return tx.Commit()
		}
	}
	return map[string]func(context.Context) error{
		"Get":    func(ctx context.Context) error { _, err := h.Get(ctx, o.Key); return err },
		"Create": func(ctx context.Context) error { _, err := h.Create(ctx, object("team", "", "new")); return err },
		"Update": func(ctx context.Context) error {
			_, err := h.Update(ctx, graph.Object{Key: o.Key, Finalizers: []string{"x/u"}})
			return err
		},
		"Patch": func(ctx context.Context) error {
			return h.Patch(ctx, o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/p"})
		},
		"Delete": func(ctx context.Context) error { return h.Delete(ctx, o.Key, deletion(o).Options) },
		"Label": func(ctx context.Context) error {
			_, err := h.Label(ctx, o.Key, graph.Precondition{}, map[string]string{"a": "b"})
			return err
		},
		"Batch": func(ctx context.Context) error {
			_, err := h.Batch(ctx, []graph.Write{deletion(o), deletion(o)})
			return err
		},
		"Tx.Create": inTx(func(ctx context.Context, tx *Tx) error {
			_, err := tx.Create(ctx, object("team", "", "tx"))
			return err
		}),
		"Tx.CreateAll": inTx(func(ctx context.Context, tx *Tx) error {
			_, err := tx.CreateAll(ctx, []graph.Object{object("team", "", "all")})
			return err
		}),
		"Tx.Delete":   inTx(func(ctx context.Context, tx *Tx) error { return tx.Delete(ctx, o.Key, graph.DeleteOptions{}) }),
		"AddKind":     func(ctx context.Context) error { return h.AddKind(ctx, graph.KindInfo{Kind: "late"}) },
		"RemoveKind":  func(ctx context.Context) error { return h.RemoveKind(ctx, "photo") },
		"WriteRecord": func(ctx context.Context) error { _, err := h.WriteRecord(ctx, "a", nil, ""); return err },
		"Group":       func(ctx context.Context) error { _, err := h.Group(ctx, "g"); return err },
		"Group.Renew": func(ctx context.Context) error {
			_, err := (&Group{h.Store, "g"}).Renew(ctx, memberOf("x"), minute)
			return err
		},
		"Group.Leave": func(ctx context.Context) error { return (&Group{h.Store, "g"}).Leave(ctx, memberOf("x")) },
		"Restored":    h.Restored,
		"Compact":     h.Compact,
		"Fence":       func(ctx context.Context) error { _, err := h.Fence(ctx); return err },
		"List":        func(ctx context.Context) error { return h.List(ctx, "team") },
		"Select": func(ctx context.Context) error {
			_, err := h.Select(ctx, graph.SelectRequest{Kind: "team", Selector: "a=b"})
			return err
		},
		"Watch": func(ctx context.Context) error {
			return h.Watch(ctx, func([]graph.Event) error { return errors.New("test: the watch reports something") })
		},
	}
}

// TestVersionShutsOut: programs run, and know the kinds. Another one upgrades the tables as
// Migrate does. After its commit no call of the former programs writes, and no call that was
// under way does. Otherwise they would write rows that the new version reads in another way.
// Their errors have both versions.
func TestVersionShutsOut(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		o := h.mustCreate(t, object("team", "", "a"))
		w := h.watch(t)
		w.until(t, "the watch has listed", listed)
		var under atomic.Int64
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				for n := 0; ; n++ {
					if _, err := h.Create(t.Context(), object("team", "", fmt.Sprintf("w%d-%d", i, n))); err != nil {
						if !errors.Is(err, errNewer) {
							t.Errorf("a writer ends with %v", err)
						}
						return
					}
					under.Add(1)
				}
			})
		}
		eventually(t, "the writers write", func() bool { return under.Load() > 20 })
		h.raiseVersion(t)
		size, content := h.logSize(t), h.bodies(t)
		group.Wait()
		for name, call := range h.callsOf(o) {
			err := call(t.Context())
			if !errors.Is(err, errNewer) || !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), fmt.Sprintf("version %d, this program knows %d", schemaVersion+1, schemaVersion)) {
				t.Errorf("%s after the upgrade: %v, want ErrRefused with both versions", name, err)
			}
		}
		if <-w.done; !errors.Is(w.err, errNewer) {
			t.Errorf("the watch ends with %v", w.err)
		}
		if now, is := h.logSize(t), h.bodies(t); now != size || is != content {
			t.Errorf("after the upgrade the log has %d changes, and %d now; the objects are %s, and %s now", size, now, content, is)
		}
	})
}

// raiseVersion upgrades the tables as a later program does. Its lock is that of migrate.
func (h *handle) raiseVersion(t *testing.T) {
	t.Helper()
	err := h.transact(t.Context(), func(ses *session) error {
		texts := []string{touchKinds, fmt.Sprintf(`UPDATE {meta} SET version = %d WHERE id = 1`, schemaVersion+1)}
		if h.conf.Dialect == Postgres {
			texts = append([]string{`LOCK TABLE {objects} IN SHARE ROW EXCLUSIVE MODE`}, texts...)
		}
		for _, text := range texts {
			if _, err := ses.c.exec(t.Context(), h.conf.names().Replace(text)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// bodies returns a digest of the rows of objects.
func (h *handle) bodies(t *testing.T) (digest string) {
	t.Helper()
	if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT count(*) || '/' || sum(pos) || '/' || max(uid) FROM {objects}`)).Scan(&digest); err != nil {
		t.Fatal(err)
	}
	return digest
}

// TestMigrateOfCurrentTables: each start of a program calls Migrate. On current tables that
// writes nothing and takes no lock. So it passes beside an open transaction of a user, and
// with a role that may create nothing.
func TestMigrateOfCurrentTables(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Tx(tx).Create(t.Context(), object("team", "", "long")); err != nil {
			t.Fatal(err)
		}
		var locks atomic.Int64
		ask := func(text string) error {
			if regexp.MustCompile(`(?i)^\s*(CREATE|ALTER|LOCK|INSERT|UPDATE|DELETE)|advisory`).MatchString(text) {
				locks.Add(1)
			}
			return nil
		}
		d.faults.fail.Store(&ask)
		defer d.faults.fail.Store(nil)
		next := d.mustHandle(t, nil)
		if locks.Load() > 0 {
			t.Errorf("Migrate of current tables has run %d statements that lock or write", locks.Load())
		}
		if d.conf.Dialect == Postgres {
			if _, err := next.Create(t.Context(), object("team", "", "other")); err != nil {
				t.Error(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestMigrateWithoutRights: a role that may read and write rows, and create nothing, migrates
// current tables. That is the usual role of an application.
func TestMigrateWithoutRights(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	role := fmt.Sprintf("app_%d", schemas.Add(1))
	grant := strings.NewReplacer("{role}", role, "{schema}", `"`+d.conf.Schema+`"`).Replace(`CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {schema} TO {role};
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}; GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}`)
	if _, err := h.db.ExecContext(t.Context(), grant); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := h.db.ExecContext(context.WithoutCancel(t.Context()), `DROP OWNED BY `+role+`; DROP ROLE `+role); err != nil {
			t.Error(err)
		}
	})
	db, err := openPostgres(strings.Replace(server.DSN(), "user=postgres", "user="+role, 1), d.faults)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := d.conf
	c.Kinds = kindsOfTests()
	s, err := New(db, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Errorf("Migrate of current tables: %v", err)
	}
	if _, err := s.Create(t.Context(), object("team", "", "a")); err != nil {
		t.Error(err)
	}
}

// TestMigrateWaitsBriefly: an upgrade meets an open transaction of a user. It gives its place
// in the queue of the locks up after a while, so that other writers pass, and tries again.
func TestMigrateWaitsBriefly(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	if _, err := h.db.ExecContext(t.Context(), h.conf.names().Replace(`UPDATE {meta} SET version = 1`)); err != nil {
		t.Fatal(err)
	}
	tx, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Tx(tx).Create(t.Context(), object("team", "", "long")); err != nil {
		t.Fatal(err)
	}
	var tries atomic.Int64
	waits := make(chan struct{})
	ask := func(text string) error {
		if strings.HasPrefix(text, "SET LOCAL lock_timeout") && tries.Add(1) == 2 {
			close(waits)
		}
		return nil
	}
	d.faults.fail.Store(&ask)
	defer d.faults.fail.Store(nil)
	done := make(chan error, 1)
	go func() { done <- h.Migrate(t.Context()) }()
	if _, err := h.Create(t.Context(), object("team", "", "other")); err != nil {
		t.Errorf("a create beside the upgrade: %v", err)
	}
	<-waits
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || h.schema(t) != plainSchema {
		t.Errorf("Migrate: %v, version %d", err, h.schema(t))
	}
}
