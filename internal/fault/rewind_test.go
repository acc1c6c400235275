package fault_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/fault"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestRewindKeepsItsEpoch checks a fault that restarts the watch. The watch
// announces the former restore again, by the same epoch. With another epoch, an
// engine would take it for another restore.
func TestRewindKeepsItsEpoch(t *testing.T) {
	in(t, func(t *testing.T) {
		r := onto(t, "compact@9", "", fault.Config{Compact: func(context.Context) error { return nil }})
		tp := r.watch()
		if err := r.memory.Inside(inside.Key{}).Restore(r.memory.Inside(inside.Key{}).Snapshot()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r.create("x1")
		synctest.Wait()
		r.fired(fault.Compact, 1)
		if got, want := tp.epochs(), []string{"new-restore-1", "new-restore-1"}; !slices.Equal(got, want) {
			t.Errorf("epochs %q, want %q", got, want)
		}
		if got, want := r.watch().epochs(), []string{"new-restore-1"}; !slices.Equal(got, want) {
			t.Errorf("epochs of a watch that joins %q, want %q", got, want)
		}
	})
}

// epochs returns the epochs of the reported rewinds.
func (tp *tape) epochs() (out []string) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	for _, ev := range tp.events {
		if ev.Type == graph.Rewound {
			out = append(out, ev.Epoch)
		}
	}
	return out
}
