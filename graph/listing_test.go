package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// TestListing: the end of a listing proves the named absences.
func TestListing(t *testing.T) {
	const two = "kinds a b; put a/x; put a/y; put b -> a/x, a/z; "
	for _, tc := range []struct{ name, history, after, reason string }{
		{"first", "kinds a b; list a; put a; put b -> a, a/x; end a; prune a", "a <1/0>; phantom a/x <1/0>; b -> a, a/x {solid, unobserved}",
			"an owner that a complete listing does not have is not absent for that: a read tells"},
		{"under way", "kinds a b; list a; put a; put b -> a, a/x", "a <1/0>; phantom a/x <1/0>; b -> a, a/x {solid, unlisted}",
			"before the end nothing is said"},
		{"ended, not swept", "kinds a b; list a; put b -> a; end a", "phantom a <1/0>; b -> a {unobserved}",
			"the listing proves the absence before the pruning ends"},
		{"stale", two + "list a; put a/y; end a; prune a", "absent a/x <1/0>; a/y; phantom a/z <1/0>; b -> a/x, a/z {dangling, unobserved}",
			"an observed object that the listing lacks is gone"},
		{"put before the end", two + "list a; end a; put a/x; prune a", "a/x <1/0>; phantom a/z <1/0>; b -> a/x, a/z {solid, unobserved}",
			"an object put during the pruning is not pending"},
		{"same state again", two + "list a; put a/x; put a/y; end a; prune a", "a/x <1/0>; a/y; phantom a/z <1/0>; b -> a/x, a/z {solid, unobserved}",
			"a put that changes nothing counts as seen"},
		{"cut off", two + "list a; put a/x; list a; put a/y; end a; prune a", "absent a/x <1/0>; a/y; phantom a/z <1/0>; b -> a/x, a/z {dangling, unobserved}",
			"only what the last beginning brought counts"},
		{"of another kind", two + "list b; put b -> a/x; end b; prune a", "a/x <1/0>; a/y; b -> a/x {solid}",
			"a listing speaks of its kind alone"},
		{"new listing during the pruning", two + "list a; end a; list a; prune a", "a/x <1/0>; a/y; phantom a/z <1/0>; b -> a/x, a/z {solid, unlisted}",
			"the former pruning ends unfinished, and the new listing proves the same"},
		{"listed before, listing again", two + "list a; put a/x; end a; prune a; list a", "a/x <1/0>; phantom a/z <1/0>; b -> a/x, a/z {solid, unobserved}",
			"that a kind is being listed again makes no owner unlisted"},
		{"rewound listing", two + "list a; rewind; put a/x; end a; prune a", "a/x <1/0>; a/y; phantom a/z <1/0>; b -> a/x, a/z {solid, unlisted}",
			"a listing that began before a rewind proves no absence after it"},
		{"rewound pruning", two + "list a; put a/x; end a; rewind; prune a", "a/x <1/0>; a/y; phantom a/z <1/0>; b -> a/x, a/z {solid, unlisted}",
			"nor does its pruning"},
		{"listed after a rewind", two + "list a; rewind; list a; put a/x; end a; prune a", "a/x <1/0>; phantom a/z <1/0>; b -> a/x, a/z {solid, unobserved}",
			"one that began afterwards does"},
		{"sick", two + "list a; sick a; put a/x; recover a; end a; prune a", "a/x <1/0>; phantom a/z <1/0>; b -> a/x, a/z {solid, unobserved}",
			"a watch that fails and recovers within a listing changes nothing of it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := play(t, graph.Config{}, tc.history).String(); got != tc.after {
				t.Errorf("graph: %q\nwant   %q: %s", got, tc.after, tc.reason)
			}
		})
	}
}

