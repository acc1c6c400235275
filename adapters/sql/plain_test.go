package sqlstore

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestPlainDeleteWaits: a deletion without a version waits for a transaction that adds a reference
// to its object, or removes one. It removes all references with the object then: those that its
// statement has not seen were left in the table of references.
func TestPlainDeleteWaits(t *testing.T) {
	for _, c := range []struct {
		before, after []string // the owners of the object
		reason        string
	}{
		{nil, []string{"a"}, "a reference is added"},
		{[]string{"a"}, nil, "the reference is removed"},
		{[]string{"a"}, []string{"b"}, "another reference takes its place"},
	} {
		h := newPostgresDatabase(t).mustHandle(t, nil)
		owners := map[string]graph.Object{"a": h.mustCreate(t, object("team", "", "a")), "b": h.mustCreate(t, object("team", "", "b"))}
		refer := func(o graph.Object, names []string) graph.Object {
			o.Owners = nil
			for _, name := range names {
				o.Owners = append(o.Owners, graph.Owner{Key: owners[name].Key})
			}
			return o
		}
		o := h.mustCreate(t, refer(object("team", "", "o"), c.before))
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tx.Rollback() })
		if _, err := h.Tx(tx).Update(t.Context(), refer(o, c.after)); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- h.Delete(t.Context(), o.Key, graph.DeleteOptions{}) }()
		eventually(t, "the deletion waits for the lock", func() bool {
			var n int
			err := h.db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted`).Scan(&n)
			return err == nil && n > 0
		})
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: the deletion: %v", c.reason, err)
		}
		var left int
		if err := h.db.QueryRowContext(t.Context(), h.conf.names().Replace(`SELECT count(*) FROM {owners} WHERE uid = $1`), string(o.Key.UID)).Scan(&left); err != nil || left > 0 {
			t.Errorf("%s: %d references are left without the object, %v", c.reason, left, err)
		}
		if _, err := h.Get(t.Context(), o.Key); err == nil {
			t.Errorf("%s: the object is there", c.reason)
		}
	}
}
