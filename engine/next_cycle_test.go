package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/cycle"
)

// chained returns an engine that is about to search a long chain of waiting objects with
// a cycle at its end. The function see shows it events.
func chained(t *testing.T) (e *Engine, now time.Time, see func(...graph.Event)) {
	t.Helper()
	const n = 3000
	e, now = newEngine(t), time.Unix(0, 0)
	see = seeing(t, e, now)
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "c"}, {Kind: "x"}}})
	see(put("c/0#1~[foregroundDeletion] -> c/1!"), put("c/1#1~[foregroundDeletion] -> c/0!"))
	for i := 2; i < n; i++ {
		see(put(fmt.Sprintf("c/%d#1~[foregroundDeletion] -> c/%d!", i, i-1)))
	}
	for _, k := range []graph.Kind{"c", "x"} {
		see(graph.Event{Type: graph.ListBegun, Kind: k})
	}
	for at := now; !at.IsZero() && !at.After(now); {
		_, at = e.Next(now, LaneHandler)
	}
	if len(e.cycles.Suspects()) != n-1 {
		t.Fatalf("%d suspects, want all that wait for other objects", len(e.cycles.Suspects()))
	}
	return e, now.Add(cycle.Delay), see
}

// TestRingsAmongNews: a search for cycles ends although objects that do not wait come,
// change and go.
func TestRingsAmongNews(t *testing.T) {
	e, now, see := chained(t)
	for i := range 100 {
		x := put(fmt.Sprintf("x/%d#1", i))
		see(x, put(fmt.Sprintf("x/%d#2 -> c/5", i)), graph.Event{Type: graph.Gone, Key: x.Object.Key}, put(fmt.Sprintf("x/s%d#2 -> c/5", i)))
		e.Next(now, LaneHandler)
	}
	if e.Stats().Rings != 1 {
		t.Errorf("%d cycles found, want that of 0 and 1", e.Stats().Rings)
	}
}
