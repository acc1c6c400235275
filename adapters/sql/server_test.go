package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

// startServer starts another server for one test.
func startServer(t *testing.T, c postgres.Config) *postgres.Server {
	t.Helper()
	s, err := postgres.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// mixed is a pool whose connections lead to one server or another one.
type mixed struct {
	to   [2]driver.Connector
	next atomic.Int64 // counts the connections
	only atomic.Int64 // 1 and 2: all connections lead there; 0: they take turns
}

func newMixed(t *testing.T, a, b string) *mixed {
	t.Helper()
	m := &mixed{}
	for i, dsn := range []string{a, b} {
		c, err := pgx.ParseConfig(dsn)
		if err != nil {
			t.Fatal(err)
		}
		m.to[i] = stdlib.GetConnector(*c)
	}
	return m
}

func (m *mixed) Connect(ctx context.Context) (driver.Conn, error) {
	n := m.next.Add(1)
	if only := m.only.Load(); only > 0 {
		n = only - 1
	}
	return m.to[n%2].Connect(ctx)
}

func (m *mixed) Driver() driver.Driver { return m.to[0].Driver() }

// storeOn returns a store whose pool keeps no connection, so that each call takes the next one.
func (d *database) storeOn(t *testing.T, c driver.Connector) *handle {
	t.Helper()
	db := sql.OpenDB(c)
	db.SetMaxIdleConns(-1)
	conf := d.conf
	conf.Kinds = kindsOfTests()
	s, err := New(db, conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(s.Close(), db.Close()) })
	return &handle{s, t, d, db}
}

// epochOf returns the epoch, its reason and a digest of the rows, which a restore rewrites.
func (h *handle) epochOf(t *testing.T) (text string) {
	t.Helper()
	if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT epoch || '|' || reason || '|' || base FROM {meta}`)).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text + "|" + h.bodies(t)
}

// ends runs a watch until it ends, and returns its error.
func (h *handle) ends(t *testing.T) error {
	t.Helper()
	return h.Watch(t.Context(), func([]graph.Event) error { return nil })
}

// TestStandbyIsRefused: a pool takes turns between a primary and a standby that lags, as a list
// of hosts does after an outage. A read of the standby proves nothing: an object that it lacks
// may live. A listing or a fence of it misses changes, and its counters are those of the past,
// as after a restore. So each call there is an error that names the standby and has a RetryAfter,
// and nothing is written because of it.
func TestStandbyIsRefused(t *testing.T) {
	standby := startServer(t, postgres.Config{StandbyOf: server, Settings: []string{"max_connections=400", "max_prepared_transactions=20"}})
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	old := h.mustCreate(t, object("team", "", "old"))
	behind := d.storeOn(t, newMixed(t, standby.DSN(), standby.DSN()))
	eventually(t, "the standby has the object", func() bool {
		var n int
		err := behind.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT count(*) FROM {objects}`)).Scan(&n)
		return err == nil && n == 1
	})
	if _, err := behind.db.ExecContext(t.Context(), `SELECT pg_wal_replay_pause()`); err != nil {
		t.Fatal(err)
	}
	h.mustCreate(t, object("team", "", "new"))
	before := h.epochOf(t)
	calls := behind.callsOf(old)
	calls["Migrate"] = behind.Migrate
	for name, call := range calls {
		if err := call(t.Context()); !errors.Is(err, errStandby) || errors.Is(err, graph.ErrNotFound) || !retryAfter(err) {
			t.Errorf("%s on a standby: %v, want an error that names it, with a RetryAfter", name, err)
		}
	}

	pool := newMixed(t, server.DSN(), standby.DSN())
	pool.only.Store(1)
	both := d.storeOn(t, pool)
	if err := both.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := both.watch(t)
	w.until(t, "the watch has listed", listed)
	pool.only.Store(0)
	if <-w.done; !errors.Is(w.err, errStandby) {
		t.Errorf("a watch that meets a standby ends with %v", w.err)
	}
	for range 20 {
		if err := both.ends(t); !errors.Is(err, errStandby) {
			t.Errorf("a further watch ends with %v", err)
		}
		for _, name := range []string{"Get", "Fence", "Select"} {
			if err := both.callsOf(old)[name](t.Context()); err != nil && !errors.Is(err, errStandby) {
				t.Errorf("%s on one of both: %v", name, err)
			}
		}
		if o, err := both.Get(t.Context(), graph.Key{Kind: "team", Name: "new"}); err != nil && !errors.Is(err, errStandby) {
			t.Errorf("a read of an object that the standby lacks: %v, %v", o, err)
		}
	}
	pool.only.Store(2) // all connections of a store that knows the primary lead to the standby
	for name, call := range both.callsOf(old) {
		if err := call(t.Context()); !errors.Is(err, errStandby) && !errors.Is(err, errReadOnly) || !retryAfter(err) {
			t.Errorf("%s on a standby after the first use: %v, want an error that names it, with a RetryAfter", name, err)
		}
	}
	if now := h.epochOf(t); now != before {
		t.Errorf("because of the standby the rows went from %s to %s", before, now)
	}
	pool.only.Store(1)
	both.watch(t).until(t, "a watch on the primary alone lists", listed)
}

