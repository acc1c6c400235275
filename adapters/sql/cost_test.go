package sqlstore

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// statementsOf counts the statements of a call, beside BEGIN and COMMIT.
func (h *handle) statementsOf(t *testing.T, call func() error) (n int64) {
	t.Helper()
	var count atomic.Int64
	ask := func(text string) error {
		if text != "" && text != "COMMIT" && text != "NEXT" {
			count.Add(1)
		}
		return nil
	}
	h.d.faults.fail.Store(&ask)
	defer h.d.faults.fail.Store(nil)
	if err := call(); err != nil {
		t.Fatal(err)
	}
	return count.Load()
}

// TestStatementsOfWrites: the version of the tables, the server and its recovery are a part of
// the statements that write. So the checks cost no round trip.
func TestStatementsOfWrites(t *testing.T) {
	want := map[string][4]int64{"postgres": {1, 2, 1, 1}, "sqlite": {4, 4, 4, 6}}
	onEach(t, func(t *testing.T, d *database) {
		h := d.mustHandle(t, nil)
		h.mustCreate(t, object("team", "", "first")) // it reads the kinds
		var a, b, c graph.Object
		got := [4]int64{
			h.statementsOf(t, func() (err error) { a, err = h.Create(t.Context(), object("team", "", "a")); return err }),
			h.statementsOf(t, func() error {
				return h.Patch(t.Context(), a.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"})
			}),
		}
		b, c = h.mustCreate(t, object("team", "", "b")), h.mustCreate(t, object("team", "", "c"))
		last := h.mustCreate(t, object("team", "", "last"))
		got[2] = h.statementsOf(t, func() error { return h.Delete(t.Context(), b.Key, deletion(b).Options) })
		got[3] = h.statementsOf(t, func() error {
			_, err := h.Batch(t.Context(), []graph.Write{deletion(c), deletion(last)})
			return err
		})
		if got != want[h.d.name] {
			t.Errorf("create, patch, delete and batch take %d statements, want %d", got, want[h.d.name])
		}
	})
}

// BenchmarkWrites reports the allocations of a write.
func BenchmarkWrites(b *testing.B) {
	for _, name := range sortedNames(newDatabases) {
		h := newDatabases[name](b).mustHandle(b, nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				o, err := h.Create(b.Context(), object("team", "", fmt.Sprint(b.N, "-", i)))
				if err != nil {
					b.Fatal(err)
				}
				if err := h.Patch(b.Context(), o.Key, graph.Precondition{}, graph.Change{AddFinalizer: "x/y"}); err != nil {
					b.Fatal(err)
				}
				if err := h.Patch(b.Context(), o.Key, graph.Precondition{}, graph.Change{DropFinalizer: "x/y"}); err != nil {
					b.Fatal(err)
				}
				if err := h.Delete(b.Context(), o.Key, deletion(o).Options); err == nil {
					b.Fatal("the version is an old one")
				}
			}
		})
	}
}
