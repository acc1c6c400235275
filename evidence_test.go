package ownergraph_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

var errBusy = errors.New("busy")

// next returns the next call of the lane, once all other work is done.
func (s stepped) next(lane ownergraph.Lane) ownergraph.Call {
	s.Helper()
	for {
		c, at := s.e.Next(s.now, lane)
		if c.Type != ownergraph.CallUnset || at.IsZero() || at.After(s.now) {
			return c
		}
	}
}

// wants fails unless the next store call is of the type.
func (s stepped) wants(want ownergraph.CallType, reason string) ownergraph.Call {
	s.Helper()
	c := s.next(ownergraph.LaneStore)
	if c.Type != want {
		s.Errorf("%s %s, want %s: %s", c.Type, c.Key, want, reason)
	}
	return c
}

func (s stepped) answer(c ownergraph.Call, notation string) {
	s.Helper()
	o, err := graph.ParseObject(notation)
	if err == nil {
		err = s.e.Done(s.now, c.ID, ownergraph.Result{Object: o})
	}
	if err != nil {
		s.Fatal(err)
	}
}

func gone(kind graph.Kind) graph.Event {
	return graph.Event{Type: graph.Gone, Key: graph.Key{Kind: kind, UID: graph.UID(kind), Name: string(kind)}}
}

func begun(k graph.Kind) graph.Event { return graph.Event{Type: graph.ListBegun, Kind: k} }
func ended(k graph.Kind) graph.Event { return graph.Event{Type: graph.ListEnded, Kind: k} }

// TestUnseenIsNotAbsent: an owner that was named and never seen is not known to
// be absent when nobody names it any more (R2).
func TestUnseenIsNotAbsent(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("b#1 -> a")
	s.put("b#2")
	s.put("b#3 -> a")
	s.wants(ownergraph.CallRead, "nothing has shown that a is gone")
}

// TestOnlyNotFoundIsAbsence: no other answer to a read proves anything (R8).
func TestOnlyNotFoundIsAbsence(t *testing.T) {
	for _, c := range []struct {
		answer error
		writes int
		reason string
	}{
		{graph.ErrNotFound, 1, "this is proof"},
		{graph.ErrKindUnknown, 0, "a kind that is not served says nothing of its objects"},
		{graph.ErrRefused, 0, "what may not be read may be there"},
		{errBusy, 0, "an error is no absence"},
		{nil, 0, "an empty answer is a slip of the store"},
	} {
		s := newStepped(t, ownergraph.Config{}, "a", "b")
		s.put("b#1 -> a")
		if w := s.run(c.answer); len(w) != c.writes {
			t.Errorf("%v: %v, want %d writes: %s", c.answer, w, c.writes, c.reason)
		}
	}
}

// TestAbsenceDoesNotLiftDoubt: that an owner is absent says nothing of a
// reference that is itself in doubt: a global object may not have a scoped owner.
func TestAbsenceDoesNotLiftDoubt(t *testing.T) {
	s := newStepped(t, ownergraph.Config{})
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "g"}, {Kind: "p", Scoped: true}}})
	s.list("g", "p")
	s.put("g/b#1 -> p/s/a; p/s/c#1 -> p/s/a")
	if w := s.run(graph.ErrNotFound); !slices.Equal(w, []string{"delete p/s/c"}) {
		t.Errorf("%v, want c deleted alone", w)
	}
}

// TestNoOrphaningOfUnservedKinds: what was seen of an owner whose kind is out of
// service proves nothing since, and no fence covers it (R7, R8).
func TestNoOrphaningOfUnservedKinds(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "c", "d")
	s.put("c#1~[orphan]")
	s.see(graph.Event{Type: graph.KindVanished, Kind: "c"})
	s.put("d#2 -> c")
	if w := s.run(errBusy); len(w) > 0 {
		t.Errorf("%v, because of an owner that nobody can look at", w)
	}
}

// TestListingVoidsPresence: the end of a listing is the watch's word on what it
// did not bring, also before its sweep: what a read showed before is void.
func TestListingVoidsPresence(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Level: ownergraph.Level1}, "a", "b", "d")
	s.put("b#1~[foregroundDeletion]; d#1 -> a, b")
	s.answer(s.wants(ownergraph.CallRead, "a was never observed"), "a#1")
	read := s.wants(ownergraph.CallRead, "b may not wait any more")
	s.see(begun("a"), ended("a"))
	s.answer(read, "b#1~[foregroundDeletion]")
	s.wants(ownergraph.CallRead, "a may have gone since it was read, and then d dies of b")
}

