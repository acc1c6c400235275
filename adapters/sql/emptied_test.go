package sqlstore

import (
	"errors"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// empty deletes every row of the log, as an operator does who wants space.
func (h *handle) empty(t *testing.T) {
	t.Helper()
	if _, err := h.db.ExecContext(t.Context(), h.conf.names().Replace(`DELETE FROM {log}`)); err != nil {
		t.Fatal(err)
	}
}

// TestLogEmptied checks that an emptied log costs one new epoch on each database, like a
// restore. On SQLite the last row of the log has the last number. Each write failed there with
// "another write came first", a deletion went by the watches, and Migrate gave versions again.
func TestLogEmptied(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		for _, c := range []struct {
			name string
			do   func(h *handle, o graph.Object) error
		}{
			{"Create", func(h *handle, _ graph.Object) error {
				_, err := h.Create(t.Context(), object("team", "", "new"))
				return err
			}},
			{"Patch", func(h *handle, o graph.Object) error {
				return h.Patch(t.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"})
			}},
			{"Delete", func(h *handle, o graph.Object) error {
				return h.Delete(t.Context(), o.Key, graph.DeleteOptions{})
			}},
			{"Batch", func(h *handle, o graph.Object) error {
				_, err := h.Batch(t.Context(), []graph.Write{deletion(o), deletion(graph.Object{Key: graph.Key{Kind: "team", Name: "never", UID: "never"}})})
				return err
			}},
			{"AddKind", func(h *handle, _ graph.Object) error {
				return h.AddKind(t.Context(), graph.KindInfo{Kind: "further"})
			}},
			{"Migrate", func(h *handle, _ graph.Object) error { return h.Migrate(t.Context()) }},
			{"Migrate of a new kind", func(h *handle, _ graph.Object) error {
				h.conf.Kinds = append(h.conf.Kinds, graph.KindInfo{Kind: "further"})
				return h.Migrate(t.Context())
			}},
			{"Watch", func(*handle, graph.Object) error { return nil }},
		} {
			for _, watched := range []bool{false, true} {
				h := newDatabases[d.name](t).mustHandle(t, nil)
				o, kept := h.mustCreate(t, object("team", "", "a")), h.mustCreate(t, object("team", "", "kept"))
				var w *watcher
				if watched {
					w = h.watch(t)
					w.until(t, "the objects are listed", func(events []graph.Event) bool { return agree(replayed(events), h.contentOf(t)) })
				}
				h.empty(t)
				if err := c.do(h, o); err != nil {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				later := h.mustCreate(t, object("team", "", "later"))
				for _, old := range []graph.Object{o, kept} {
					if h.CompareVersions("team", later.Version, old.Version) <= 0 {
						t.Errorf("%s: version %s comes after %s", c.name, later.Version, old.Version)
					}
				}
				if w == nil {
					w = h.watch(t)
				}
				w.until(t, c.name+": the watch knows the content, and a new epoch if it has seen the former one", func(events []graph.Event) bool {
					return agree(replayed(events), h.contentOf(t)) && (!watched || count(events, graph.Rewound) > 0)
				})
			}
		}
	})
}

// TestLogEmptiedInTransaction checks that a transaction of the user fails with the cause in its
// text, and that the next write of the store ends that.
func TestLogEmptiedInTransaction(t *testing.T) {
	h := newSQLiteDatabase(t).mustHandle(t, nil)
	h.empty(t)
	create := func() error {
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		_, err = h.Tx(tx).Create(t.Context(), object("team", "", "a"))
		return errors.Join(err, tx.Commit())
	}
	if err := create(); !errors.Is(err, errLogEmpty) {
		t.Errorf("Create in a transaction: %v", err)
	}
	h.mustCreate(t, object("team", "", "b"))
	if err := create(); err != nil {
		t.Errorf("Create in a transaction after a write: %v", err)
	}
}
