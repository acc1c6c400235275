package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

// levels are the levels of isolation of a user's transaction.
var levels = []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable}

// begin begins a transaction of the user.
func (h *handle) begin(t *testing.T, level sql.IsolationLevel) *sql.Tx {
	t.Helper()
	tx, err := h.db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	return tx
}

func (h *handle) run(t *testing.T, tx interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, text string) {
	t.Helper()
	if _, err := tx.ExecContext(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// prepare prepares a transaction. It ends with the test at the latest.
func (h *handle) prepare(t *testing.T, tx *sql.Tx, name string) {
	t.Helper()
	h.run(t, tx, `PREPARE TRANSACTION '`+name+`'`)
	_ = tx.Rollback() // the session has no transaction any longer; its connection is free
	t.Cleanup(func() { _, _ = h.db.Exec(`ROLLBACK PREPARED '` + name + `'`) })
}

// reports waits until the watch has reported the object.
func (w *watcher) reports(t *testing.T, name string) {
	t.Helper()
	w.until(t, name+" reported", reported(name))
}

// passes waits until the watch has passed a new fence.
func (h *handle) passes(t *testing.T, w *watcher) {
	t.Helper()
	token, err := h.Fence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.until(t, "fence passed", passed(token))
}

// reported says that a watch has reported the object, and passed that it has reported the fence.
func reported(name string) func([]graph.Event) bool {
	return func(events []graph.Event) bool {
		return slices.ContainsFunc(events, func(e graph.Event) bool { return e.Type == graph.Put && e.Object.Name == name })
	}
}

func passed(token uint64) func([]graph.Event) bool {
	return func(events []graph.Event) bool {
		return slices.ContainsFunc(events, func(e graph.Event) bool { return e.Type == graph.FencePassed && e.Fence == token && e.Kind == "" })
	}
}

// early begins a watch and a transaction with a number. The watch has passed a later change.
func (h *handle) early(t *testing.T, level sql.IsolationLevel) (*watcher, *sql.Tx) {
	t.Helper()
	w := h.watch(t)
	w.until(t, "listed", listed)
	tx := h.begin(t, level)
	h.run(t, tx, `SELECT pg_current_xact_id()`)
	h.mustCreate(t, object("team", "", "first"))
	w.reports(t, "first")
	h.passes(t, w)
	return w, tx
}

// TestBoundOfUnrelated: a watch does not wait for transactions that cannot write to its log:
// idle in a transaction with a write to another table, prepared, and in another database.
func TestBoundOfUnrelated(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	w := h.watch(t)
	w.until(t, "listed", listed)
	h.run(t, h.db, `CREATE TABLE "`+h.conf.Schema+`".payload_bound (id integer)`)
	t.Cleanup(func() { _, _ = h.db.Exec(`DROP TABLE "` + h.conf.Schema + `".payload_bound`) })
	insert := `INSERT INTO "` + h.conf.Schema + `".payload_bound VALUES (1)`
	for _, level := range levels {
		h.run(t, h.begin(t, level), insert)
	}
	prepared := h.begin(t, sql.LevelReadCommitted)
	h.run(t, prepared, insert)
	h.prepare(t, prepared, "unrelated")
	other, err := openPostgres(strings.Replace(server.DSN(), "/postgres?", "/template1?", 1), &faults{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // it only has a number
	h.run(t, tx, `SELECT pg_current_xact_id()`)

	h.mustCreate(t, object("team", "", "meanwhile"))
	w.reports(t, "meanwhile")
	h.passes(t, w)
	if err := h.compactTo(t.Context(), 0, everything); err != nil {
		t.Fatal(err)
	}
	if n := h.logSize(t); n > 1 {
		t.Errorf("%d changes are left in the log, and one suffices", n)
	}
}

// TestBoundOfEarlyNumber: a transaction with a number writes its first object when the watch
// is further. At each level the watch reports the object, and a fence waits for it.
func TestBoundOfEarlyNumber(t *testing.T) {
	for _, level := range levels {
		t.Run(level.String(), func(t *testing.T) {
			h := newPostgresDatabase(t).mustHandle(t, nil)
			w, tx := h.early(t, level)
			if _, err := h.Tx(tx).Create(t.Context(), object("team", "", "late")); err != nil {
				t.Fatal(err)
			}
			h.mustCreate(t, object("team", "", "last"))
			h.Wake()
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			w.reports(t, "late")
			w.reports(t, "last")
		})
	}
}

// TestBoundOfPrepared: the watch waits for a prepared transaction that wrote an object, and
// reports that object when it is committed.
func TestBoundOfPrepared(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	w := h.watch(t)
	w.until(t, "listed", listed)
	tx := h.begin(t, sql.LevelReadCommitted)
	if _, err := h.Tx(tx).Create(t.Context(), object("team", "", "early")); err != nil {
		t.Fatal(err)
	}
	h.prepare(t, tx, "bound")
	h.mustCreate(t, object("team", "", "late"))
	c := conn{s: h.Store}
	for range 10 { // the watch looks in between
		h.Wake()
		b, err := h.tables.(*postgresTables).bound(t.Context(), &c)
		if err != nil || b.writer.number == 0 || b.writer.pid != 0 {
			t.Fatalf("%+v, %v: the prepared transaction is not its writer", b, err)
		}
	}
	if slices.ContainsFunc(w.reported(), func(e graph.Event) bool { return e.Object.Name == "late" }) {
		t.Error("the watch did not wait")
	}
	h.run(t, h.db, `COMMIT PREPARED 'bound'`)
	w.reports(t, "late")
	w.reports(t, "early")
}

// olderCreate is the statement of a program of an older version that creates an object. Its
// position has no least number.
const olderCreate = `WITH p AS (SELECT nextval('{seq}') AS seq, greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1) + m.base AS pos
		FROM {meta} m WHERE m.id = 1),
	o AS (INSERT INTO {objects} (id, kind, place, uid, scope, name, pos, seq, deleting, held, body, labels)
		SELECT p.seq, k.id, $1::bytea, $2::text, '', $3::text, p.pos, p.seq, false, false, $4::bytea, '' FROM p, {kinds} k WHERE k.kind = 'team' RETURNING kind, pos, seq)
	INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name, body) SELECT pos, seq, 1, 0, 1, kind, $2::text, '', $3::text, $4::bytea FROM o`

func (h *handle) createAsOlder(ctx context.Context, tx *sql.Tx, name string) error {
	o := object("team", "", name)
	o.UID = newUID()
	_, err := tx.ExecContext(ctx, h.conf.names().Replace(olderCreate), placeOf(o.Key), string(o.UID), name, encodeBody(&o))
	return err
}

// TestBoundOfOlderProgram: a program of an older version writes with a number from before its
// first object.
func TestBoundOfOlderProgram(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	w, tx := h.early(t, sql.LevelReadCommitted)
	if err := h.createAsOlder(t.Context(), tx, "late"); err != nil {
		t.Fatal(err)
	}
	h.mustCreate(t, object("team", "", "last"))
	h.Wake()
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	w.reports(t, "late")
	w.reports(t, "last")
}

// TestSequenceRights: without a right on the sequence, and with a cache of numbers, a watch has no
// bound. The error names the sequence. Without rights on the view of the sessions, the reason of a
// watch that stands still has less.
func TestSequenceRights(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	for _, drawn := range []int64{-1, -2} {
		if err := noNumber(drawn); !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), "sequence") {
			t.Errorf("%d: %v", drawn, err)
		}
	}
	cache := func(n string) { h.run(t, h.db, h.conf.names().Replace(`ALTER SEQUENCE {seq} CACHE `+n)) }
	cache("2")
	defer cache("1")
	if _, err := h.Fence(t.Context()); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("with a cache: %v", err)
	}
	who := h.describe(t.Context(), writer{xid: 7, pid: 1 << 30})
	if !strings.Contains(who, "transaction 7") || !strings.Contains(who, fmt.Sprint("pid ", 1<<30)) {
		t.Errorf("an unknown session: %s", who)
	}
}

// TestCrashTakesNumbersBack: a crash of the server takes the number of a rolled back transaction
// back, and the number of the sequence that it drew. A watch was further. The first change after the
// crash has the same position, and is reported.
func TestCrashTakesNumbersBack(t *testing.T) {
	srv, err := postgres.Start(postgres.Config{Settings: []string{"autovacuum=off", "wal_writer_delay=10s"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Stop() })
	d := &database{name: "postgres", faults: &faults{}, conf: Config{Dialect: Postgres, Schema: "crash"},
		open: func(f *faults) (*sql.DB, error) { return openPostgres(srv.DSN(), f) }}
	h := d.mustHandle(t, nil)
	w := h.watch(t)
	w.until(t, "listed", listed)
	for left, i := 1, 0; left > 0; i++ { // until the next number is written to the log of the server
		h.mustCreate(t, object("team", "", fmt.Sprint("x", i)))
		if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT log_cnt FROM {seq}`)).Scan(&left); err != nil {
			t.Fatal(err)
		}
	}
	tx := h.begin(t, sql.LevelReadCommitted)
	made, err := h.Tx(tx).Create(t.Context(), object("team", "", "taken-back"))
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the watch is further", func() bool {
		h.Wake()
		return h.remembered().next.compare(positionOf(made.Version)) > 0
	})
	if err := srv.Restart(); err != nil { // it kills the server
		t.Fatal(err)
	}
	eventually(t, "the server is up", func() bool { return h.db.PingContext(t.Context()) == nil })
	next := h.watchAgain(t)
	h.mustCreate(t, object("team", "", "after-crash"))
	next.reports(t, "after-crash")
}