// dumpTo writes the rows of the tables into the tables of another server.
func (h *handle) dumpTo(t *testing.T, other *handle) {
	t.Helper()
	saved := content{}
	if err := h.transact(t.Context(), func(ses *session) error { return saved.read(t.Context(), h, ses) }); err != nil {
		t.Fatal(err)
	}
	if err := other.transact(t.Context(), func(ses *session) error { return saved.write(t.Context(), other, ses) }); err != nil {
		t.Fatal(err)
	}
}

// twoServers returns a store on a pool of two servers, of which the second one has a dump.
func twoServers(t *testing.T) (first, second, both *handle, pool *mixed, o graph.Object) {
	t.Helper()
	d := newPostgresDatabase(t)
	first = d.mustHandle(t, nil)
	o = first.mustCreate(t, object("team", "", "a"))
	other := startServer(t, postgres.Config{})
	there := *d
	there.open = func(f *faults) (*sql.DB, error) { return openPostgres(other.DSN(), f) }
	second = there.mustHandle(t, nil)
	first.dumpTo(t, second)
	pool = newMixed(t, server.DSN(), other.DSN())
	pool.only.Store(1)
	both = d.storeOn(t, pool)
	both.watch(t).until(t, "the watch has listed", listed)
	return first, second, both, pool, o
}

