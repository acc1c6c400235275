package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// fillLog puts n changes from long ago before those of the log, and returns the size of the log.
func (h *handle) fillLog(t *testing.T, n int) int64 {
	t.Helper()
	texts := []string{
		fmt.Sprintf(`INSERT INTO {log} (pos, mark, at, type, kind, uid, scope, name) WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x WHERE i < %d)
			SELECT i - %d, 1, 1, 0, 0, '', '', '' FROM x`, n, n),
	}
	if h.conf.Dialect == Postgres {
		texts = []string{fmt.Sprintf(`INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name)
			SELECT i - %d, i, 1, 1, 0, 0, '', '', '' FROM generate_series(1, %d) i`, n, n), fmt.Sprintf(`UPDATE {meta} SET floor = -%d`, n), `ANALYZE {log}`}
	}
	for _, text := range texts {
		if _, err := h.db.ExecContext(t.Context(), h.conf.names().Replace(text)); err != nil {
			t.Fatal(err)
		}
	}
	return h.logSize(t)
}

// compactions has the statements of the compaction, in their order.
func (d *database) compactions(t *testing.T, fail func(text string) error) (seen func() []string) {
	t.Helper()
	var mu sync.Mutex
	var list []string
	note := func(text string) error {
		if !strings.Contains(text, "og_log") || !strings.Contains(text, " at >= ") && !strings.Contains(text, "DELETE FROM") {
			return nil
		}
		mu.Lock()
		list = append(list, text)
		mu.Unlock()
		return fail(text)
	}
	d.faults.fail.Store(&note)
	t.Cleanup(func() { d.faults.fail.Store(nil) })
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

// TestCompactIsLinear checks that each transaction of the compaction deletes maxCut changes, and
// reads about as many: a plan without bounds read all that were left each time, and 1,000,000
// old changes took two minutes.
func TestCompactIsLinear(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.mustCreate(t, object("team", "", "a"))
		const old = 4*maxCut + 100
		h.fillLog(t, old)
		young := h.logSize(t) - old
		seen := d.compactions(t, func(string) error { return nil })
		eventually(t, "the old changes are cut", func() bool {
			return h.Compact(context.WithoutCancel(t.Context())) == nil && h.logSize(t) == young
		})
		cuts := 0
		for _, text := range seen() {
			if strings.Contains(text, "DELETE FROM") {
				cuts++
			}
		}
		if cuts != 5 {
			t.Errorf("%d transactions for %d changes, want 5", cuts, old)
		}
		if plan := h.planOfBounds(t); !strings.Contains(plan, "SEARCH og_log USING INTEGER PRIMARY KEY (rowid<?)") && !strings.Contains(plan, "Index Cond: (pos >= ") {
			t.Errorf("a transaction reads more than its part:\n%s", plan)
		}
	})
}

// planOfBounds returns the plan of the statement that looks for the young changes.
func (h *handle) planOfBounds(t *testing.T) (plan string) {
	t.Helper()
	text, args := "", []any(nil)
	switch tables := h.tables.(type) {
	case *sqliteTables:
		text, args = "EXPLAIN QUERY PLAN "+tables.text["bounds"], []any{1, maxCut}
	case *postgresTables:
		h.fillLog(t, 2*maxCut)
		text, args = "EXPLAIN "+tables.text["part"], []any{1, 1, maxCut}
	}
	rows, err := h.db.QueryContext(t.Context(), text, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		into := []any{&line}
		if h.conf.Dialect == SQLite {
			into = []any{new(int), new(int), new(int), &line}
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		plan += line + "\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestCompactBesideTheWatch checks that the compaction begins after the first listing, and that
// a watch goes on while the compaction hangs. It was a part of the loop of the watch before, so
// a program that started with an old log stood still for minutes.
func TestCompactBesideTheWatch(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.mustCreate(t, object("team", "", "a"))
		var ended atomic.Int64
		hangs, free := make(chan bool, 100), make(chan struct{})
		seen := d.compactions(t, func(string) error {
			hangs <- ended.Load() >= int64(len(kindsOfTests()))
			<-free
			return nil
		})
		ctx, stop := context.WithCancel(t.Context())
		passed, done := make(chan uint64, 100), make(chan error, 1)
		go func() {
			done <- h.Watch(ctx, func(batch []graph.Event) error {
				for _, e := range batch {
					switch {
					case e.Type == graph.ListEnded:
						ended.Add(1)
					case e.Type == graph.FencePassed && e.Kind == "":
						passed <- e.Fence
					}
				}
				return nil
			})
		}()
		if after := <-hangs; !after {
			t.Error("the compaction begins before the end of the first listing")
		}
		token, err := h.Fence(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for got := uint64(0); got != token; {
			got = <-passed // while the compaction hangs
		}
		if n := len(seen()); n != 1 {
			t.Errorf("%d statements of the compaction, want one that hangs", n)
		}
		stop()
		select {
		case err := <-done:
			t.Errorf("the watch leaves the compaction behind: %v", err)
		default:
		}
		close(free)
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the watch ends with %v", err)
		}
		if count, since, err := h.FailedCompactions(); count != 0 || !since.IsZero() || err != nil {
			t.Errorf("the end of the watch counts as a failure: %d since %v, %v", count, since, err)
		}
	})
}

// TestCompactionFails checks that a failed compaction is counted and has a line for each cause,
// and that the watch goes on. Its errors were dropped before, and the log grew in silence.
func TestCompactionFails(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		var log bytes.Buffer
		h := d.mustHandle(t, func(c *Config) {
			c.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		cause := errors.New("the disk is slow")
		failed := make(chan struct{}, 100)
		d.compactions(t, func(string) error {
			failed <- struct{}{}
			return cause
		})
		w := h.watch(t)
		<-failed
		w.until(t, "the watch goes on", func([]graph.Event) bool {
			count, _, _ := h.FailedCompactions()
			h.mu.Lock()
			defer h.mu.Unlock()
			return count == 1 && !h.cutting
		})
		for n, c := range []struct {
			cause  error
			lines  int
			reason string
		}{
			{cause, 1, "the cause is the same"},
			{errors.New("the disk is gone"), 2, "another cause"},
			{nil, 3, "it is over"},
			{nil, 3, "nothing is new"},
			{cause, 3, "the cause had a line in this minute"},
		} {
			cause = c.cause
			err := h.Compact(t.Context())
			count, since, last := h.FailedCompactions()
			if !errors.Is(err, c.cause) || !errors.Is(last, c.cause) || since.IsZero() != (c.cause == nil) || last == nil && c.cause != nil {
				t.Errorf("step %d: error %v, and %d failures since %v with %v: %s", n, err, count, since, last, c.reason)
			}
			if got := strings.Count(log.String(), "\n"); got != c.lines {
				t.Errorf("step %d: %d lines, want %d: %s\n%s", n, got, c.lines, c.reason, log.String())
			}
		}
		if count, _, _ := h.FailedCompactions(); count != 4 {
			t.Errorf("%d failures, want 4", count)
		}
	})
}
