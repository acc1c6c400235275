package run_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/run"
)

// TestBatchPlaces: a batch has the writes in the order of their keys, and one for each place.
// Two incarnations of an object have one place, and go one after another.
func TestBatchPlaces(t *testing.T) {
	write := func(kind graph.Kind, name string, uid graph.UID) graph.Write {
		return graph.Write{Type: graph.WriteDelete, Key: graph.Key{Kind: kind, Name: name, UID: uid}}
	}
	for _, tc := range []struct {
		writes []graph.Write
		want   string
		reason string
	}{
		{[]graph.Write{write("p", "2", "u"), write("p", "1", "v"), write("o", "3", "w")},
			"[delete o/3@w delete p/1@v delete p/2@u] []", "sorted by key"},
		{[]graph.Write{write("p", "1", "v"), write("p", "1", "u"), write("p", "1", "w"), write("p", "2", "u")},
			"[delete p/1@u delete p/2@u] [0 2]", "the other incarnations of an object are no part"},
	} {
		var b run.Batch
		for range 2 { // the memory of a batch is used again
			var together []graph.Write
			var alone []int
			ended := map[int]int{}
			b.Set(len(tc.writes), func(at int) graph.Write { return tc.writes[at] })
			err := b.Make(t.Context(), run.NewBatches(100, time.Second), &run.BatchCalls{
				Timeout: time.Second, Name: func() string { return "batch" }, Revoked: func() bool { return false },
				Together: func(_ context.Context, writes []graph.Write) ([]error, error) {
					together = append(together, writes...)
					return make([]error, len(writes)), nil
				},
				Alone: func(_ context.Context, at int) error { alone = append(alone, at); return nil },
				End:   func(_ context.Context, at int, _ error) { ended[at]++ },
				Late:  func(int, error) { t.Error("late") },
			})
			if got := fmt.Sprint(together, " ", alone); err != nil || got != tc.want || len(ended) != len(tc.writes) {
				t.Errorf("%s, %v, %v, want %s: %s", got, err, ended, tc.want, tc.reason)
			}
		}
	}
}

// batchOf makes a batch of the objects 0 to n-1 on a store, and returns the results.
func batchOf(t *testing.T, n int, together func([]graph.Write) ([]error, error), alone func(at int) error) []string {
	t.Helper()
	var b run.Batch
	results := make([]string, n)
	b.Set(n, func(at int) graph.Write {
		return graph.Write{Type: graph.WriteDelete, Key: graph.Key{Kind: "p", Name: fmt.Sprintf("%04d", n-at), UID: graph.UID(fmt.Sprint(at))}}
	})
	x := run.NewBatches(n, time.Minute)
	for range 10 {
		x.End(x.Limit(), 1, nil)
	}
	_ = b.Make(t.Context(), x, &run.BatchCalls{
		Timeout: time.Second, Name: func() string { return "batch" }, Revoked: func() bool { return false },
		Together: func(_ context.Context, w []graph.Write) ([]error, error) { return together(w) },
		Alone:    func(_ context.Context, at int) error { return alone(at) },
		End:      func(_ context.Context, at int, err error) { results[at] += fmt.Sprint(err) },
		Late:     func(int, error) {},
	})
	return results
}

// TestBatchMakes: each write has one result, its own. The store refuses two of the writes, of
// which the batch says so. Another one meets a conflict.
func TestBatchMakes(t *testing.T) {
	refused := []graph.UID{"3", "6"}
	for _, c := range []struct {
		whole  bool
		reason string
	}{
		{true, "the store refuses a batch as a whole"},
		{false, "the store refuses the writes of a batch"},
	} {
		together := func(w []graph.Write) ([]error, error) {
			if !slices.IsSortedFunc(w, func(a, b graph.Write) int { return a.Key.Compare(b.Key) }) {
				t.Errorf("%v is not sorted: %s", w, c.reason)
			}
			list := make([]error, len(w))
			for i := range w {
				switch {
				case slices.Contains(refused, w[i].Key.UID) && c.whole:
					return nil, fmt.Errorf("batch: %w", graph.ErrRefused)
				case slices.Contains(refused, w[i].Key.UID):
					list[i] = graph.ErrRefused
				case w[i].Key.UID == "1":
					list[i] = graph.ErrConflict
				}
			}
			return list, nil
		}
		got := batchOf(t, 8, together, func(at int) error {
			if slices.Contains(refused, graph.UID(fmt.Sprint(at))) {
				return fmt.Errorf("no: %w", graph.ErrRefused)
			}
			if at == 1 {
				return graph.ErrConflict
			}
			return nil
		})
		if want := "[<nil> conflict <nil> no: refused <nil> <nil> no: refused <nil>]"; fmt.Sprint(got) != want {
			t.Errorf("%v, want %s: %s", got, want, c.reason)
		}
	}
	short := func(w []graph.Write) ([]error, error) { return make([]error, len(w)-1), nil }
	for _, got := range batchOf(t, 3, short, func(int) error { return nil }) {
		if got != "batch: the store gave 2 results for 3 writes" {
			t.Errorf("%q, and the results cannot be told apart", got)
		}
	}
}
