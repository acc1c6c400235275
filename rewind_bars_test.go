package ownergraph_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

func rewound() graph.Event { return graph.Event{Type: graph.Rewound, Reason: "restored"} }

// TestRewindBarsUntilAllAreListed: whatever is proven, nothing is written after a
// rewind before every kind is listed anew (R5).
func TestRewindBarsUntilAllAreListed(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b", "c")
	s.see(rewound())
	s.list("a", "b")
	s.put("a#1; b#1 -> a")
	s.see(gone("a"))
	s.wants(ownergraph.CallUnset, "kind c is not listed anew")
	s.list("c")
	s.wants(ownergraph.CallDelete, "every kind is")
}

// TestRewindBarsKindsThatWereAway: what is known of a kind that was out of
// service at a rewind is older than it (R5).
func TestRewindBarsKindsThatWereAway(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b#1 -> a")
	s.see(graph.Event{Type: graph.KindVanished, Kind: "b"}, rewound(), begun("a"))
	s.put("a#1")
	s.see(ended("a"))
	s.run(errBusy)
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "b"}}}, gone("a"))
	s.wants(ownergraph.CallUnset, "b is known from another history")
	s.see(begun("b"))
	s.put("b#1 -> a")
	s.see(ended("b"))
	s.wants(ownergraph.CallDelete, "b is listed anew")
}

// TestRewindForgetsAbsence: what was gone may be back, whatever became of the
// nodes that knew it (R5).
func TestRewindForgetsAbsence(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1")
	s.see(gone("a"), rewound())
	s.list("a", "b")
	s.put("b#1 -> a")
	s.wants(ownergraph.CallRead, "a was gone in another history")
}

// TestRewindVoidsMarks: a mark that was seen before a rewind waits for a fence
// that begins after it is seen again, be its version the same (R3, R5).
func TestRewindVoidsMarks(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "o", "x")
	s.put("o#5~[foregroundDeletion]; x#1 -> o!")
	s.run(errBusy)
	s.see(rewound(), begun("a"))
	s.put("a#1~[orphan]")
	s.see(ended("a"))
	s.run(errBusy) // passes a fence, before o is seen again
	s.see(begun("o"))
	s.put("o#5~[foregroundDeletion]")
	s.see(ended("o"))
	s.list("x")
	for c := s.next(ownergraph.LaneStore); c.Type != ownergraph.CallUnset; c = s.next(ownergraph.LaneStore) {
		if c.Key.Kind == "o" {
			t.Errorf("%s %s behind a fence that began before it was seen again", c.Type, c.Key)
		}
	}
	if w := s.run(errBusy); !slices.Contains(w, "patch o") {
		t.Errorf("%v behind another fence, want the end of o", w)
	}
}

// TestRewindVoidsReads: an answer about another history proves nothing (R5).
func TestRewindVoidsReads(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("b#1 -> a")
	read := s.wants(ownergraph.CallRead, "a was never observed")
	s.see(rewound(), begun("a"))
	s.put("a#1")
	s.see(ended("a"), begun("b"))
	s.put("b#1 -> a")
	s.see(ended("b"))
	s.done(read, graph.ErrNotFound)
	if w := s.run(errBusy); len(w) > 0 {
		t.Errorf("%v, and a lives", w)
	}
}

// TestRewindTakesBackCalls: what was decided before a rewind and not yet handed
// out is not done after it (R5).
func TestRewindTakesBackCalls(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b/1#1 -> a; b/2#1 -> a")
	s.see(gone("a"))
	s.next(ownergraph.LaneHandler) // decides, and takes no store call
	s.see(rewound())
	s.wants(ownergraph.CallUnset, "a may be back")
}

// TestRewindForgetsWrites: what a write was waiting for belongs to the history
// that it was made in (R5).
func TestRewindForgetsWrites(t *testing.T) {
	s := newStepped(t, ownergraph.Config{OwnerName: graph.NameAbsent}, "a", "b")
	s.put("a#1; b#1 -> a")
	s.see(gone("a"))
	s.done(s.wants(ownergraph.CallDelete, "its owner is gone"), nil)
	s.see(rewound(), begun("b"))
	s.put("b#1 -> a")
	s.see(ended("b"))
	s.list("a")
	s.done(s.wants(ownergraph.CallRead, "a may be back"), graph.ErrNotFound)
	s.wants(ownergraph.CallDelete, "it is not, and b has returned")
}

