package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// startBouncer starts Debian's pgbouncer before the server of the tests, and returns its DSN.
// It has few sessions of the server for many clients.
func startBouncer(t *testing.T, sessions int) (dsn string) {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			t.Fatalf("%v: install it with: apt-get install -y pgbouncer", err)
		}
	}
	dir, err := os.MkdirTemp("", "pgbouncer")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config := filepath.Join(dir, "ini")
	text := fmt.Sprintf("[databases]\n* = host=%s user=postgres\n[pgbouncer]\nunix_socket_dir=%s\nlisten_addr=\nauth_type=any\npool_mode=transaction\ndefault_pool_size=%d\nmax_client_conn=50\n",
		filepath.Dir(server.Socket()), dir, sessions)
	if err := errors.Join(os.WriteFile(config, []byte(text), 0o644), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	args := []string{config}
	if os.Geteuid() == 0 { // it refuses root
		args = []string{"-u", "postgres", config}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() }) // a kill is no error
	dsn = "host=" + dir + " port=6432 user=postgres dbname=postgres sslmode=disable"
	db, err := openPostgres(dsn, &faults{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	eventually(t, "pgbouncer answers", func() bool { return db.PingContext(t.Context()) == nil })
	return dsn
}

// through returns a store whose connections pass pgbouncer.
func (d *database) through(t *testing.T, dsn string) *handle {
	t.Helper()
	next := *d
	next.open = func(f *faults) (*sql.DB, error) { return openPostgres(dsn, f) }
	return next.withoutMigrate(t)
}

// TestBouncer: with pool_mode=transaction the statements of one client come to the sessions of
// others. The driver's default mode keeps prepared statements in a session. The server then
// refuses a statement of the next client. The error says that, and has the mode that works.
func TestBouncer(t *testing.T) {
	d := newPostgresDatabase(t)
	o := d.mustHandle(t, nil).mustCreate(t, object("team", "", "a"))
	dsn := startBouncer(t, 1)
	first := d.through(t, dsn)
	if _, err := first.Get(t.Context(), o.Key); err != nil {
		t.Fatal(err)
	}
	second := d.through(t, dsn)
	for name, call := range second.callsOf(o) {
		if strings.HasPrefix(name, "Tx.") { // in the transaction of a user nothing is asked before
			continue
		}
		if err := call(t.Context()); !errors.Is(err, errShared) || errors.Is(err, graph.ErrRefused) {
			t.Errorf("%s of a second client: %v, want an error with the cause", name, err)
		}
	}
	if now, err := first.Get(t.Context(), o.Key); err != nil || !now.Equal(o) {
		t.Errorf("after the calls %v, %v, want %v", now, err, o)
	}
}

// TestBouncerMode: with the mode of the error, the store works behind pgbouncer, with more
// clients than sessions.
func TestBouncerMode(t *testing.T) {
	d := newPostgresDatabase(t)
	d.mustHandle(t, nil)
	dsn := startBouncer(t, 2) + " default_query_exec_mode=exec"
	var watches []*watcher
	for range 3 {
		h := d.through(t, dsn)
		if err := h.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := h.watch(t)
		w.until(t, "the watch has listed", listed)
		watches = append(watches, w)
	}
	h := d.through(t, dsn)
	made := h.createMany(t, numbered(50))
	for i, o := range made[:20] {
		var err error
		switch i % 3 {
		case 0:
			err = h.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"})
		case 1:
			_, err = h.Label(t.Context(), o.Key, graph.Precondition{}, map[string]string{"a": "b"})
		case 2:
			err = h.Delete(t.Context(), o.Key, deletion(o).Options)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Batch(t.Context(), []graph.Write{deletion(made[30]), deletion(made[31])}); err != nil {
		t.Fatal(err)
	}
	want := h.contentOf(t)
	for _, w := range watches {
		w.until(t, "the watch knows the content", func(events []graph.Event) bool { return agree(replayed(events), want) })
	}
}
