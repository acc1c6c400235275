package sqlstore

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// stands waits until every kind is sick, and returns the reason.
func (w *watcher) stands(t *testing.T) (reason string) {
	t.Helper()
	w.until(t, "sick", func(events []graph.Event) bool {
		sick := map[graph.Kind]bool{}
		for _, e := range events {
			if e.Type == graph.KindSick {
				sick[e.Kind], reason = true, e.Reason
			}
		}
		return len(sick) == len(kindsOfTests())
	})
	return reason
}

// TestStandingWatch: a fence waits for a transaction that wrote an object. Every kind is sick,
// the reason names the transaction, and the kinds recover with its end.
func TestStandingWatch(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	h.standAfter = 50 * time.Millisecond
	w := h.watch(t)
	w.until(t, "listed", listed)
	tx := h.begin(t, sql.LevelReadCommitted)
	h.run(t, tx, `SET LOCAL application_name = 'a "report"'`)
	if _, err := h.Tx(tx).Create(t.Context(), object("team", "", "early")); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(w.reported(), func(e graph.Event) bool { return e.Type == graph.KindSick }) {
		t.Error("a kind is sick, though nothing waits")
	}
	h.mustCreate(t, object("team", "", "late"))
	reason := w.stands(t)
	for _, part := range []string{"the watch waits for the end of transaction", "pid ", `application "a \"report\""`, "state idle in transaction", "open since 20"} {
		if !strings.Contains(reason, part) {
			t.Errorf("%q does not have %q", reason, part)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	events := w.until(t, "recovered", func(events []graph.Event) bool { return count(events, graph.KindRecovered) == len(kindsOfTests()) })
	if n := count(events, graph.KindSick); n != len(kindsOfTests()) {
		t.Errorf("the watch reported %d times that a kind is sick", n)
	}
	w.reports(t, "late")
}

// TestStandingPrepared: a watch that begins has to wait for a prepared transaction. Its
// listings do not end, and the reason names the transaction.
func TestStandingPrepared(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	h.standAfter = 50 * time.Millisecond
	tx := h.begin(t, sql.LevelReadCommitted)
	if _, err := h.Tx(tx).Create(t.Context(), object("team", "", "early")); err != nil {
		t.Fatal(err)
	}
	h.prepare(t, tx, "standing")
	h.mustCreate(t, object("team", "", "late"))
	w := h.watch(t)
	if reason := w.stands(t); !strings.Contains(reason, `prepared transaction "standing" of role postgres, open since 20`) {
		t.Errorf("the reason is %q", reason)
	}
	h.run(t, h.db, `COMMIT PREPARED 'standing'`)
	events := w.until(t, "listed", listed)
	w.reports(t, "early")
	end := slices.IndexFunc(events, func(e graph.Event) bool { return e.Type == graph.ListEnded })
	if i := slices.IndexFunc(events, func(e graph.Event) bool { return e.Type == graph.KindRecovered }); i >= 0 && i < end {
		t.Error("the kinds recovered before the end of their listings")
	}
}

// TestKindWhileStanding: a kind that is added while the watch stands still is sick, too.
func TestKindWhileStanding(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	h.standAfter = 50 * time.Millisecond
	w := h.watch(t)
	w.until(t, "listed", listed)
	tx := h.begin(t, sql.LevelReadCommitted)
	if _, err := h.Tx(tx).Create(t.Context(), object("team", "", "early")); err != nil {
		t.Fatal(err)
	}
	h.mustCreate(t, object("team", "", "late"))
	w.stands(t)
	if err := h.AddKind(t.Context(), graph.KindInfo{Kind: "added"}); err != nil {
		t.Fatal(err)
	}
	w.until(t, "the added kind is sick", func(events []graph.Event) bool {
		return slices.ContainsFunc(events, func(e graph.Event) bool { return e.Type == graph.KindSick && e.Kind == "added" })
	})
}
