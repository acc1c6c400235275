package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestLateIsUndone: Postgres breaks each write off by a limit of time. The error says so, and that
// nothing is done. So the Collector makes smaller batches.
func TestLateIsUndone(t *testing.T) {
	for _, c := range []struct{ state, reason string }{
		{"57014", "statement_timeout"}, {"55P03", "lock_timeout"}, {"25P04", "transaction_timeout"},
		{"25P03", "idle_in_transaction_session_timeout"},
	} {
		d := newPostgresDatabase(t)
		h := d.mustHandle(t, nil)
		a, b := h.mustCreate(t, object("team", "", "a")), h.mustCreate(t, object("team", "", "b"))
		late := func(text string) error {
			if writes.MatchString(text) {
				return state(c.state)
			}
			return nil
		}
		d.faults.fail.Store(&late)
		_, together := h.Batch(t.Context(), []graph.Write{deletion(a), deletion(b)})
		for _, err := range []error{h.Delete(t.Context(), a.Key, graph.DeleteOptions{}), together} {
			var later interface{ RetryAfter() time.Duration }
			if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &later) || errors.Is(err, graph.ErrRefused) {
				t.Errorf("%s: %v, want an error of the time with a RetryAfter", c.reason, err)
			}
		}
		d.faults.fail.Store(nil)
	}
}

// TestLockedRow: a transaction of the user locks the row of one object. A batch removes the
// others without a wait for that row. Then the lock ends, and the row goes too.
func TestLockedRow(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	var list []graph.Write
	for i := range 20 {
		list = append(list, deletion(h.mustCreate(t, object("team", "", fmt.Sprint("t", i)))))
	}
	tx, err := h.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var uid string
	lock := `SELECT uid FROM "` + d.conf.Schema + `".og_objects WHERE uid = $1 FOR UPDATE`
	if err := tx.QueryRowContext(t.Context(), lock, string(list[7].Key.UID)).Scan(&uid); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		results, err := h.Batch(t.Context(), list)
		ended <- errors.Join(append(results, err)...)
	}()
	left := 0
	eventually(t, "one object is left, or the batch has ended", func() bool {
		if err := h.db.QueryRowContext(t.Context(), `SELECT count(*) FROM "`+d.conf.Schema+`".og_objects`).Scan(&left); err != nil {
			t.Fatal(err)
		}
		return left == 1 || len(ended) > 0
	})
	if left != 1 || len(ended) > 0 {
		t.Errorf("%d objects are left beside the lock of one, and the batch has ended: %t", left, len(ended) > 0)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("after the end of the lock: %v", err)
	}
}

// TestInterrupted: the context of a call ends during its transaction. On SQLite nothing is done
// then, since the process has rolled back. The server of Postgres may still be at work, so
// nothing is said about the outcome.
func TestInterrupted(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		o := h.mustCreate(t, object("team", "", "a"))
		ctx, cancel := context.WithCancel(t.Context())
		end := func(text string) error {
			if !writes.MatchString(text) {
				return nil
			}
			cancel()
			return ctx.Err()
		}
		d.faults.fail.Store(&end)
		err := h.Patch(ctx, o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"})
		d.faults.fail.Store(nil)
		var later interface{ RetryAfter() time.Duration }
		if !errors.Is(err, context.Canceled) || errors.As(err, &later) != (d.conf.Dialect == SQLite) {
			t.Errorf("%v, want the end of the context, with a RetryAfter only on SQLite", err)
		}
		if got, err := h.Get(t.Context(), o.Key); err != nil || got.Version != o.Version {
			t.Errorf("the object is %v, %v, and its version was %s", got, err, o.Version)
		}
	})
}