// TestPruneVisits: a pruning stops at the named nodes.
func TestPruneVisits(t *testing.T) {
	for _, tc := range []struct{ history, at, reason string }{
		{"list a; end a", "", "nothing is of the kind"},
		{"put a/x; list a; put a/x; end a", "", "all was brought"},
		{"put a/x; list a; end a", "a/x", "a pending node is gone"},
		{"put b -> a/x; list a; end a", "a/x", "of a phantom the listing has spoken"},
		{"put a/x; put b -> a/x; gone a/x; list a; end a", "", "an absent node needs no visit"},
		{"put a/x; list a; end a; put b -> a/y", "a/x", "a phantom made after the end is not the listing's: a read tells"},
		{"put a/x", "", "no pruning is under way"},
		{"put a/x; list a; end a; vanish a", "", "a kind that is not served has no pruning"},
	} {
		w := play(t, graph.Config{}, "kinds a b; "+tc.history)
		at := w.prune(t, "a", 1)
		slices.Sort(at)
		if got := strings.Join(at, " "); got != tc.at {
			t.Errorf("%s: stopped at %q, want %q: %s", tc.history, got, tc.at, tc.reason)
		}
	}
	if id, seen, done := graph.New(graph.Config{}).Inside(inside.Key{}).Prune("x", 10); id != 0 || seen != 0 || !done {
		t.Errorf("Prune of an unknown kind = %d, %d, %t; want 0, 0, true", id, seen, done)
	}
}

// TestPruneDuring: events come between the slices of a pruning, while its cursor is on
// the node of the event.
func TestPruneDuring(t *testing.T) {
	const all = "a/x absent, a/y absent, a/z absent"
	for _, tc := range []struct{ event, want, reason string }{
		{"", all, "nothing happens"},
		{"gone a/y", all, "the node at the cursor leaves the graph: the pruning goes on behind it"},
		{"put a/y#2", "a/x absent, a/y observed, a/z absent", "it is no longer pending"},
		{"put a/w", "a/w observed, " + all, "a new object is not pending"},
		{"put b -> a/y", all, "a reference to it does not keep it"},
		{"list a", "a/x observed, a/y observed, a/z absent", "a new listing begins: nothing more is said before its end"},
		{"vanish a", "a/x observed, a/y observed, a/z absent", "the graph knows nothing of the kind from then on"},
	} {
		w := play(t, graph.Config{}, "kinds a b; put a/x; put a/y; put a/z; put b/all -> a/x, a/y, a/z; list a; end a")
		id, seen, done := w.Inside(inside.Key{}).Prune("a", 1)
		if n := w.Node(id); seen != 1 || done || n.Key().Name != "z" {
			t.Fatalf("the pruning begins with %v, %d, %t; want a/z: newest first", n.Key(), seen, done)
		}
		w.do(t, graph.Event{Type: graph.Gone, Key: w.Node(id).Key()})
		for _, e := range events(t, tc.event) {
			w.do(t, e)
		}
		w.prune(t, "a", 1)
		var states []string
		for n := range w.Nodes() {
			if n.Key().Kind == "a" {
				states = append(states, fmt.Sprint(n.Key(), " ", n.State()))
			}
		}
		if got := strings.Join(states, ", "); got != tc.want {
			t.Errorf("%q: %s; want %s: %s", tc.event, got, tc.want, tc.reason)
		}
	}
}

// TestPendingPrune: a node is pending until the newest listing or an event brings it.
func TestPendingPrune(t *testing.T) {
	for _, tc := range []struct {
		history string
		want    bool
		reason  string
	}{
		{"put a", false, "no listing has begun"},
		{"put a; list a", true, "not yet brought"},
		{"put a; list a; put a", false, "brought"},
		{"put a; list a; put a; end a; prune a", false, "brought and done"},
		{"put a; vanish a; kinds a b; list a", true, "known from before the kind vanished"},
		{"put b -> a; list a", false, "a phantom is not observed, so it is not pending"},
	} {
		w := play(t, graph.Config{}, "kinds a b; "+tc.history)
		n, ok := w.Lookup(stored(t, "a").Key)
		if got := ok && w.Inside(inside.Key{}).PendingPrune(n.ID()); got != tc.want {
			t.Errorf("%s: stale %t, want %t: %s", tc.history, got, tc.want, tc.reason)
		}
	}
}

