package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// state and code are errors as drivers make them.
type state string

func (s state) Error() string    { return "test: state " + string(s) }
func (s state) SQLState() string { return string(s) }

type code int

func (c code) Error() string { return "test: code" }
func (c code) Code() int     { return int(c) }

// TestAnswers checks the meaning of each class of errors. Only an answer of the server that
// says "not done" is definite.
func TestAnswers(t *testing.T) {
	for _, tc := range []struct {
		err    error
		want   answer
		reason string
	}{
		{nil, answerUnset, "no error"},
		{io.ErrUnexpectedEOF, answerUnset, "the wire"},
		{state("40001"), answerRetry, "a serialization failure"},
		{state("40P01"), answerRetry, "a deadlock"},
		{state("40003"), answerUnset, "the server says that it does not know"},
		{state("08006"), answerUnset, "a connection failure"},
		{state("57P01"), answerUnset, "a shutdown may come behind the commit"},
		{state("58030"), answerUnset, "an error of the disk"},
		{state("XX000"), answerUnset, "an error inside of the server"},
		{state("25006"), answerLater, "a read-only period"},
		{state("53100"), answerLater, "the disk is full"},
		{state("57014"), answerLate, "a statement timeout"},
		{state("55P03"), answerLate, "a lock timeout"},
		{state("25P04"), answerLate, "a transaction timeout"},
		{state("23503"), answerRefused, "a foreign key"},
		{state("23001"), answerRefused, "a restriction"},
		{state("42501"), answerRefused, "a missing right"},
		{state("P0001"), answerRefused, "a trigger"},
		{state("54000"), answerRefused, "a limit of the server"},
		{state(""), answerUnset, "no code"},
		{code(5), answerRetry, "busy"},
		{code(517), answerRetry, "busy, another snapshot"},
		{code(6), answerRetry, "locked"},
		{code(8), answerLater, "read-only"},
		{code(13), answerLater, "full"},
		{code(10), answerUnset, "an error of the disk"},
		{code(11), answerUnset, "a malformed file"},
		{code(787), answerRefused, "a foreign key"},
		{code(1811), answerRefused, "a trigger"},
		{code(18), answerRefused, "too large"},
	} {
		if got := answerOf(tc.err); got != tc.want {
			t.Errorf("answerOf(%v): %d, want %d: %s", tc.err, got, tc.want, tc.reason)
		}
	}
	for _, tc := range []struct {
		err    error
		want   bool
		reason string
	}{
		{io.EOF, true, "no answer"}, {code(13), true, "a part may be on the disk"}, {code(5), false, "SQLite has rolled back"},
		{state("40001"), false, "aborted at the commit"}, {state("23503"), false, "a deferred foreign key"},
		{state("25006"), false, "nothing was written"}, {state("57P01"), true, "a shutdown behind the commit"},
	} {
		if got := (&errCommit{tc.err}).isUnknown(); got != tc.want {
			t.Errorf("a commit with %v is unknown: %t, want %t: %s", tc.err, got, tc.want, tc.reason)
		}
	}
}

// TestRetriesAreBounded: the database aborts every transaction. After a bounded number of tries the
// error says that nothing is done. A database that stops aborting is not noticed.
func TestRetriesAreBounded(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, func(c *Config) { c.RetryLimit = 3 })
		o, other := h.mustCreate(t, object("team", "", "a")), h.mustCreate(t, object("team", "", "b"))
		var tries, from atomic.Int64
		abort := func(text string) error {
			if !writes.MatchString(text) || tries.Add(1) <= from.Load() {
				return nil
			}
			if d.conf.Dialect == SQLite {
				return code(5)
			}
			return state("40001")
		}
		d.faults.fail.Store(&abort)
		defer d.faults.fail.Store(nil)
		calls := map[string]func() error{
			"Delete": func() error { return h.Delete(t.Context(), o.Key, graph.DeleteOptions{}) },
			"Patch": func() error {
				return h.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"})
			},
			"Batch": func() error { _, err := h.Batch(t.Context(), []graph.Write{deletion(o), deletion(other)}); return err },
		}
		for _, name := range sortedNames(calls) {
			tries.Store(0)
			err := calls[name]()
			var later interface{ RetryAfter() time.Duration }
			if !errors.As(err, &later) || later.RetryAfter() <= 0 || tries.Load() != 4 {
				t.Errorf("%s: %v after %d tries, want a RetryAfter after 4", name, err, tries.Load())
			}
		}
		from.Store(-2) // the first two tries fail
		tries.Store(0)
		twice := func(text string) error {
			if writes.MatchString(text) && tries.Add(1) <= 2 {
				return state("40P01")
			}
			return nil
		}
		d.faults.fail.Store(&twice)
		if err := calls["Patch"](); err != nil {
			t.Errorf("Patch after two deadlocks: %v", err)
		}
	})
}

