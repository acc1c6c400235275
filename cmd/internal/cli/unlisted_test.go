package cli

import (
	"bytes"
	"context"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// sickNotes is a store that cannot list its notes.
type sickNotes struct{ ownergraph.Store }

func (s sickNotes) Watch(ctx context.Context, sink func([]graph.Event) error) error {
	return s.Store.Watch(ctx, func(batch []graph.Event) error {
		for i := range batch {
			if batch[i].Type == graph.ListEnded && batch[i].Kind == "note" {
				batch[i] = graph.Event{Type: graph.KindSick, Kind: "note", Reason: "a broken record\x1b[2J"}
			}
		}
		return sink(batch)
	})
}

// TestUnlistedKind: a kind that cannot be listed is named.
func TestUnlistedKind(t *testing.T) {
	d := newSQLite(t)
	var stderr bytes.Buffer
	a := &app{stderr: &stderr}
	c, err := a.listStore(t.Context(), &opened{Store: sickNotes{d.Store}, close: func() {}})
	if err != nil {
		t.Fatal(err)
	}
	const want = "not known: the objects of the kind note, which could not be listed: a broken record\\x1b[2J\n"
	if len(c.partial) != 1 || stderr.String() != want {
		t.Errorf("partial %v, and %q, want %q", c.partial, &stderr, want)
	}
}
