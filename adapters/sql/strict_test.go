package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

func strict(c *Config) { c.Strict = true }

func refTo(o graph.Object) []graph.Owner { return []graph.Owner{{Key: o.Key}} }

// TestStrictReferences tries each way to write a reference, to each sort of owner.
func TestStrictReferences(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, strict)
		with := func(name string, p graph.Propagation) graph.Object {
			o := object("bucket", "one", name)
			o.Finalizers = []string{"x/y"}
			o = h.mustCreate(t, o)
			if p != graph.Unset {
				if err := h.Delete(t.Context(), o.Key, graph.DeleteOptions{Propagation: p}); err != nil {
					t.Fatal(err)
				}
			}
			return o
		}
		gone, moved := with("gone", graph.Unset), with("moved", graph.Unset)
		gone.UID, moved.Name = "never", "elsewhere"
		for _, tc := range []struct {
			name    string
			owner   graph.Object
			refused bool
			reason  string
		}{
			{"live", with("live", graph.Unset), false, "it exists"},
			{"background", with("background", graph.Background), false, "its dependents go after it"},
			{"foreground", with("foreground", graph.Foreground), true, "its set of dependents only shrinks"},
			{"orphan", with("orphan", graph.Orphan), true, "its set of dependents only shrinks"},
			{"gone", gone, true, "there is no such UID"},
			{"moved", moved, true, "the UID has other coordinates"},
			{"outside", object("unknown", "", "x"), false, "a kind outside of the store is unresolved"},
		} {
			if tc.name == "outside" {
				tc.owner.UID = "some"
			}
			for how, err := range h.refer(t, tc.name, tc.owner) {
				if errors.Is(err, graph.ErrRefused) != tc.refused || err != nil && !tc.refused {
					t.Errorf("%s to %s: %v, want refused: %t: %s", how, tc.name, err, tc.refused, tc.reason)
				}
			}
		}
	})
}

// refer writes a reference in every way, and returns the errors.
func (h *handle) refer(t *testing.T, name string, owner graph.Object) map[string]error {
	t.Helper()
	ctx := t.Context()
	dep := func(how string) graph.Object { return object("photo", "one", name+"-"+how) }
	created := dep("create")
	created.Owners = refTo(owner)
	_, createErr := h.Create(ctx, created)
	updated, patched := h.mustCreate(t, dep("update")), h.mustCreate(t, dep("patch"))
	_, updateErr := h.Update(ctx, graph.Object{Key: updated.Key, Owners: refTo(owner)})
	add := graph.Change{AddOwner: &refTo(owner)[0]}
	patchErr := h.Patch(ctx, patched.Key, graph.Precondition{}, add)
	batched := h.mustCreate(t, dep("batch"))
	results, batchErr := h.Batch(ctx, []graph.Write{{Type: graph.WritePatch, Key: batched.Key, Change: add}})
	if batchErr == nil {
		batchErr = results[0]
	}
	tx, err := h.db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	inTx := dep("tx")
	inTx.Owners = refTo(owner)
	_, txErr := h.Tx(tx).Create(ctx, inTx)
	inTx.Name += "-all"
	_, allErr := h.Tx(tx).CreateAll(ctx, []graph.Object{inTx})
	_ = tx.Rollback()
	return map[string]error{"create": createErr, "update": updateErr, "patch": patchErr, "batch": batchErr, "tx": txErr, "all": allErr}
}

// TestStrictKeepsOldReferences lets a write keep a reference, and stop its blocking, after
// the owner got a mark.
func TestStrictKeepsOldReferences(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, strict)
		owner := h.mustCreate(t, object("bucket", "one", "b"))
		dep := object("photo", "one", "p")
		dep.Owners = []graph.Owner{{Key: owner.Key, Block: true}}
		dep = h.mustCreate(t, dep)
		if err := h.Delete(t.Context(), owner.Key, graph.DeleteOptions{Propagation: graph.Foreground}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Update(t.Context(), graph.Object{Key: dep.Key, Owners: dep.Owners, Finalizers: []string{"x/y"}}); err != nil {
			t.Errorf("an update that keeps the reference: %v", err)
		}
		if err := h.Patch(t.Context(), dep.Key, graph.Precondition{}, graph.Change{Unblock: dep.Owners}); err != nil {
			t.Errorf("a patch that unblocks: %v", err)
		}
		again := graph.Object{Key: dep.Key, Owners: dep.Owners}
		if _, err := h.Update(t.Context(), again); !errors.Is(err, graph.ErrRefused) {
			t.Errorf("an update that blocks again: %v, want ErrRefused", err)
		}
	})
}

// TestWriteSkew has two transactions on Postgres: one writes a reference, the other sets the
// mark of the owner. The first one makes the other one wait, and decide anew.
func TestWriteSkew(t *testing.T) {
	h := newPostgresDatabase(t).mustHandle(t, strict)
	for _, markFirst := range []bool{false, true} {
		owner := h.mustCreate(t, object("bucket", "one", fmt.Sprint("b", markFirst)))
		dep := object("photo", "one", fmt.Sprint("p", markFirst))
		dep.Owners = refTo(owner)
		tx, err := h.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		refer := func(ctx context.Context, create func(context.Context, graph.Object) (graph.Object, error)) error {
			_, err := create(ctx, dep)
			return err
		}
		mark := graph.DeleteOptions{Propagation: graph.Foreground}
		second := make(chan error, 1)
		if markFirst {
			err = h.Tx(tx).Delete(t.Context(), owner.Key, mark)
			go func() { second <- refer(t.Context(), h.Create) }()
		} else {
			err = refer(t.Context(), h.Tx(tx).Create)
			go func() { second <- h.Delete(t.Context(), owner.Key, mark) }()
		}
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the second one waits for a lock", func() bool {
			var n int
			err := h.db.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted`).Scan(&n)
			return err == nil && n > 0
		})
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		switch err := <-second; {
		case markFirst && !errors.Is(err, graph.ErrRefused):
			t.Errorf("a reference after the mark: %v, want ErrRefused", err)
		case !markFirst && err != nil:
			t.Errorf("a mark after the reference: %v", err)
		}
	}
}

// TestStrictShrinks: many writers refer to owners that others mark. Each owner has no more
// dependents in the end than right after its mark.
func TestStrictShrinks(t *testing.T) {
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, strict)
		for round := range 15 {
			owner := h.mustCreate(t, object("bucket", "one", fmt.Sprint(round)))
			var group sync.WaitGroup
			for i := range 4 {
				group.Go(func() {
					dep := object("photo", "one", fmt.Sprint(round, "-", i))
					dep.Owners = refTo(owner)
					if _, err := h.Create(t.Context(), dep); err != nil && !errors.Is(err, graph.ErrRefused) {
						t.Errorf("create: %v", err)
					}
				})
			}
			var before int
			group.Go(func() {
				if err := h.Delete(t.Context(), owner.Key, graph.DeleteOptions{Propagation: graph.Orphan}); err != nil {
					t.Errorf("delete: %v", err)
				}
				before = h.dependents(t, owner)
			})
			group.Wait()
			if after := h.dependents(t, owner); after > before {
				t.Fatalf("round %d: %d dependents after the mark, and %d later", round, before, after)
			}
		}
	})
}

func (h *handle) dependents(t *testing.T, owner graph.Object) (n int) {
	text := h.conf.names().Replace(`SELECT count(*) FROM {owners} WHERE owner = '` + string(owner.UID) + `'`)
	if err := h.db.QueryRowContext(t.Context(), text).Scan(&n); err != nil {
		t.Error(err)
	}
	return n
}
