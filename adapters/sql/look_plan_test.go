package sqlstore

import (
	"strings"
	"testing"
)

// TestLookPlan: a look reads the log by its index alone, also without statistics. With EXISTS Postgres read the whole log at
// each look that found no later change.
func TestLookPlan(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, nil)
	h.run(t, h.db, h.conf.names().Replace(`INSERT INTO {log} (pos, seq, mark, at, type, kind, uid, scope, name)
		SELECT -i, i, 1, 1, 0, 0, '', '', '' FROM generate_series(1, 5000) i`))
	text := h.tables.(*postgresTables).textOf("look")
	if plan := h.plan(t, h.db, `EXPLAIN `+text, 1, 1, 1, 1, 1000, 1<<40, 1); strings.Contains(plan, "Seq Scan on og_log") {
		t.Errorf("the plan is\n%s", plan)
	}
}
