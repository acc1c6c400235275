package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// silent is a server that gives no answer: to no connection, or to no statement. With answers it
// has no rows.
type silent struct{ connects, answers bool }

func (s silent) Connect(ctx context.Context) (driver.Conn, error) {
	if s.connects {
		return silentConn{s.answers}, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (silent) Driver() driver.Driver { return nil }

type silentConn struct{ answers bool }

func (silentConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("test: no statements") }
func (silentConn) Begin() (driver.Tx, error)           { return nil, errors.New("test: no transactions") }
func (silentConn) Close() error                        { return nil }

func (c silentConn) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	if c.answers {
		return noRows{}, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

type noRows struct{}

func (noRows) Columns() []string         { return nil }
func (noRows) Close() error              { return nil }
func (noRows) Next([]driver.Value) error { return io.EOF }

// TestDeadlineBehindAsking: a watch, which has no deadline, asks a server that gives no answer. A
// call beside it ends at its own deadline. The watch ends, too, and its error names the cause. It
// is no exceeded limit: then the Collector would send the same writes in smaller batches.
func TestDeadlineBehindAsking(t *testing.T) {
	for _, tc := range []struct {
		server silent
		known  bool // the server was asked before, and two connections have not agreed since
		ends   time.Duration
		reason string
	}{
		{silent{}, false, askWithin, "no connection at the first use"},
		{silent{connects: true}, false, askWithin, "no answer at the first use"},
		{silent{}, true, agreeWithin, "no connection to agree"},
		{silent{connects: true}, true, askWithin, "no answer to agree"},
	} {
		synctest.Test(t, func(t *testing.T) {
			db := sql.OpenDB(tc.server)
			defer db.Close()
			s, err := New(db, Config{Dialect: Postgres, Kinds: kindsOfTests()})
			if err != nil {
				t.Fatal(err)
			}
			if tc.known {
				s.primary.fit.Store(true)
				s.primary.other.Store(-1)
			}
			began, ended := time.Now(), make(chan error, 1)
			go func() { ended <- s.Watch(t.Context(), func([]graph.Event) error { return nil }) }()
			synctest.Wait() // the watch asks
			const patience = 500 * time.Millisecond
			ctx, end := context.WithTimeout(t.Context(), patience)
			defer end()
			if _, err := s.Get(ctx, graph.Key{Kind: "team", Name: "a"}); !errors.Is(err, errNoAnswer) || errors.Is(err, context.DeadlineExceeded) || time.Since(began) != patience {
				t.Errorf("a call with a deadline of %s ends after %s: %v: %s", patience, time.Since(began), err, tc.reason)
			}
			if err := <-ended; !errors.Is(err, errNoAnswer) || errors.Is(err, context.DeadlineExceeded) || time.Since(began) != tc.ends {
				t.Errorf("the watch ends after %s: %v, want %s: %s", time.Since(began), err, tc.ends, tc.reason)
			}
		})
	}
}

// TestSlowRead: no transaction locks the tables, and a read of a watch exceeds its time. A slow
// database is no sick one, and the read ends in the end. A database that does not say who locks the
// tables may be out of reach, so each kind is sick.
func TestSlowRead(t *testing.T) {
	for _, tc := range []struct {
		server silent
		events []string
		ends   time.Duration
		reason string
	}{
		{silent{connects: true, answers: true}, nil, (1 + 2 + 3) * standAfter, "the database is slow"},
		{silent{connects: true}, []string{"kind-sick photo", "kind-sick team"}, (1+2+3)*standAfter + 2*describeWithin, "the database is silent"},
	} {
		synctest.Test(t, func(t *testing.T) {
			db := sql.OpenDB(tc.server)
			defer db.Close()
			s, err := New(db, Config{Dialect: Postgres, Kinds: kindsOfTests()})
			if err != nil {
				t.Fatal(err)
			}
			s.primary.fit.Store(true)
			var got []string
			sink := func(batch []graph.Event) error {
				for _, e := range batch {
					got = append(got, fmt.Sprint(e.Type, " ", e.Kind))
				}
				return nil
			}
			w := &watch{s: s, out: outbox{ctx: t.Context(), sink: sink}, kinds: map[graph.Kind]*watched{"team": {}, "photo": {}}}
			began := time.Now()
			err = w.await(t.Context(), func(ctx context.Context) error { return sleep(ctx, 3*standAfter) })
			if took := time.Since(began); err != nil || took != tc.ends {
				t.Errorf("the read ends after %s: %v, want %s: %s", took, err, tc.ends, tc.reason)
			}
			if !slices.Equal(got, tc.events) {
				t.Errorf("the watch reports %v, want %v: %s", got, tc.events, tc.reason)
			}
		})
	}
}
