package memory

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func erase(t *testing.T, text string, pre graph.Precondition, p graph.Propagation) graph.Write {
	return graph.Write{Type: graph.WriteDelete, Key: key(t, text), Options: graph.DeleteOptions{Precondition: pre, Propagation: p}}
}

func patch(t *testing.T, text string, pre graph.Precondition, c graph.Change) graph.Write {
	return graph.Write{Type: graph.WritePatch, Key: key(t, text), Precondition: pre, Change: c}
}

// TestBatchWrites: each write of a batch has the effect and the error that it has alone,
// beside writes that fail in every way. The watch reports all changes in order.
func TestBatchWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, "node/a@a#1; node/b@b#2[x]; node/c@c#3; node/d@d#4~[x]; node/e@e#5; node/f@f#6~[x]", 0)
		r := record(t, s)
		r.wants(t, "kinds node pod", "list node", "put node/a@a#1", "put node/b@b#2[x]", "put node/c@c#3", "put node/d@d#4~[x]",
			"put node/e@e#5", "put node/f@f#6~[x]", "ended node 6", "list pod", "ended pod 6")
		none, zero := graph.Precondition{}, int64(0)
		writes := []graph.Write{
			erase(t, "node/a", graph.Precondition{UID: "a", Version: "1"}, graph.Background),
			erase(t, "node/b", none, graph.Foreground),
			erase(t, "node/c", graph.Precondition{Version: "1"}, graph.Background),
			patch(t, "node/d", none, graph.Change{DropFinalizer: "x"}),
			patch(t, "node/e", graph.Precondition{UID: "e"}, graph.Change{AddOwner: &graph.Owner{Key: graph.Key{Kind: "node", Name: "m", UID: "m"}, Block: true}}),
			patch(t, "node/f", none, graph.Change{AddFinalizer: "y"}),
			erase(t, "node/g", none, graph.Background),
			erase(t, "other/h", none, graph.Background),
			{Key: key(t, "pod/x/i")},
		}
		writes[1].Options.GraceSeconds = &zero
		results, err := s.Batch(t.Context(), writes)
		if err != nil {
			t.Fatal(err)
		}
		writes[4].Change.AddOwner.UID, zero = "spoilt", 30
		clear(writes) // the store keeps no reference to them
		for i, want := range []struct {
			is     error
			reason string
		}{
			{nil, "its precondition is met"}, {nil, "it marks"}, {graph.ErrConflict, "a former version"}, {nil, "the last finalizer of a marked object"},
			{nil, "a new owner"}, {graph.ErrRefused, "a marked object takes no finalizer"}, {graph.ErrNotFound, "nothing is there"},
			{graph.ErrKindUnknown, "the kind is not served"}, {graph.ErrRefused, "a write without a type"},
		} {
			for _, e := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrKindUnknown, graph.ErrRefused} {
				if got := errors.Is(results[i], e); got != (e == want.is) || (results[i] == nil) != (want.is == nil) {
					t.Errorf("result %d: %v, want %v: %s", i, results[i], want.is, want.reason)
				}
			}
		}
		equals(t, s, "node/b@b#8~[x,foreground]; node/c@c#3; node/e@e#10 -> node/m@m!; node/f@f#6~[x]")
		r.wants(t, "gone node/a@a", "put node/b@b#8~[x,foreground]", "gone node/d@d", "put node/e@e#10 -> node/m@m!")
	})
}

// TestBatchWritesNothing: a batch that the store does not begin has an error, and changes
// nothing.
func TestBatchWritesNothing(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		writes int
		want   error
		reason string
	}{
		{ended, 1, context.Canceled, "the context has ended"},
		{t.Context(), maxWrites + 1, graph.ErrRefused, "more writes than one batch may have"},
		{t.Context(), maxWrites, nil, "the most writes"},
		{t.Context(), 0, nil, "no write"},
	} {
		s := newStore(t, nodes(maxWrites+1), 0)
		var writes []graph.Write
		for _, o := range s.Objects()[:c.writes] {
			writes = append(writes, graph.Write{Type: graph.WriteDelete, Key: o.Key})
		}
		results, err := s.Batch(t.Context(), nil)
		if err != nil || len(results) > 0 {
			t.Errorf("an empty batch: %v, %v", results, err)
		}
		results, err = s.Batch(c.ctx, writes)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%d writes: %v, want %v: %s", c.writes, err, c.want, c.reason)
		}
		done := 0
		if c.want == nil {
			done = c.writes
		}
		if n := len(s.Objects()); n != maxWrites+1-done || len(results) != done {
			t.Errorf("%d writes: %d objects are left, with %d results: %s", c.writes, n, len(results), c.reason)
		}
		if slices.ContainsFunc(results, func(err error) bool { return err != nil }) {
			t.Errorf("%d writes: %v: %s", c.writes, errors.Join(results...), c.reason)
		}
	}
}

// TestEmbeddedStoreTakesNoBatches: a type that embeds the store may have a Delete of its own.
// Batches would pass by it, so it takes none.
func TestEmbeddedStoreTakesNoBatches(t *testing.T) {
	type embedded struct{ *Store }
	type wrapped struct{ ownergraph.Store }
	s := newStore(t, "", 0)
	for _, c := range []struct {
		of     ownergraph.Store
		want   int
		reason string
	}{
		{s, maxWrites, "the store itself"},
		{embedded{s}, 0, "it may have a Delete of its own"},
		{&embedded{s}, 0, "a pointer to it is no other case"},
		{wrapped{s}, 0, "it has no batches at all"},
		{newStore(t, "", 0), 0, "another memory store"},
		{nil, 0, "no store"},
	} {
		if got := s.MaxBatch(c.of); got != c.want {
			t.Errorf("MaxBatch of a %T: %d, want %d: %s", c.of, got, c.want, c.reason)
		}
	}
}