// TestConflictVoidsFence: a version that a conflict's read brought may have
// changed and changed back, so that the mark waits for another fence (R3).
func TestConflictVoidsFence(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o")
	s.put("o#1~[foregroundDeletion]")
	fence := s.next(ownergraph.LaneControl)
	s.done(fence, nil)
	s.pass(fence.Fence)
	s.done(s.wants(ownergraph.CallPatch, "the fence has passed"), graph.ErrConflict)
	s.answer(s.wants(ownergraph.CallRead, "it is read after a conflict"), "o#2~[foregroundDeletion]")
	s.wants(ownergraph.CallUnset, "a retry ends nothing")
	s.put("o#2~[foregroundDeletion]")
	s.wants(ownergraph.CallUnset, "no fence has begun since")
	if w := s.run(nil); len(w) != 1 {
		t.Errorf("%v behind a fence, want the end", w)
	}
}

// TestRefusedInListing: a listing of which an object was refused proves nothing
// of what it did not bring.
func TestRefusedInListing(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b", "c")
	s.put("a#1; b#1 -> a; c#1 -> b")
	s.see(begun("b"))
	if err := s.e.Observe(s.now, graph.Event{Type: graph.Put, Object: graph.Object{Key: graph.Key{Kind: "b", Name: "b", UID: "b"}}}); err == nil {
		t.Fatal("an object without a version was taken")
	}
	s.see(ended("b"))
	if w := s.run(errBusy); len(w) > 0 {
		t.Errorf("%v, and b lives: the listing brought it in a form that nobody understood", w)
	}
}

// TestWatchTakesBackAbsence: what a read did not find and the watch shows is not
// absent: mostly the watch lags, but it may be back from a restore that nobody
// announced (R5).
func TestWatchTakesBackAbsence(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b", "c")
	s.put("b#1 -> a")
	s.done(s.wants(ownergraph.CallRead, "a was never observed"), graph.ErrNotFound)
	s.run(errBusy)
	s.put("a#1; c#1 -> a")
	if w := s.run(errBusy); len(w) > 0 {
		t.Errorf("%v, and the watch shows a", w)
	}
}

// TestAbsenceIsOfCoordinates: that nothing is where one reference points says
// nothing of another one to the same UID: one wrong reference must not cost
// others their objects (S7, Kubernetes 65200).
func TestAbsenceIsOfCoordinates(t *testing.T) {
	s := newStepped(t, ownergraph.Config{OwnerName: graph.NameAbsent}, "a", "b", "c")
	s.put("c#1 -> a/wrong@u")
	s.done(s.wants(ownergraph.CallRead, "a/wrong was never observed"), graph.ErrNotFound)
	s.wants(ownergraph.CallDelete, "its owner is gone")
	s.see(gone("c"))
	s.put("b#1 -> a/right@u")
	s.wants(ownergraph.CallRead, "what is known to be gone is a/wrong")
}

// TestListingVoidsFence: a version that a listing brought may have changed and
// changed back, so that the mark waits for another fence (R3).
func TestListingVoidsFence(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "o", "x")
	s.put("o#1~[foregroundDeletion]; x#1 -> o!")
	s.run(errBusy)
	s.see(begun("o"))
	s.put("o#3~[foregroundDeletion]")
	s.see(ended("o"))
	s.put("x#2")
	s.wants(ownergraph.CallUnset, "no fence has begun since")
	if w := s.run(errBusy); !slices.Equal(w, []string{"patch o"}) {
		t.Errorf("%v behind another fence, want the end of o", w)
	}
}

// TestLateAnswerIsNoEvidence: an answer that the watch has contradicted while it
// was on its way is asked for again, and is no contradiction of the watch.
func TestLateAnswerIsNoEvidence(t *testing.T) {
	s := newStepped(t, ownergraph.Config{Level: ownergraph.Level1}, "a", "d")
	s.put("a#1~[foregroundDeletion]; d#1 -> a")
	read := s.wants(ownergraph.CallRead, "a may not wait any more")
	s.put("a#2~[orphan]")
	s.answer(read, "a#1~[foregroundDeletion]")
	s.wants(ownergraph.CallRead, "a leaves d since, and the answer is from before")
}

// TestAnswerOfAFormerNode: a read whose phantom has gone meanwhile proves nothing
// for references that come later (R2, absence).
func TestAnswerOfAFormerNode(t *testing.T) {
	for _, c := range []struct {
		name, found string
		reason      string
	}{
		{"present", "a#1", "the owner was there"},
		{"another", "a@u2#1", "absence that a read finds ends with the phantom"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStepped(t, ownergraph.Config{OwnerName: graph.NameAbsent}, "a", "b")
			s.put("b/1#1 -> a")
			read := s.wants(ownergraph.CallRead, "a was never observed")
			s.see(graph.Event{Type: graph.Gone, Key: key(t, "b/1")})
			s.answer(read, c.found)
			s.put("b/2#1 -> a")
			s.wants(ownergraph.CallRead, c.reason)
		})
	}
}

func key(t *testing.T, notation string) graph.Key {
	t.Helper()
	o, err := graph.ParseObject(notation)
	if err != nil {
		t.Fatal(err)
	}
	return o.Key
}
