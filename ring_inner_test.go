package ownergraph

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// chained returns an engine that is about to search a long chain of waiting objects,
// at whose end is a ring, and what shows it events.
func chained(t *testing.T) (e *Engine, now time.Time, see func(...Event)) {
	t.Helper()
	const n = 3000
	e, now = newEngine(t), time.Unix(0, 0)
	see = seeing(t, e, now)
	see(Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "c"}, {Kind: "x"}}})
	see(put("c/0#1~[foregroundDeletion] -> c/1!"), put("c/1#1~[foregroundDeletion] -> c/0!"))
	for i := 2; i < n; i++ {
		see(put(fmt.Sprintf("c/%d#1~[foregroundDeletion] -> c/%d!", i, i-1)))
	}
	for _, k := range []Kind{"c", "x"} {
		see(Event{Type: graph.ListBegun, Kind: k})
	}
	for at := now; !at.IsZero() && !at.After(now); {
		_, at = e.Next(now, LaneHandler)
	}
	if len(e.rings.suspects) != n-1 {
		t.Fatalf("%d are suspected, want all that wait for others", len(e.rings.suspects))
	}
	return e, now.Add(ringEvery), see
}

// TestRingsAmongNews: a search for rings ends however many objects come, change and go
// meanwhile that do not wait.
func TestRingsAmongNews(t *testing.T) {
	e, now, see := chained(t)
	for i := range 100 {
		x := put(fmt.Sprintf("x/%d#1", i))
		see(x, put(fmt.Sprintf("x/%d#2 -> c/5", i)), Event{Type: graph.Gone, Key: x.Object.Key}, put(fmt.Sprintf("x/s%d#2 -> c/5", i)))
		e.Next(now, LaneHandler)
	}
	if e.counts.Rings != 1 {
		t.Errorf("%d rings found, want that of 0 and 1", e.counts.Rings)
	}
}

// TestSuspectedOnce: whoever changes again and again while rings are searched for is
// suspected once.
func TestSuspectedOnce(t *testing.T) {
	e, now, see := chained(t)
	most := len(e.rings.suspects)
	for i := range 1000 {
		see(put(fmt.Sprintf("c/7#%d~[foregroundDeletion] -> c/6!", 2+i)))
		e.Next(now, LaneHandler)
		now = now.Add(ringEvery)
	}
	if n := len(e.rings.suspects) + len(e.rings.searched); n > most {
		t.Errorf("%d suspects, want at most %d", n, most)
	}
}
