package ownergraph_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func restored(epoch string) graph.Event {
	return graph.Event{Type: graph.Rewound, Reason: "restored", Epoch: epoch}
}

// TestRewoundOnce: an engine takes each epoch once. A store announces a restore with
// every watch that begins later (R5).
func TestRewoundOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		epochs []string
		want   uint64
		reason string
	}{
		{"one restore", []string{"one", "one", "one"}, 1, "each watch announces it again"},
		{"two restores", []string{"one", "two"}, 2, "each restore takes evidence back"},
		{"two restores, both announced", []string{"one", "two", "one", "two"}, 2, "a store may announce all of them"},
		{"without an epoch", []string{"", ""}, 2, "they cannot be told apart, and the safe reading is two restores"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStepped(t, ownergraph.Config{}, "a")
			for _, epoch := range c.epochs {
				s.see(restored(epoch))
				s.list("a")
			}
			if got := s.e.Stats().Rewinds; got != c.want {
				t.Errorf("%d rewinds, want %d: %s", got, c.want, c.reason)
			}
		})
	}
}

// TestRewoundFirst: an engine that has observed nothing has nothing to take back, so
// that a kind that is sick holds only what depends on it (R5, R8).
func TestRewoundFirst(t *testing.T) {
	for _, before := range []bool{true, false} {
		t.Run(fmt.Sprintf("before the kinds %t", before), func(t *testing.T) {
			e, err := ownergraph.NewEngine(ownergraph.Level1, ownergraph.Config{})
			if err != nil {
				t.Fatal(err)
			}
			s := stepped{T: t, e: e}
			kinds := graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}, {Kind: "sick"}}}
			if before {
				s.see(restored("one"), kinds)
			} else {
				s.see(kinds, restored("one"))
			}
			s.see(graph.Event{Type: graph.KindSick, Kind: "sick", Reason: "down"})
			s.list("a", "b")
			s.put("b#1 -> a")
			if w := s.run(graph.ErrNotFound); len(w) != 1 {
				t.Errorf("writes %v, want the delete of b: the kind that is sick has nothing to do with it", w)
			}
			if n := s.e.Stats().Rewinds; n != 0 {
				t.Errorf("%d rewinds of an engine that had observed nothing", n)
			}
		})
	}
}

// TestRewoundDuringListing: a listing that began before a rewind shows the former
// history, also where it is the first one (R5).
func TestRewoundDuringListing(t *testing.T) {
	e, err := ownergraph.NewEngine(ownergraph.Level1, ownergraph.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := stepped{T: t, e: e}
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}},
		graph.Event{Type: graph.ListBegun, Kind: "a"}, restored("one"))
	if n := s.e.Stats().Rewinds; n != 1 {
		t.Errorf("%d rewinds, want 1: the listing is of the former history", n)
	}
}

// TestEpochsAreBounded: what is remembered of a store that restores itself again and
// again stays small, and the newest epochs are known.
func TestEpochsAreBounded(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a")
	const restores = 1000
	for n := range restores {
		s.see(restored(strconv.Itoa(n)))
	}
	s.see(restored(strconv.Itoa(restores-1)), restored(strconv.Itoa(restores-2)))
	if got := s.e.Stats().Rewinds; got != restores {
		t.Errorf("%d rewinds, want %d", got, restores)
	}
}

// TestIgnoredIsNoEvidence: the events of a kind that takes no part neither show that
// history went backwards, nor raise a watermark (R5).
func TestIgnoredIsNoEvidence(t *testing.T) {
	s := newStepped(t, ownergraph.Config{
		Ignore:          []graph.Kind{"event"},
		CompareVersions: func(_ graph.Kind, a, b graph.Version) int { return number(a) - number(b) },
	}, "a", "event")
	s.put("event/x#9")
	s.put("event/x#3")
	s.see(graph.Event{Type: graph.Gone, Key: key(t, "event/x")})
	s.put("event/x#4")
	s.see(graph.Event{Type: graph.ListBegun, Kind: "event"}, graph.Event{Type: graph.ListEnded, Kind: "event", Version: "2"})
	if got := s.e.Stats(); got.Rewinds != 0 || got.Objects != 0 {
		t.Errorf("%d rewinds and %d objects by a kind that takes no part", got.Rewinds, got.Objects)
	}
}

func number(v graph.Version) int {
	n, _ := strconv.Atoi(string(v))
	return n
}
