package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
)

// TestKindsAreForgotten: the engine forgets the kinds that come and go. It keeps a kind
// with an object left. It also keeps a kind of holders, because a sweep has to know that
// the kind was there.
func TestKindsAreForgotten(t *testing.T) {
	e, err := New(Level2, Config{
		CompareVersions: func(graph.Kind, graph.Version, graph.Version) int { return 0 },
		Sweeps:          []guard.Sweep{{Finalizer: "x.io/t", Holder: "kind3", Members: []guard.Members{{By: guard.ByOwner}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	observe := seeing(t, e, now)
	see := func(events ...graph.Event) {
		t.Helper()
		observe(events...)
		for c, at := e.Next(now, LaneStore); c.Type != CallUnset || !at.IsZero() && !at.After(now); c, at = e.Next(now, LaneStore) {
		}
	}
	for i := range 100 {
		k := graph.Kind(fmt.Sprintf("kind%d", i))
		o := graph.Object{Key: graph.Key{Kind: k, Name: "a", UID: graph.UID(k)}, Version: "1"}
		see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: k}}}, graph.Event{Type: graph.ListBegun, Kind: k},
			graph.Event{Type: graph.Put, Object: o}, graph.Event{Type: graph.ListEnded, Kind: k, Version: "1"})
		if i != 5 { // this object stays, out of reach
			see(graph.Event{Type: graph.Gone, Key: o.Key})
		}
	}
	see(graph.Event{Type: graph.KindsKnown})
	if got := e.kinds.Names(); !slices.Equal(got, []graph.Kind{"kind3", "kind5"}) {
		t.Errorf("the kinds %q are left, and none is served", got)
	}
	if err := e.check(); err != nil {
		t.Error(err)
	}
}
