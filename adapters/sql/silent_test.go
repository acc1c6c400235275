package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// silent is a server that gives no answer: to no connection, or to no statement.
type silent struct{ connects bool }

func (s silent) Connect(ctx context.Context) (driver.Conn, error) {
	if s.connects {
		return silentConn{}, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (silent) Driver() driver.Driver { return nil }

type silentConn struct{}

func (silentConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("test: no statements") }
func (silentConn) Begin() (driver.Tx, error)           { return nil, errors.New("test: no transactions") }
func (silentConn) Close() error                        { return nil }

func (silentConn) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

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
			if _, err := s.Get(ctx, graph.Key{Kind: "team", Name: "a"}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != patience {
				t.Errorf("a call with a deadline of %s ends after %s: %v: %s", patience, time.Since(began), err, tc.reason)
			}
			if err := <-ended; !errors.Is(err, errNoAnswer) || errors.Is(err, context.DeadlineExceeded) || time.Since(began) != tc.ends {
				t.Errorf("the watch ends after %s: %v, want %s: %s", time.Since(began), err, tc.ends, tc.reason)
			}
		})
	}
}
