package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// late is a store of level 1 whose watch reports one kind later than the others.
type late struct {
	ownergraph.Store
	kind graph.Kind
	sick bool
}

func (s late) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	begun := time.Now()
	return s.Store.Watch(ctx, func(batch []graph.Event) error {
		var now, later []graph.Event
		for _, e := range batch {
			if e.Of() == s.kind && time.Since(begun) < time.Minute {
				later = append(later, e)
			} else {
				now = append(now, e)
			}
		}
		if s.sick && len(later) > 0 {
			now = append(now, graph.Event{Type: graph.KindSick, Kind: s.kind, Reason: "no answer"})
			later = append([]graph.Event{{Type: graph.KindRecovered, Kind: s.kind}}, later...)
		}
		if err := sink(now); err != nil || len(later) == 0 {
			return err
		}
		select {
		case <-time.After(time.Minute):
			return sink(later)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// TestLateKind: at level 1 an orphan deletion waits for the listing of each kind. Its owner would
// otherwise go before the watch has shown a dependent, and the dependent would be garbage.
func TestLateKind(t *testing.T) {
	for _, sick := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			objects, err := graph.Parse("team/gold~[orphan]; repo/app -> team/gold")
			if err != nil {
				t.Fatal(err)
			}
			store, err := memory.New(memory.Config{Objects: objects})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), time.Hour)
			defer stop()
			_ = collect(ctx, late{store, "repo", sick}, func(graph.Key, policy.Decision) {})
			left := store.Objects()
			if len(left) != 1 || left[0].Name != "app" || len(left[0].Owners) > 0 {
				t.Errorf("sick %v: left are %v, want repo/app without owners", sick, left)
			}
		})
	}
}