// TestRewindVoidsRereads: what a read shows after a rewind does not compare with
// what the graph shows from before it, and the listing may bring that version
// number again (R3, R5).
func TestRewindVoidsRereads(t *testing.T) {
	s := newStepped(t, ownergraph.Config{OwnerName: graph.NameAbsent}, "a", "b")
	s.put("a#1; b#6 -> a")
	s.see(gone("a"))
	s.done(s.wants(ownergraph.CallDelete, "its owner is gone"), graph.ErrConflict)
	s.put("b#9 -> a")
	s.see(rewound())
	s.wants(ownergraph.CallUnset, "b is to be listed anew")
	s.list("a")
	s.see(begun("b"))
	s.put("b#9 -> a")
	s.see(ended("b"))
	s.done(s.wants(ownergraph.CallRead, "a may be back"), graph.ErrNotFound)
	if c := s.wants(ownergraph.CallDelete, "it is not"); c.Options.Precondition.Version != "9" {
		t.Errorf("deletes version %q, and the listing brought 9", c.Options.Precondition.Version)
	}
}

// TestListingEndsARetry: a retry rests on a read, and a listing that began after
// that is the watch's word, be it the version from before.
func TestListingEndsARetry(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#6~[foregroundDeletion]")
	s.pass(s.begin("a's own"))
	s.done(s.wants(ownergraph.CallPatch, "a fence has passed"), graph.ErrConflict)
	s.put("a#9~[foregroundDeletion]")
	s.answer(s.wants(ownergraph.CallRead, "the write was refused"), "a#7~[foregroundDeletion]")
	s.wants(ownergraph.CallUnset, "the watch has to speak")
	s.see(begun("a"))
	s.put("a#9~[foregroundDeletion]")
	s.see(ended("a"))
	s.wants(ownergraph.CallUnset, "ordinary lag contradicts all the time")
	s.now = s.now.Add(time.Minute)
	s.answer(s.wants(ownergraph.CallRead, "a listing says otherwise"), "a#9~[foregroundDeletion]")
	if w := s.run(graph.ErrConflict); !slices.Contains(w, "patch a") {
		t.Errorf("%v, want the end of a", w)
	}
}

// TestRewindVoidsRings: a ring that was seen before a rewind is confirmed by a
// fence that began after its members were seen again, and by no earlier one (R5).
func TestRewindVoidsRings(t *testing.T) {
	const ring = "a#5~[foregroundDeletion] -> b!; b#5~[foregroundDeletion] -> a!"
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put(ring)
	if s.fence(); s.e.Stats().Rings == 0 {
		t.Fatal("no ring was found")
	}
	s.see(rewound())
	early := s.fence()
	s.see(begun("a"), begun("b"))
	s.put(ring)
	s.see(ended("a"), ended("b"))
	s.next(ownergraph.LaneStore)
	s.pass(early)
	s.wants(ownergraph.CallUnset, "the fence began before the ring was seen again")
	s.pass(s.fence())
	s.wants(ownergraph.CallPatch, "this one after it")
}

// fence returns the id of the next fence that the engine begins; time passes
// until it does.
func (s stepped) fence() uint64 {
	s.Helper()
	for now := s.now; ; now = now.Add(time.Second) {
		c, _ := s.e.Next(now, ownergraph.LaneControl)
		if c.Type == ownergraph.CallFence {
			s.done(c, nil)
			return c.Fence
		}
		if c.Type != ownergraph.CallUnset {
			s.done(c, nil)
		}
		if now.Sub(s.now) > time.Hour {
			s.Fatal("no fence in an hour")
		}
	}
}

// TestRewindVoidsOrphaning: that an owner's orphaning was ended in a former
// history, which is answered late, is not remembered in this one (R5).
func TestRewindVoidsOrphaning(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := newStepped(t, ownergraph.Config{}, "o", "d")
		s.put("o#1~[orphan]")
		s.pass(s.fence())
		release := s.wants(ownergraph.CallPatch, "nothing refers to o")
		if !late {
			s.done(release, nil)
		}
		s.see(rewound())
		if late {
			s.done(release, nil)
		}
		s.see(begun("o"), begun("d"))
		s.put("o#0; d#0 -> o")
		s.see(ended("o"), ended("d"))
		s.run(errBusy)
		s.see(gone("o"))
		if w := s.run(errBusy); !slices.Equal(w, []string{"delete d"}) {
			t.Errorf("answered late %t: %v, want the delete of d, whose owner went in the background", late, w)
		}
	}
}
