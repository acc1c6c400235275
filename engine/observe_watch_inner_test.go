package engine

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestWatchShowsWhatReadShowed: a read shows a version of a waiting owner that the watch has
// not shown yet. The dependent is decided again when the watch shows it, although the owner
// waits as before.
func TestWatchShowsWhatReadShowed(t *testing.T) {
	e, err := New(Level1, Config{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1, 0)
	see := seeing(t, e, now)
	newer, other := put("o/a@a#5~[foreground]"), put("o/b@b#2~[foreground]")
	see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "o"}, {Kind: "p"}}})
	see(graph.Event{Type: graph.ListBegun, Kind: "o"}, graph.Event{Type: graph.ListBegun, Kind: "p"})
	see(put("o/a@a#1~[foreground, x.io/x]"), other, put("p/d@d#3 -> o/a@a!, o/b@b!"))
	see(graph.Event{Type: graph.ListEnded, Kind: "o"}, graph.Event{Type: graph.ListEnded, Kind: "p"})
	write := func() Call { // answers the reads until the next write
		for {
			call, _ := e.Next(now, LaneStore)
			if call.Type != CallRead {
				return call
			}
			o := newer.Object
			if call.Key.Name == "b" {
				o = other.Object
			}
			if err := e.Done(now, call.ID, Result{Object: o}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if call := write(); call.Type != CallUnset || e.expected.WatchLen() != 1 {
		t.Fatalf("%s, and %d objects await the watch, want no write, and one object", call.Type, e.expected.WatchLen())
	}
	see(newer)
	if call := write(); call.Type != CallDelete || call.Key.Name != "d" {
		t.Errorf("%s after the watch has shown the version of the read, want the deletion of d", call.Type)
	}
}