// systemOf returns the system identifier as an operator reads it.
func (h *handle) systemOf(t *testing.T) (text string) {
	t.Helper()
	if err := h.db.QueryRowContext(t.Context(), `SELECT system_identifier FROM pg_control_system()`).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestTwoServers: the connections of a pool lead to two primaries with the same rows, as after
// a failover that left the former primary alive. The store cannot know which of them is right.
// It stops: no watch goes on, no write happens, and the errors have both identifiers. That
// ends when the pool leads to one server.
func TestTwoServers(t *testing.T) {
	first, second, both, pool, o := twoServers(t)
	one, two := first.epochOf(t), second.epochOf(t)
	pool.only.Store(0)
	stopped := 0
	for range 10 {
		err := both.ends(t)
		if !errors.Is(err, errOtherServer) || !strings.Contains(err.Error(), first.systemOf(t)) || !strings.Contains(err.Error(), second.systemOf(t)) {
			t.Errorf("a watch ends with %v, want both identifiers", err)
		}
		if err := both.Delete(t.Context(), o.Key, deletion(o).Options); !errors.Is(err, errOtherServer) {
			t.Errorf("a deletion: %v", err)
		} else {
			stopped++
		}
	}
	if now, is := first.epochOf(t), second.epochOf(t); stopped != 10 || now != one || is != two {
		t.Errorf("the servers went from %s to %s, and from %s to %s", one, now, two, is)
	}
	pool.only.Store(1)
	both.watch(t).until(t, "all connections agree", listed)
	if now := first.epochOf(t); now != one {
		t.Errorf("the server of before went from %s to %s: it is no restore", one, now)
	}
}

// TestDumpOnAnotherServer: all connections lead to another server from some moment on. It has
// a dump, so its rows are those of the past. Two programs find that, and begin one epoch.
func TestDumpOnAnotherServer(t *testing.T) {
	first, second, both, pool, o := twoServers(t)
	also := both.d.storeOn(t, pool)
	also.watch(t).until(t, "the watch has listed", listed)
	before := first.epochOf(t)
	pool.only.Store(2)
	epochs := map[string]bool{}
	for _, h := range []*handle{both, also, both} {
		eventually(t, "all connections agree", func() bool {
			_, err := h.Get(t.Context(), o.Key)
			return err == nil
		})
		h.watch(t).until(t, "the watch announces the restore", func(events []graph.Event) bool {
			for _, e := range events {
				if e.Type == graph.Rewound && strings.Contains(e.Reason, second.systemOf(t)) {
					epochs[e.Epoch] = true
				}
			}
			return count(events, graph.Rewound) > 0 && listed(events)
		})
	}
	if len(epochs) != 1 {
		t.Errorf("epochs %v, want one", epochs)
	}
	if err := both.Delete(t.Context(), o.Key, deletion(o).Options); !errors.Is(err, graph.ErrConflict) {
		t.Errorf("a deletion from before the restore: %v", err)
	}
	if now := first.epochOf(t); now != before {
		t.Errorf("the server of before went from %s to %s", before, now)
	}
}

// TestRestoredEndsDoubt: an operator calls Restored on the server that is right. The store takes
// it at once, and begins no second epoch.
func TestRestoredEndsDoubt(t *testing.T) {
	_, second, both, pool, _ := twoServers(t)
	pool.only.Store(0)
	for both.primary.other.Load() == 0 {
		_ = both.ends(t) // until it stops
	}
	pool.only.Store(2)
	if err := both.Restored(t.Context()); err != nil {
		t.Fatal(err)
	}
	epoch := second.epochOf(t)
	both.watch(t).until(t, "the watch goes on", listed)
	if now := second.epochOf(t); now != epoch || !strings.Contains(epoch, "restored from a backup") {
		t.Errorf("the epoch went from %s to %s", epoch, now)
	}
}

// TestUnfitServers: the texts are from the documentation of the servers and from reports of
// their users. A watch reads below the oldest running transaction. Where the numbers have
// another order, or none, it would miss changes.
func TestUnfitServers(t *testing.T) {
	sound := numbers{high: 10, first: 10, low: 9, nextHigh: 11, second: 12, secondLow: 12}
	for _, tc := range []struct {
		version string
		fit     bool
		reason  string
	}{
		{"PostgreSQL 15.14 (Debian 15.14-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14+deb12u1) 12.2.0, 64-bit", true, "Debian"},
		{"PostgreSQL 14.0 on aarch64-apple-darwin20.6.0, compiled by Apple clang version 12.0.5, 64-bit", true, "the oldest one"},
		{"PostgreSQL 17devel on x86_64-pc-linux-gnu, compiled by gcc, 64-bit", true, "a snapshot of the source"},
		{"PostgreSQL 16beta1 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit", true, "a beta"},
		{"PostgreSQL 15.2, compiled by Visual C++ build 1914, 64-bit", true, "Windows"},
		{"PostgreSQL 15.4 (EnterpriseDB Advanced Server 15.4.0) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit", true, "one node, with these numbers"},
		{"PostgreSQL 13.11 (Debian 13.11-1.pgdg110+1) on x86_64-pc-linux-gnu, compiled by gcc, 64-bit", false, "too old"},
		{"PostgreSQL 9.6.24 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit", false, "too old"},
		{"PostgreSQL 11.2-YB-2.6.1.0-b0 on x86_64-pc-linux-gnu, compiled by gcc (Homebrew gcc 5.5.0_4) 5.5.0, 64-bit", false, "YugabyteDB"},
		{"PostgreSQL 15.12-YB-2.25.2.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit", false, "YugabyteDB on the code of a newer Postgres"},
		{"CockroachDB CCL v20.1.15 (x86_64-unknown-linux-gnu, built 2021/04/26 16:11:58, go1.13.9)", false, "CockroachDB"},
		{"CockroachDB CCL v24.3.5 (x86_64-pc-linux-gnu, built 2025/02/03 17:28:15, go1.22.8)", false, "CockroachDB"},
		{"PostgreSQL 9.4.26 (Greenplum Database 6.22.2-mdb+dev.29.g860c9e6512 build dev-oss) on x86_64-pc-linux-gnu, compiled by gcc-6", false, "Greenplum"},
		{"PostgreSQL 14.4 (Greenplum Database 7.0.0 build commit:abc) on x86_64", false, "a newer Greenplum"},
		{"PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2 20041017 (Red Hat 3.4.2-6.fc3), Redshift 1.0.12103", false, "Redshift"},
		{"PostgreSQL 13.14.0-RisingWave-1.7.0 (unknown)", false, "RisingWave"},
		{"", false, "no text"},
	} {
		a := answers{version: tc.version, encoding: "UTF8", numbers: sound}
		if err := a.judge(); (err == nil) != tc.fit || err != nil && (!errors.Is(err, errUnfit) || !errors.Is(err, graph.ErrRefused)) {
			t.Errorf("%q: %v, want fit %t: %s", tc.version, err, tc.fit, tc.reason)
		}
	}
	const text = "PostgreSQL 16 on x86_64"
	for _, tc := range []struct {
		edit   func(*answers)
		want   string // in the error, or "" if the server is fit
		reason string
	}{
		{func(*answers) {}, "", "one node"},
		{func(a *answers) { a.numbers.first, a.numbers.second, a.numbers.nextHigh = 15, 25, 20 }, "", "others begin and end meanwhile"},
		{func(a *answers) { a.worker = true }, "worker of Citus", "the coordinator has the numbers"},
		{func(a *answers) { a.spread = true }, "Citus distributes", "the workers have the numbers"},
		{func(a *answers) { a.encoding = "LATIN1" }, "UTF8", "the store keeps text byte by byte"},
		{func(a *answers) { a.numbers = numbers{} }, "no number", "the functions answer nothing"},
		{func(a *answers) { a.numbers.first = 9 }, "after a snapshot that ends with 10", "numbers come from several nodes"},
		{func(a *answers) { a.numbers.low = 11 }, "the oldest one", "snapshots do not show this transaction as running"},
		{func(a *answers) { a.numbers.secondLow = 13 }, "the oldest one", "the same of the second one"},
		{func(a *answers) { a.numbers.nextHigh = 10 }, "later snapshot ends with 10", "a commit does not show at once"},
		{func(a *answers) { a.numbers.second, a.numbers.secondLow = 10, 10 }, "follows transaction 10", "numbers do not rise"},
	} {
		a := answers{version: text, encoding: "UTF8", numbers: sound}
		tc.edit(&a)
		err := a.judge()
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %q: %s", a, err, tc.want, tc.reason)
		}
	}
}