// lostCommits is a proxy before Postgres. It passes everything on, and cuts a connection
// when the answer of a commit comes back.
type lostCommits struct {
	listener net.Listener
	to       string
	cutting  atomic.Bool
	cuts     atomic.Int64
	group    sync.WaitGroup
}

func newLostCommits(t *testing.T) (p *lostCommits, dsn string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "proxy")
	if err != nil {
		t.Fatal(err)
	}
	p = &lostCommits{to: server.Socket()}
	if p.listener, err = net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432")); err != nil {
		t.Fatal(err)
	}
	p.group.Go(p.serve)
	t.Cleanup(func() {
		_ = p.listener.Close()
		p.group.Wait()
		_ = os.RemoveAll(dir)
	})
	return p, "host=" + dir + " user=postgres dbname=postgres sslmode=disable"
}

func (p *lostCommits) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		backend, err := net.Dial("unix", p.to)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.group.Go(func() { _, _ = io.Copy(backend, client); _ = backend.Close() })
		p.group.Go(func() { p.answer(client, backend) })
	}
}

// answer passes answers on. The answer to a commit, or to a statement that is its own
// commit, ends with "ready, and in no transaction".
func (p *lostCommits) answer(client, backend net.Conn) {
	defer client.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := backend.Read(buffer)
		if err != nil {
			return
		}
		if end := string(buffer[max(0, n-6):n]); p.cutting.Load() && end == "Z\x00\x00\x00\x05I" {
			p.cuts.Add(1)
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// TestLostCommit cuts the connection when the answer of the commit comes back. The write is
// done, and its error is no answer. It is neither "not found" nor "not begun".
func TestLostCommit(t *testing.T) {
	d := newPostgresDatabase(t)
	h := d.mustHandle(t, nil)
	proxy, dsn := newLostCommits(t)
	through := *d
	through.open = func(f *faults) (*sql.DB, error) { return openPostgres(dsn, f) }
	cut := through.mustHandle(t, nil)
	for range 5 {
		a, b, c := h.mustCreate(t, object("team", "", "a")), h.mustCreate(t, object("team", "", "b")), h.mustCreate(t, object("team", "", "c"))
		for name, write := range map[string]func(ctx context.Context) error{
			"Delete": func(ctx context.Context) error { return cut.Delete(ctx, a.Key, deletion(a).Options) },
			"Batch": func(ctx context.Context) error {
				_, err := cut.Batch(ctx, []graph.Write{deletion(b), deletion(c)})
				return err
			},
		} {
			proxy.cutting.Store(true)
			err := write(t.Context())
			proxy.cutting.Store(false)
			for _, is := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrRefused, graph.ErrKindUnknown} {
				if err == nil || errors.Is(err, is) || retryAfter(err) {
					t.Errorf("%s whose answer is lost: %v, want an error without a meaning", name, err)
				}
			}
		}
		for _, o := range h.contentOf(t) {
			if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if proxy.cuts.Load() < 10 {
		t.Errorf("the proxy has cut %d answers, want 10", proxy.cuts.Load())
	}
}
