package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ownergraph/ownergraph/graph"
)

// snapshots are the levels at which a transaction has one snapshot.
var snapshots = []sql.IsolationLevel{sql.LevelRepeatableRead, sql.LevelSerializable}

// TestOldSnapshot: an epoch, or an upgrade of the tables, begins while a transaction with an old snapshot
// is open, before its first write here. A change of the transaction would lie below the floor of the log,
// where no watch reads it, and a fence would pass without it. So the write is refused with 40001. The
// same transaction passes when it begins anew. A lock of freshen keeps no other writer waiting.
func TestOldSnapshot(t *testing.T) {
	for _, level := range snapshots {
		t.Run(level.String(), func(t *testing.T) {
			h := newPostgresDatabase(t).mustHandle(t, nil)
			w := h.watch(t)
			w.until(t, "listed", listed)
			old := h.begin(t, level)
			h.run(t, old, `SELECT count(*) FROM pg_class`) // takes the snapshot
			if err := h.noteRestore(t.Context(), "", otherLog); err != nil {
				t.Fatal(err)
			}
			var state interface{ SQLState() string }
			if _, err := h.Tx(old).Create(t.Context(), object("team", "", "stray")); !errors.As(err, &state) || state.SQLState() != "40001" {
				t.Errorf("a write with a snapshot from before the epoch: %v", err)
			}
			if err := old.Rollback(); err != nil {
				t.Fatal(err)
			}
			anew := h.begin(t, level)
			if _, err := h.Tx(anew).Create(t.Context(), object("team", "", "anew")); err != nil {
				t.Fatal(err)
			}
			if err := h.AddKind(t.Context(), graph.KindInfo{Kind: "added"}); err != nil { // beside the open transaction
				t.Error(err)
			}
			if err := anew.Commit(); err != nil {
				t.Fatal(err)
			}
			w.reports(t, "anew")
			before := h.begin(t, level)
			h.run(t, before, `SELECT count(*) FROM pg_class`)
			h.raiseVersion(t)
			if _, err := h.Tx(before).Create(t.Context(), object("team", "", "late")); !errors.As(err, &state) || state.SQLState() != "40001" {
				t.Errorf("a write with a snapshot from before the upgrade: %v", err)
			}
		})
	}
}

// TestSnapshotBesideCompaction: a cut of the log and a further kind change nothing for a transaction with an
// older snapshot. Each process cuts once a minute.
func TestSnapshotBesideCompaction(t *testing.T) {
	for _, level := range snapshots {
		h := newPostgresDatabase(t).mustHandle(t, nil)
		h.mustCreate(t, object("team", "", "first"))
		h.mustCreate(t, object("team", "", "second"))
		tx := h.begin(t, level)
		h.run(t, tx, `SELECT count(*) FROM pg_class`)
		if err := h.compactTo(t.Context(), 0, time.Now().UnixMilli()); err != nil {
			t.Fatal(err)
		}
		if err := h.AddKind(t.Context(), graph.KindInfo{Kind: "zone"}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Tx(tx).Create(t.Context(), object("team", "", "late")); err != nil {
			t.Errorf("%s: %v", level, err)
		}
	}
}

// atDefault returns a store whose sessions have this level by default. Its driver has prepared the
// statement of a creation.
func (d *database) atDefault(t *testing.T, level string) *handle {
	t.Helper()
	c, err := pgx.ParseConfig(server.DSN())
	if err != nil {
		t.Fatal(err)
	}
	c.RuntimeParams["default_transaction_isolation"] = level
	h := d.storeOn(t, stdlib.GetConnector(*c))
	h.db.SetMaxOpenConns(1)
	h.mustCreate(t, object("team", "", "prepared"))
	return h
}

// waitsFor waits until a statement waits for the lock of a table.
func (h *handle) waitsFor(t *testing.T, table string) {
	t.Helper()
	eventually(t, "a statement waits for "+table, func() bool {
		var n int
		text := `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = to_regclass('` + table + `')`
		return h.db.QueryRowContext(t.Context(), h.conf.names().Replace(text)).Scan(&n) == nil && n > 0
	})
}

// TestOldSnapshotByDefault: the sessions of a store have a level with one snapshot by default. A creation
// waits for the lock of an epoch. Its fence would pass without the object, if the statement kept the
// snapshot from before the wait.
func TestOldSnapshotByDefault(t *testing.T) {
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			d := newPostgresDatabase(t)
			h := d.mustHandle(t, nil)
			owner := h.mustCreate(t, object("team", "", "owner"))
			other := d.atDefault(t, level)
			w := h.watch(t)
			w.until(t, "listed", listed)
			done := make(chan error, 1)
			err := h.transact(t.Context(), func(ses *session) error {
				if err := h.tables.restored(t.Context(), &ses.c, nil, "another epoch", otherLog, time.Now().UnixNano()); err != nil {
					return err
				}
				x := object("bucket", "s", "dependent")
				x.Owners = []graph.Owner{{Key: owner.Key}}
				go func() { _, err := other.Create(t.Context(), x); done <- err }()
				h.waitsFor(t, "{objects}")
				return nil
			})
			if err == nil {
				err = <-done
			}
			if err != nil {
				t.Fatal(err)
			}
			token, err := h.Fence(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			w.until(t, "the fence has passed", passed(token))
			if !reported("dependent")(w.reported()) {
				t.Error("the fence has passed without an object that was committed before it")
			}
		})
	}
}

// TestUpgradeByDefault: the same for an upgrade of the tables. The creation that waits for it finds the
// new version.
func TestUpgradeByDefault(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	other := d.atDefault(t, "repeatable read")
	done := make(chan error, 1)
	err := h.transact(t.Context(), func(ses *session) error {
		for _, text := range []string{`LOCK TABLE {objects} IN SHARE ROW EXCLUSIVE MODE`, fmt.Sprintf(`UPDATE {meta} SET version = %d WHERE id = 1`, schemaVersion+1)} {
			if _, err := ses.c.exec(t.Context(), h.conf.names().Replace(text)); err != nil {
				return err
			}
		}
		go func() { _, err := other.Create(t.Context(), object("team", "", "late")); done <- err }()
		h.waitsFor(t, "{objects}")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, errNewer) {
		t.Errorf("a creation that ends after the upgrade: %v", err)
	}
}