// TestListingsBrokenOff: many listings begin and do not end, before one ends. A node that
// the last listing did not bring keeps no number of an older listing.
func TestListingsBrokenOff(t *testing.T) {
	for _, n := range []int{1<<15 - 1, 1 << 15, 1<<16 - 2, 1<<16 - 1, 1 << 16, 1<<17 - 2, 1<<17 - 1, 1 << 17} {
		g := play(t, graph.Config{}, "kinds a; list a; put a/x; end a; prune a").Graph
		for range n {
			feed(t, g, graph.Event{Type: graph.ListBegun, Kind: "a"})
		}
		feed(t, g, graph.Event{Type: graph.ListEnded, Kind: "a"})
		if id, _, _ := g.Inside(inside.Key{}).Prune("a", 10); id == 0 {
			t.Errorf("after %d listings that did not bring it, a/x is not stale", n)
		}
	}
}

// TestGoneUnseen: the Delta says whether the watch has reported all states of a gone
// object. A history that ends with an ended listing reports the end by its pruning.
func TestGoneUnseen(t *testing.T) {
	for _, tc := range []struct {
		history string
		unseen  bool
		reason  string
	}{
		{"put a", false, "each of its versions was told"},
		{"list a; put a", false, "since the listing, too"},
		{"list a; put a; end a; prune a", false, "nor did it say otherwise"},
		{"put a; list a", true, "the listing has not brought it yet, nor what became of it before"},
		{"put a; list a; put a", false, "it has, as it was"},
		{"put a; list a; list a; put a", false, "the newest one has"},
		{"put a; list a; put a; list a", true, "the newest one has not"},
		{"put a; list a; end a", true, "it was gone by then, and the watch did not report its last state"},
		{"put a; put b; list b", false, "a listing of another kind says nothing"},
		{"put b -> a", false, "it was not observed"},
	} {
		w := play(t, graph.Config{}, "kinds a b; "+tc.history)
		key := stored(t, "a").Key
		if id, _, _ := w.Inside(inside.Key{}).Prune("a", 9); id != 0 && w.Node(id).Key() != key {
			t.Fatalf("%s: the pruning stops at %s", tc.history, w.Node(id).Key())
		}
		if d := w.do(t, graph.Event{Type: graph.Gone, Key: key}); d.Unseen != tc.unseen {
			t.Errorf("%s: unseen %t, want %t: %s", tc.history, d.Unseen, tc.unseen, tc.reason)
		}
		if d := w.do(t, graph.Event{Type: graph.Gone, Key: key}); d.Unseen || d.Gone {
			t.Errorf("%s: it is gone twice", tc.history)
		}
	}
}

// TestGoneSharesUID: the end of an object says whether other nodes have its UID. world.do
// compares that with a lookup after each end.
func TestGoneSharesUID(t *testing.T) {
	for _, tc := range []struct {
		history string
		want    bool
		reason  string
	}{
		{"put a@u", false, "it alone has the UID"},
		{"put a@u; put b -> a@u", false, "its dependent names the same node"},
		{"put a@u; put b@u", true, "another object has it, too"},
		{"put a@u; put b -> c@u", true, "a reference has other coordinates"},
		{"put a@u; put b -> a@u?", true, "a reference counts by the UID alone"},
	} {
		w := play(t, graph.Config{}, "kinds a b c; "+tc.history)
		d := w.do(t, graph.Event{Type: graph.Gone, Key: stored(t, "a@u").Key})
		if d.SharesUID != tc.want {
			t.Errorf("%s: shares its UID %t, want %t: %s", tc.history, d.SharesUID, tc.want, tc.reason)
		}
	}
}

// checkShared: an end that shares no UID leaves no node with it, beside its own.
func (w *world) checkShared(t rapid.TB, e graph.Event, d graph.Delta) {
	t.Helper()
	if !d.Gone || d.SharesUID {
		return
	}
	if _, ok := w.Alive(e.Key.UID); ok {
		t.Fatalf("the UID of %s is alive, and was shared by none", e.Key)
	}
	if _, ok := w.Lookup(graph.Key{UID: e.Key.UID}); ok {
		t.Fatalf("a reference counts by the UID of %s, which was shared by none", e.Key)
	}
}