// TestInterruptedStatement: the context of a batch ends while SQLite is at work on a statement that
// never ends, as with a foreign key without an index. SQLite rolls the transaction back by itself.
// Nothing is done, and the next write goes through.
func TestInterruptedStatement(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	a, b := h.mustCreate(t, object("team", "", "a")), h.mustCreate(t, object("team", "", "b"))
	endless := `CREATE TRIGGER endless AFTER DELETE ON og_objects BEGIN
		SELECT max(x) FROM (WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT x FROM n); END`
	if _, err := h.db.ExecContext(t.Context(), endless); err != nil {
		t.Fatal(err)
	}
	var err error
	for _, within := range []time.Duration{50 * time.Millisecond, time.Second, 20 * time.Second} {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		_, err = h.Batch(ctx, []graph.Write{deletion(a), deletion(b)})
		cancel()
		if isNotDone(err) { // otherwise the time was over before the statement: a busy machine
			break
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) || !isNotDone(err) {
		t.Errorf("%v, want the end of the context, with a RetryAfter", err)
	}
	if _, err := h.db.ExecContext(t.Context(), `DROP TRIGGER endless`); err != nil {
		t.Fatal(err)
	}
	results, err := h.Batch(t.Context(), []graph.Write{deletion(a), deletion(b)})
	if err := errors.Join(append(results, err)...); err != nil {
		t.Errorf("after the end of the trigger: %v", err)
	}
}

// TestTurnEnds: the context of a write ends while other writers of the process have the turn on
// SQLite. The write has not begun, so nothing is done.
func TestTurnEnds(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	o := h.mustCreate(t, object("team", "", "a"))
	h.writing <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- h.Patch(ctx, o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"}) }()
	cancel()
	err := <-ended
	<-h.writing
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the end of the context", err)
	}
	_, err = (&Store{conf: Config{Dialect: SQLite}, writing: make(chan struct{})}).takeTurn(ctx)
	var later interface{ RetryAfter() time.Duration }
	if !errors.As(err, &later) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want a RetryAfter and the end of the context", err)
	}
}

// TestBreath: the writers of a process have had the lock of a SQLite database for a second, one after
// another. The next one leaves it free for as long as another process takes to look again.
func TestBreath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Store{conf: Config{Dialect: SQLite}, writing: make(chan struct{}, 1)}
		began := time.Now()
		var waits []time.Duration
		for range 25 {
			asked := time.Now()
			release, err := s.takeTurn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if wait := time.Since(asked); wait > 0 {
				waits = append(waits, wait)
			}
			_ = sleep(t.Context(), 100*time.Millisecond)
			release()
		}
		if len(waits) != 2 || waits[0] != breath || waits[1] != breath {
			t.Errorf("waits %v in %v, want two of %v", waits, time.Since(began), breath)
		}
		_ = sleep(t.Context(), breath) // a process that writes seldom never waits
		for range 40 {
			asked := time.Now()
			release, err := s.takeTurn(t.Context())
			if err != nil || time.Since(asked) > 0 {
				t.Fatalf("a wait of %v, %v", time.Since(asked), err)
			}
			_ = sleep(t.Context(), 100*time.Millisecond)
			release()
			_ = sleep(t.Context(), breath)
		}
	})
}

// TestUnindexedKeys: Constraints names each foreign key without an index that serves its searches,
// and no other one.
func TestUnindexedKeys(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		on := map[Dialect]string{SQLite: "%s", Postgres: "[%s]"}[d.conf.Dialect] // SQLite takes a table of the index's database
		index := func(table, rest string) string {
			return `CREATE INDEX by_` + table + ` ON ` + fmt.Sprintf(on, table) + ` ` + rest
		}
		h.define(t, teamsTable,
			`CREATE TABLE [without_index] (n integer, uid text REFERENCES {objects} (uid) ON DELETE CASCADE)`,
			`CREATE TABLE [second_column] (uid text REFERENCES {objects} (uid), n integer, UNIQUE (n, uid))`,
			`CREATE TABLE [partial_index] (uid text REFERENCES {objects} (uid), n integer)`, index("partial_index", `(uid) WHERE n > 0`),
			`CREATE TABLE [of_a_team] (n integer, team integer REFERENCES [teams] (id))`,
			`CREATE TABLE [with_key] (uid text PRIMARY KEY REFERENCES {objects} (uid))`,
			`CREATE TABLE [with_index] (n integer, uid text REFERENCES {objects} (uid), UNIQUE (uid, n))`,
			`CREATE TABLE [all_rows] (uid text REFERENCES {objects} (uid))`, index("all_rows", `(uid) WHERE uid IS NOT NULL`),
			`CREATE TABLE [team_key] (team integer PRIMARY KEY REFERENCES [teams] (id))`,
			`CREATE TABLE [no_reference] (uid text)`)
		list, err := h.Constraints(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, c := range list {
			if c.Unindexed {
				found = append(found, c.Table[strings.LastIndexByte(c.Table, '.')+1:])
			}
		}
		if want := []string{"of_a_team", "partial_index", "second_column", "without_index"}; !slices.Equal(found, want) {
			t.Errorf("found %v, want %v", found, want)
		}
	})
}
