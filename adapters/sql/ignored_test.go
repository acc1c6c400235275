package sqlstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestIgnoredWrites: a trigger of the user ignores deletions and changes on SQLite. Each write is
// refused, nothing is reported, and the object is as it was.
func TestIgnoredWrites(t *testing.T) {
	h := newDatabases["sqlite"](t).mustHandle(t, nil)
	name := h.conf.names().Replace(`{#objects}`)
	for _, text := range []string{
		`CREATE TRIGGER keep BEFORE DELETE ON ` + name + ` WHEN OLD.name LIKE 'keep%' BEGIN SELECT RAISE(IGNORE); END`,
		`CREATE TRIGGER still BEFORE UPDATE ON ` + name + ` WHEN OLD.name LIKE 'keep%' BEGIN SELECT RAISE(IGNORE); END`,
	} {
		if _, err := h.db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	a, b, gone := h.mustCreate(t, object("team", "", "keep1")), h.mustCreate(t, object("team", "", "keep2")), h.mustCreate(t, object("team", "", "gone"))
	before := h.logSize(t)
	exact := func(o graph.Object) graph.DeleteOptions {
		return graph.DeleteOptions{Precondition: graph.Precondition{UID: o.UID, Version: o.Version}}
	}
	if err := h.Delete(t.Context(), a.Key, exact(a)); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("an ignored deletion: %v, want ErrRefused", err)
	}
	if err := h.Patch(t.Context(), a.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"}); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("an ignored change: %v, want ErrRefused", err)
	}
	writes := []graph.Write{
		{Type: graph.WriteDelete, Key: gone.Key, Options: exact(gone)}, {Type: graph.WriteDelete, Key: b.Key, Options: exact(b)},
	}
	if results, err := h.Batch(t.Context(), writes); !errors.Is(err, graph.ErrRefused) {
		t.Errorf("a batch with an ignored deletion: %v, %v, want ErrRefused", results, err)
	}
	for _, o := range []graph.Object{a, b, gone} {
		if now, err := h.Get(t.Context(), o.Key); err != nil || !now.Equal(o) {
			t.Errorf("%s is %v, %v; want it as it was", o.Key, now, err)
		}
	}
	if after := h.logSize(t); after != before {
		t.Errorf("%d changes in the log, want %d: nothing happened", after, before)
	}
}

// TestOneConnectionTaken: the user has the only connection of the pool. A write ends with
// its own context.
func TestOneConnectionTaken(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		o := h.mustCreate(t, object("team", "", "a"))
		o.Finalizers = []string{"x/y"}
		h.db.SetMaxOpenConns(1)
		taken, err := h.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := h.Update(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the end of the context", err)
		}
	})
}
