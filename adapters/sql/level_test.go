package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestBoundOfSnapshot: a transaction with an old snapshot, and a number from a write that its
// savepoint took back, writes again when the watch is further.
func TestBoundOfSnapshot(t *testing.T) {
	for _, level := range levels {
		t.Run(level.String(), func(t *testing.T) {
			h := newPostgresDatabase(t).mustHandle(t, nil)
			w := h.watch(t)
			w.until(t, "listed", listed)
			tx := h.begin(t, level)
			in := h.Tx(tx)
			h.run(t, tx, `SAVEPOINT before`)
			if _, err := in.Create(t.Context(), object("team", "", "taken-back")); err != nil {
				t.Fatal(err)
			}
			h.run(t, tx, `ROLLBACK TO SAVEPOINT before`)
			h.mustCreate(t, object("team", "", "first"))
			w.reports(t, "first")
			h.passes(t, w)
			if _, err := in.Create(t.Context(), object("team", "", "late")); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			w.reports(t, "late")
			if slices.ContainsFunc(w.reported(), func(e graph.Event) bool { return e.Object.Name == "taken-back" }) {
				t.Error("the watch reported a write that was rolled back")
			}
		})
	}
}

// TestFreshenBrokenOff: a write is broken off between two statements of freshen. The user goes on
// with the transaction. The next write is refused, and through another Tx it
// is reported.
func TestFreshenBrokenOff(t *testing.T) {
	for _, at := range []string{`LOCK TABLE`, `SAVEPOINT ownergraph_number`, `VALUES (-1`, `ROLLBACK TO SAVEPOINT ownergraph`, `RELEASE SAVEPOINT ownergraph`, `set_config('ownergraph`} {
		t.Run(at, func(t *testing.T) {
			h := newPostgresDatabase(t).mustHandle(t, nil)
			w, tx := h.early(t, sql.LevelRepeatableRead)
			in, once := h.Tx(tx), true
			fail := func(text string) error {
				if once && strings.Contains(text, at) {
					once = false
					return context.DeadlineExceeded
				}
				return nil
			}
			h.d.faults.fail.Store(&fail)
			_, err := in.Create(t.Context(), object("team", "", "tried"))
			h.d.faults.fail.Store(nil)
			if err == nil {
				t.Fatal("the fault had no effect")
			}
			if _, again := in.Create(t.Context(), object("team", "", "late")); !errors.Is(again, context.DeadlineExceeded) {
				t.Errorf("the next write has the error %v, want the one of the first", again)
			}
			in = h.Tx(tx) // another one for the same transaction
			if _, err := in.Create(t.Context(), object("team", "", "late")); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			w.reports(t, "late")
		})
	}
}

// TestBoundOfUserLock: the user has locked the log before the first write at a higher level.
func TestBoundOfUserLock(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	w, tx := h.early(t, sql.LevelRepeatableRead)
	h.run(t, tx, h.conf.names().Replace(`LOCK TABLE {log}, {objects} IN ROW EXCLUSIVE MODE`))
	if _, err := h.Tx(tx).Create(t.Context(), object("team", "", "late")); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	w.reports(t, "late")
}

// TestBoundOfReader: a transaction at a higher level that only reads objects delays nothing.
func TestBoundOfReader(t *testing.T) {
	for _, level := range levels {
		h := newPostgresDatabase(t).mustHandle(t, nil)
		o := h.mustCreate(t, object("team", "", "read"))
		w := h.watch(t)
		w.until(t, "listed", listed)
		tx := h.begin(t, level)
		h.run(t, tx, `SELECT pg_current_xact_id()`)
		if _, err := h.Tx(tx).Get(t.Context(), o.Key); err != nil {
			t.Fatal(err)
		}
		h.mustCreate(t, object("team", "", "late"))
		w.reports(t, "late")
		h.passes(t, w)
	}
}
