package sqlstore

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// blockers lock a table as a transaction of a user or of the server does. They return the end of
// that.
var blockers = map[string]struct {
	lock  func(t *testing.T, h *handle, text string) (end func())
	parts []string // of the reason
}{
	"a transaction that does nothing, as an ALTER TABLE in a console": {
		func(t *testing.T, h *handle, text string) func() {
			tx := h.begin(t, sql.LevelReadCommitted)
			h.run(t, tx, `SET LOCAL application_name = 'a console'`)
			h.run(t, tx, text)
			return func() { _ = tx.Rollback() }
		}, []string{"which has the lock", "pid ", `application "a console"`, "state idle in transaction", "open since 20"},
	},
	"a prepared transaction": {
		func(t *testing.T, h *handle, text string) func() {
			tx := h.begin(t, sql.LevelReadCommitted)
			h.run(t, tx, text)
			h.prepare(t, tx, "blocking")
			return func() { h.run(t, h.db, `ROLLBACK PREPARED 'blocking'`) }
		}, []string{"which has the lock", `prepared transaction "blocking"`},
	},
	"a VACUUM FULL that waits for a long reader, and delays each later reader": {
		func(t *testing.T, h *handle, text string) func() {
			reader, waits := h.begin(t, sql.LevelReadCommitted), h.begin(t, sql.LevelReadCommitted)
			h.run(t, reader, strings.Replace(text, "ACCESS EXCLUSIVE", "ACCESS SHARE", 1))
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); _, _ = waits.ExecContext(ctx, text) }()
			return func() { cancel(); <-done; _ = waits.Rollback(); _ = reader.Rollback() }
		}, []string{"which waits for the lock", "pid "},
	},
}

// TestBlockedWatch: a transaction locks a table, so that a read of the watch waits. Each kind is
// sick, and the reason names the transaction. The watch has no connection meanwhile, so that one
// is enough for the question. The kinds recover with the end of the transaction, and the fence
// passes.
func TestBlockedWatch(t *testing.T) {
	for reason, by := range blockers {
		for table, list := range map[string]bool{"{log}": false, "{meta}": false, "{objects}": true} {
			t.Run(reason+" on "+table, func(t *testing.T) {
				d := newPostgresDatabase(t)
				other, h := d.mustHandle(t, nil), d.mustHandle(t, nil)
				h.db.SetMaxOpenConns(1)
				h.standAfter = 50 * time.Millisecond
				h.cut = time.Now() // no compaction takes the connection
				w := h.watch(t)
				w.until(t, "listed", listed)
				if list { // only a listing reads the objects
					if err := h.List(t.Context(), "team"); err != nil {
						t.Fatal(err)
					}
				}
				name := other.conf.names().Replace(table)
				end := by.lock(t, other, "LOCK TABLE "+name+" IN ACCESS EXCLUSIVE MODE")
				if list {
					eventually(t, "a listing waits", func() bool {
						return h.List(t.Context(), "team") == nil && count(w.reported(), graph.KindSick) > 0
					})
				}
				got := w.stands(t)
				for _, part := range append(by.parts, "of table", strings.Trim(name[strings.Index(name, ".")+1:], `"`)) {
					if !strings.Contains(got, part) {
						t.Errorf("%q does not have %q", got, part)
					}
				}
				end()
				w.until(t, "recovered", func(events []graph.Event) bool { return count(events, graph.KindRecovered) == len(kindsOfTests()) })
				h.passes(t, w)
			})
		}
	}
}
