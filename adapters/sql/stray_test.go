package sqlstore

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestStray: an epoch begins while a transaction of a program of an older version is open, with an old
// snapshot. Its object lies below the floor of the log, so no watch reads it there. The next
// compaction begins an epoch, and the watch lists the object. A compaction later finds none.
func TestStray(t *testing.T) {
	for _, level := range []sql.IsolationLevel{sql.LevelRepeatableRead, sql.LevelSerializable} {
		t.Run(level.String(), func(t *testing.T) {
			h := newPostgresDatabase(t).mustHandle(t, nil)
			w := h.watch(t)
			w.until(t, "listed", listed)
			tx := h.begin(t, level)
			h.run(t, tx, h.conf.names().Replace(`SELECT * FROM {meta}`)) // takes the snapshot
			if err := h.Restored(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.until(t, "rewound", func(events []graph.Event) bool { return count(events, graph.Rewound) == 1 })
			h.passes(t, w)
			if err := h.createAsOlder(t.Context(), tx, "stray"); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := h.Compact(t.Context()); err != nil {
					t.Fatal(err)
				}
				w.reports(t, "stray")
			}
			h.passes(t, w)
			events := w.reported()
			if n := count(events, graph.Rewound); n != 2 {
				t.Errorf("%d epochs, want the one of the restore and the one of the stray", n)
			}
			if n, _, err := h.FailedCompactions(); n > 0 {
				t.Errorf("%d compactions failed: %v", n, err)
			}
			var reason string
			if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT reason FROM {meta}`)).Scan(&reason); err != nil || !strings.Contains(reason, "old snapshot") {
				t.Errorf("the reason of the epoch is %q, %v", reason, err)
			}
		})
	}
}
