package restoring_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph/archive"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/restoring"
)

// busy is a store on which another writer changes an object before each of the first writes to it.
type busy struct {
	*rig
	first   int
	patches int
	moved   []graph.Precondition // of the writes that were done
}

func (b *busy) Patch(ctx context.Context, key graph.Key, pre graph.Precondition, change graph.Change) error {
	if b.patches++; b.patches <= b.first {
		b.ok(b.Store.Patch(ctx, key, graph.Precondition{}, graph.Change{AddFinalizer: fmt.Sprintf("f%d", b.patches)}))
	}
	err := b.Store.Patch(ctx, key, pre, change)
	if err == nil {
		b.moved = append(b.moved, pre)
	}
	return err
}

// manyWriters are more than the refusals in a row that a restore tolerates.
const manyWriters = 12

// TestRestoreBusy: the references of a living object move under its UID and version. A write that comes first is no refusal, so
// the restore looks again as often as that happens.
func TestRestoreBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{rig: newRig(t, "k/r; k/lives -> k/r", true), first: manyWriters}
		b.userDeletes("r")
		result, err := restoring.Restore(t.Context(), b, b.graph(), archive.Request{Roots: []graph.UID{"k/r"}}, nil)
		if err != nil || result.Relinked != 1 || b.patches != manyWriters+1 {
			t.Errorf("the restore: %+v, %v after %d writes, want one after %d conflicts", result, err, b.patches, manyWriters)
		}
		b.wants("lives -> r; r", "the reference has moved")
		if len(b.moved) != 1 || b.moved[0].UID == "" || b.moved[0].Version == "" {
			t.Errorf("the reference moves under %+v, want the UID and the version", b.moved)
		}
	})
}

// TestRelinkBusy: the references of an import move as those of a restore do. A marked object keeps its own, and is returned
// once.
func TestRelinkBusy(t *testing.T) {
	b := &busy{rig: newRig(t, "k/a -> k/former; k/marked[f] -> k/former; k/new; k/other -> k/new", false), first: manyWriters}
	b.userDeletes("marked")
	moved, marked, err := restoring.Relink(t.Context(), b, b.graph(), []graph.Relink{{From: graph.Key{Kind: "k", Name: "former", UID: "k/former"}, To: graph.Key{Kind: "k", Name: "new", UID: "k/new"}}})
	if want := []graph.Key{{Kind: "k", Name: "marked", UID: "k/marked"}}; moved != 1 || err != nil || !slices.Equal(marked, want) {
		t.Errorf("moved %d, marked %v, %v, want 1 and %v", moved, marked, err, want)
	}
	b.wants("a -> new; marked~ -> former(gone); new; other -> new", "the import")
	if b.patches != manyWriters+1 || len(b.moved) != 1 || b.moved[0].UID == "" || b.moved[0].Version == "" {
		t.Errorf("%d writes, and the reference moves under %+v, want the UID and the version", b.patches, b.moved)
	}
}
