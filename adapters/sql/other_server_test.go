package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/servers/postgres"
)

// toSecond is the key of a context whose calls lead to the second server.
type toSecond struct{}

// byContext leads each connection to the server that the context of its first call names.
type byContext struct{ *mixed }

func (b byContext) Connect(ctx context.Context) (driver.Conn, error) {
	n := 0
	if ctx.Value(toSecond{}) != nil {
		n = 1
	}
	return b.to[n].Connect(ctx)
}

// TestCallsOfOtherServer: a store has met one server, and the next call meets another one with a
// former dump of its rows. No call proves or writes anything there. Restored alone takes the server.
func TestCallsOfOtherServer(t *testing.T) {
	first, _, _, pool, o := twoServers(t)
	for _, name := range sortedNames(first.callsOf(o)) {
		if name == "Restored" {
			continue
		}
		pool.only.Store(1)
		s := first.d.storeOn(t, pool)
		if _, err := s.Get(t.Context(), o.Key); err != nil {
			t.Fatal(err)
		}
		pool.only.Store(2)
		if err := s.callsOf(o)[name](t.Context()); !errors.Is(err, errOtherServer) {
			t.Errorf("%s on the other server: %v", name, err)
		}
	}
}

// TestPageOfOtherServer: a page of a listing comes from another server than the look before. It
// lacks objects, and its end would prove their absence. So the page is an error. So is a page of a server
// with another start.
func TestPageOfOtherServer(t *testing.T) {
	first, _, _, pool, o := twoServers(t)
	s := first.d.storeOn(t, pool)
	if _, err := s.Get(t.Context(), o.Key); err != nil {
		t.Fatal(err)
	}
	start := s.kinds.Load().start
	if rows, err := s.readPage(t.Context(), start, 0, 0, nil); err != nil || len(rows) != 1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if rows, err := s.readPage(t.Context(), start+1, 0, 0, nil); !errors.Is(err, errOtherStart) || len(rows) > 0 {
		t.Errorf("a page after another start: %d rows, %v", len(rows), err)
	}
	pool.only.Store(2)
	if rows, err := s.readPage(t.Context(), start, 0, 0, nil); !errors.Is(err, errOtherServer) || len(rows) > 0 {
		t.Errorf("a page of the other server: %d rows, %v", len(rows), err)
	}
}

// TestFenceOfOtherServer: a fence meets another server, whose position is lower. It would pass
// before the watch has reported the commits before the call.
func TestFenceOfOtherServer(t *testing.T) {
	first, _, both, pool, _ := twoServers(t)
	s := both.d.storeOn(t, byContext{pool})
	first.mustCreate(t, object("team", "", "further"))
	w := s.watch(t)
	w.until(t, "listed", listed)
	if _, err := s.Fence(context.WithValue(t.Context(), toSecond{}, true)); !errors.Is(err, errOtherServer) {
		t.Errorf("the fence: %v", err)
	}
}

// TestFenceIsRenewed: a fence gets the present of a look of another server, and keeps its moment at the
// same one. A fence that began after the look's wishes waits for the next look.
func TestFenceIsRenewed(t *testing.T) {
	old, present := position{pos: 5}, position{pos: 9}
	fences := []fence{{1, old, 100}, {2, old, 200}}
	w := &watch{s: &Store{}}
	w.fences = append([]fence{}, append(fences, fence{3, old, 100})...)
	w.renew(&look{start: 200, present: present}, fences)
	want := []fence{{1, present, 200}, {2, old, 200}}
	if !slices.Equal(fences, want) || !slices.Equal(w.fences, append(want, fence{3, old, 100})) {
		t.Errorf("the fences are %v and %v", fences, w.fences)
	}
}

// TestRecordOfOtherServer: the record of a pause is not read or written on another server, or on a
// standby that lacks it. An absent record would end the pause.
func TestRecordOfOtherServer(t *testing.T) {
	first, second, _, pool, _ := twoServers(t)
	if _, err := first.WriteRecord(t.Context(), "pauses", []byte("paused"), ""); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(*handle) error{
		"read":  func(h *handle) error { _, err := h.ReadRecord(t.Context(), "pauses"); return err },
		"write": func(h *handle) error { _, err := h.WriteRecord(t.Context(), "pauses", nil, ""); return err },
	} {
		pool.only.Store(1)
		s := first.d.storeOn(t, pool)
		if r, err := s.ReadRecord(t.Context(), "pauses"); err != nil || string(r.Value) != "paused" {
			t.Fatalf("%q, %v", r.Value, err)
		}
		pool.only.Store(2)
		if err := call(s); !errors.Is(err, errOtherServer) { // the next call would take the other server
			t.Errorf("%s on the other server: %v", name, err)
		}
	}
	if _, err := second.ReadRecord(t.Context(), "pauses"); !errors.Is(err, graph.ErrNotFound) {
		t.Errorf("the other server has a record: %v", err)
	}
}

// TestRecordOnStandby: the same for a standby whose replay lags.
func TestRecordOnStandby(t *testing.T) {
	standby := startServer(t, postgres.Config{StandbyOf: server, Settings: []string{"max_connections=400", "max_prepared_transactions=20"}})
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	pool := newMixed(t, server.DSN(), standby.DSN())
	pool.only.Store(2)
	behind := d.storeOn(t, pool)
	eventually(t, "the standby has the tables", func() bool {
		var n int
		return behind.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT count(*) FROM {meta}`)).Scan(&n) == nil && n == 1
	})
	h.run(t, behind.db, `SELECT pg_wal_replay_pause()`)
	t.Cleanup(func() { _, _ = behind.db.Exec(`SELECT pg_wal_replay_resume()`) })
	if _, err := h.WriteRecord(t.Context(), "pauses", []byte("paused"), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := behind.ReadRecord(t.Context(), "pauses"); !errors.Is(err, errStandby) {
		t.Errorf("the first read: %v", err)
	}
	pool.only.Store(1)
	running := d.storeOn(t, pool)
	if _, err := running.ReadRecord(t.Context(), "pauses"); err != nil {
		t.Fatal(err)
	}
	pool.only.Store(2)
	if _, err := running.ReadRecord(t.Context(), "pauses"); !errors.Is(err, errStandby) {
		t.Errorf("a later read: %v", err)
	}
}