// TestUnfitServerIsRefused: functions of the same names stand before those of the server, as an
// unfit server has them. Migrate and a program without Migrate name the missing property, and
// make no table.
func TestUnfitServerIsRefused(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	for _, tc := range []struct {
		fake, want, reason string
	}{
		{`version() RETURNS text LANGUAGE sql AS $$ SELECT 'PostgreSQL 11.2-YB-2.6.1.0-b0 on x86_64'::text $$`, "YB", "by its name"},
		{`pg_current_xact_id() RETURNS xid8 LANGUAGE sql AS $$ SELECT '5'::xid8 $$`, "order of the commits", "by its numbers"},
		{`pg_current_xact_id() RETURNS xid8 LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '42883'; END $$`, "order of the commits", "by a missing function"},
	} {
		fake := fmt.Sprintf("fake_%d", schemas.Add(1))
		if _, err := h.db.ExecContext(t.Context(), `CREATE SCHEMA `+fake+`; CREATE FUNCTION `+fake+`.`+tc.fake); err != nil {
			t.Fatal(err)
		}
		c, err := pgx.ParseConfig(server.DSN() + " options='-c search_path=" + fake + ",pg_catalog'")
		if err != nil {
			t.Fatal(err)
		}
		unfit := *d
		unfit.conf.Schema = fake
		s := unfit.storeOn(t, stdlib.GetConnector(*c))
		for name, call := range map[string]func(context.Context) error{
			"Migrate": s.Migrate,
			"Create":  func(ctx context.Context) error { _, err := s.Create(ctx, object("team", "", "a")); return err },
			"Watch":   func(ctx context.Context) error { return s.Watch(ctx, func([]graph.Event) error { return nil }) },
		} {
			if err := call(t.Context()); !errors.Is(err, errUnfit) || !errors.Is(err, graph.ErrRefused) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s on an unfit server: %v, want %q: %s", name, err, tc.want, tc.reason)
			}
		}
		var tables int
		if err := h.db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = $1`, fake).Scan(&tables); err != nil || tables > 0 {
			t.Errorf("the unfit server has %d tables, %v", tables, err)
		}
		if _, err := h.db.ExecContext(t.Context(), `DROP SCHEMA `+fake+` CASCADE`); err != nil {
			t.Error(err)
		}
	}
}
