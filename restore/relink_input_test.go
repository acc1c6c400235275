package restore_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/restore"
)

// TestRelinkInput: a move that is none, or leads to an owner that is not there, changes nothing. The engine would delete the
// objects of such an owner after the pause.
func TestRelinkInput(t *testing.T) {
	key := func(name, uid string) graph.Key {
		return graph.Key{Kind: graph.Kind(name), Name: name, UID: graph.UID(uid)}
	}
	r, s := key("r", "r"), key("s", "s")
	for _, c := range []struct {
		moves        []graph.Relink
		is           error
		want, reason string
	}{
		{[]graph.Relink{{From: r, To: s}, {From: key("r", ""), To: s}}, graph.ErrInvalid, "moves[1]: From: ", "references without a UID name no object"},
		{[]graph.Relink{{From: r, To: key("s", "")}}, graph.ErrInvalid, "moves[0]: To: ", "no object has an empty UID"},
		{[]graph.Relink{{From: r, To: r}}, graph.ErrInvalid, "moves[0]: ", "it moves nothing, in each round"},
		{[]graph.Relink{{From: r, To: s}, {From: r, To: key("m", "m")}}, graph.ErrInvalid, "moves[1]: ", "one of two owners"},
		{[]graph.Relink{{From: r, To: s}, {From: s, To: r}}, graph.ErrInvalid, "moves[0]: To: ", "the references move to and fro"},
		{[]graph.Relink{{From: r, To: key("s", "wrong")}}, graph.ErrRefused, "moves[0]: To: ", "the owner is another one"},
		{[]graph.Relink{{From: r, To: key("s2", "s")}}, graph.ErrRefused, "moves[0]: To: ", "the owner has another name"},
		{[]graph.Relink{{From: r, To: key("m", "m")}}, graph.ErrRefused, "moves[0]: To: ", "the owner is marked, so it goes"},
	} {
		synctest.Test(t, func(t *testing.T) {
			x := newRig(t, objects(t, "r; s; m~[x]; a -> r"), false, ownergraph.Config{Record: "og"})
			if _, err := x.Pause(t.Context(), engine.Extent{All: true}); err != nil {
				t.Fatal(err)
			}
			before := x.shape()
			n, _, err := restore.Relink(t.Context(), x.Collector, c.moves)
			if n != 0 || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || x.shape() != before {
				t.Errorf("%s: %d, %v, the store has %s, want %q and no change", c.reason, n, err, x.shape(), c.want)
			}
		})
	}
}
