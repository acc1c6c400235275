package ownergraph_test

import (
	"fmt"
	"math/rand/v2"

	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/finalizer"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

// TestLossesOfOneKind: writes to one kind that get no answer, again and again, keep no
// deletion of another kind from its end.
func TestLossesOfOneKind(t *testing.T) {
	for seed := range uint64(4) {
		starve(t, seed)
	}
}

func starve(t *testing.T, seed uint64) {
	s := newStepped(t, ownergraph.Config{}, "a", "b", "o")
	for i := range 1000 {
		s.put(fmt.Sprintf("b/%d#1 -> a", i))
	}
	type later struct {
		at    time.Time
		fence uint64
		c     ownergraph.Call
	}
	var open []later
	fences, losses, rnd := 0, 0, rand.New(rand.NewPCG(seed, 0))
	for step := range 6000 { // ten minutes, by tenths of a second
		if step == 300 {
			s.put("o#1~[foregroundDeletion]")
		}
		s.now = s.now.Add(100 * time.Millisecond)
		rest := open[:0:0]
		for _, x := range open {
			switch {
			case s.now.Before(x.at):
				rest = append(rest, x)
			case x.fence != 0:
				s.pass(x.fence)
			default:
				losses++
				s.done(x.c, errNoAnswer)
			}
		}
		open = rest
		for _, lane := range []ownergraph.Lane{ownergraph.LaneControl, ownergraph.LaneStore} {
			for lane == ownergraph.LaneControl || len(open) < 20 {
				c := s.next(lane)
				if c.Type == ownergraph.CallUnset {
					break
				}
				switch {
				case c.Type == ownergraph.CallFence:
					fences++
					s.done(c, nil)
					open = append(open, later{at: s.now.Add(4 * time.Second), fence: c.Fence})
				case c.Type == ownergraph.CallRead && c.Key.Kind == "a":
					s.done(c, graph.ErrNotFound)
				case c.Type == ownergraph.CallRead:
					s.answer(c, "b/"+c.Key.Name+"#1 -> a")
				case c.Type == ownergraph.CallPatch && c.Key.Kind == "o":
					t.Logf("o ended after %v, %d fences, %d losses", s.now.Sub(time.Unix(0, 0)), fences, losses)
					return
				case c.Type == ownergraph.CallList:
					s.done(c, nil)
				default: // the webhook of kind b is down: nobody knows what became of it
					open = append(open, later{at: s.now.Add(time.Duration(9000+rnd.IntN(2000)) * time.Millisecond), c: c})
				}
			}
		}
	}
	t.Errorf("o has not ended in ten minutes: %d fences, %d losses, stats %+v", fences, losses, s.e.Stats())
}

// TestRejoinedKindSettles: a kind vanishes and joins again; what waits for it goes on.
func TestRejoinedKindSettles(t *testing.T) {
	kinds := func(names ...graph.Kind) graph.Event {
		ev := graph.Event{Type: graph.KindsKnown}
		for _, n := range names {
			ev.Kinds = append(ev.Kinds, graph.KindInfo{Kind: n, Scoped: true})
		}
		return ev
	}
	s := newStepped(t, ownergraph.Config{})
	s.see(kinds("a", "d"))
	s.list("a", "d")
	s.put("a/s/x@u#1; d/s/d#1 -> a/s/y@u") // the name is another one
	s.wants(ownergraph.CallUnset, "renamed")
	t.Log(s.e.Held(9))
	probe.BeginWait(s.e, s.now)
	s.pass(s.fence())
	s.see(kinds("d"))
	s.wants(ownergraph.CallUnset, "a is not served")
	s.see(kinds("a", "d"))
	c := s.next(ownergraph.LaneStore)
	t.Logf("%s %s %v", c.Type, c.Key, s.e.Held(9))
	if c.Type == ownergraph.CallRead {
		s.done(c, graph.ErrNotFound)
		c = s.next(ownergraph.LaneStore)
	}
	if c.Type == ownergraph.CallDelete {
		t.Errorf("deletes %s, and a/s/x@u lives", c.Key)
	}
}

// TestLossHoldsOrphanings: without fences an orphaning does not end on the strength of
// what was seen of its dependents before a loss.
func TestLossHoldsOrphanings(t *testing.T) {
	s := newStepped(t, ownergraph.Config{
		Level:           ownergraph.Level1,
		CompareVersions: func(_ graph.Kind, a, b graph.Version) int { return number(a) - number(b) },
	}, "o", "d")
	s.put("o#5~[orphan]; d#3 -> o")
	s.answer(s.wants(ownergraph.CallRead, "o has to be seen"), "o#5~[orphan]")
	c := s.wants(ownergraph.CallPatch, "d loses the reference")
	s.done(c, nil)
	s.put("d#6")
	c = s.wants(ownergraph.CallPatch, "o ends")
	s.done(c, errNoAnswer) // the server goes down, and comes back with d#3 -> o
	s.now = s.now.Add(time.Minute)
	c = s.wants(ownergraph.CallRead, "o is read")
	s.answer(c, "o#5~[orphan]")
	over := false
	if c := s.next(ownergraph.LaneStore); c.Type == ownergraph.CallPatch {
		t.Errorf("%s %s: nothing has confirmed that d has no reference", c.Type, c.Key)
		s.done(c, nil)
		over = true
	}
	list := func(k graph.Kind) {
		s.see(begun(k))
		switch {
		case k == "d":
			s.put("d#3 -> o")
		case !over:
			s.put("o#5~[orphan]")
		}
		s.see(ended(k))
	}
	s.e.WatchEnded(s.now, "connection reset", true) // and is back
	for _, k := range []graph.Kind{"o", "d"} {
		list(k)
		s.see(graph.Event{Type: graph.KindRecovered, Kind: k})
	}
	for range 20 {
		s.now = s.now.Add(time.Minute)
		for _, lane := range []ownergraph.Lane{ownergraph.LaneControl, ownergraph.LaneStore} {
			for c := s.next(lane); c.Type != ownergraph.CallUnset; c = s.next(lane) {
				switch {
				case c.Type == ownergraph.CallList:
					s.done(c, nil)
					list(c.Kind)
				case c.Type == ownergraph.CallRead && c.Key.Kind == "d":
					s.answer(c, "d#3 -> o")
				case c.Type == ownergraph.CallRead && !over:
					s.answer(c, "o#5~[orphan]")
				case c.Type == ownergraph.CallRead:
					s.done(c, graph.ErrNotFound)
				case c.Type == ownergraph.CallDelete:
					t.Errorf("%s %s: an orphaned dependent is deleted", c.Type, c.Key)
					return
				case c.Type == ownergraph.CallPatch && c.Key.Kind == "d":
					return // it loses the reference once more
				default:
					s.done(c, nil)
				}
			}
		}
	}
}

// TestLossVoidsLateAbsence: absence that a write found is no evidence after a loss if the
// write began before it (R6).
func TestLossVoidsLateAbsence(t *testing.T) {
	for _, verb := range []string{"write", "reread"} {
		s := newStepped(t, ownergraph.Config{Level: ownergraph.Level1}, "a", "b", "c")
		s.put("a#5; b/1#1 -> a; b/2#2 -> a; c#3 -> b/2")
		s.see(gone("a"))
		var one, two ownergraph.Call
		for range 2 {
			c := s.wants(ownergraph.CallDelete, "a is gone")
			if c.Key.Name == "1" {
				one = c
			} else {
				two = c
			}
		}
		if verb == "reread" {
			s.done(two, graph.ErrConflict)
			two = s.wants(ownergraph.CallRead, "conflict")
		}
		s.done(one, errNoAnswer)       // the server goes down
		s.done(two, graph.ErrNotFound) // what it had answered before
		c := s.next(ownergraph.LaneStore)
		for i := 0; c.Type == ownergraph.CallRead && i < 9; i++ {
			t.Logf("%s: %s %s", verb, c.Type, c.Key)
			switch {
			case c.Key.Kind == "c":
				s.answer(c, "c#3 -> b/2")
			case c.Key.Kind == "b" && c.Key.Name == "2":
				t.Logf("b/2 is read: fine")
			}
			c = s.next(ownergraph.LaneStore)
		}
		if c.Type == ownergraph.CallDelete && c.Key.Kind == "c" {
			t.Errorf("%s: deletes %s, and nothing that began after the loss has shown that b/2 is absent", verb, c.Key)
		}
	}
}

// TestUnreadableObjectIsHeld: an object that may not be read again is held, and WaitIdle
// does not wait for it.
func TestUnreadableObjectIsHeld(t *testing.T) {
	for _, level := range []ownergraph.Level{ownergraph.Level1, ownergraph.Level2} {
		s := newStepped(t, ownergraph.Config{Level: level}, "o")
		s.put("o#1~[foregroundDeletion]")
		s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "o"}}})
		var writes int
		lost := false
		for range 50 {
			s.now = s.now.Add(10 * time.Minute)
			for _, lane := range []ownergraph.Lane{ownergraph.LaneControl, ownergraph.LaneStore} {
				for c := s.next(lane); c.Type != ownergraph.CallUnset; c = s.next(lane) {
					switch c.Type {
					case ownergraph.CallFence:
						s.done(c, nil)
						s.pass(c.Fence)
					case ownergraph.CallRead:
						s.done(c, graph.ErrRefused)
					case ownergraph.CallList:
						s.done(c, nil)
						s.see(begun("o"))
						s.put("o#1~[foregroundDeletion]")
						s.see(ended("o"))
					default:
						writes++
						if !lost {
							s.done(c, errNoAnswer)
							lost = true
							break
						}
						s.done(c, nil)
						s.see(gone("o"))
					}
				}
			}
		}
		if writes < 2 && !s.e.Idle() {
			t.Errorf("level %v: %d writes, idle %t, held %v, stats %+v", level, writes, s.e.Idle(), s.e.Held(9), s.e.Stats())
		}
	}
}

// TestLossHidesCoOwners: a member whose other owner was seen to go before a loss stays
// until that is confirmed.
func TestLossHidesCoOwners(t *testing.T) {
	s := newStepped(t, ownergraph.Config{OwnerName: graph.NameAbsent, Sweeps: []finalizer.Sweep{{
		Finalizer: "x.io/t", Holder: "h", Members: []finalizer.Members{{By: finalizer.ByOwner}},
	}}}, "h", "o", "m", "z")
	s.run(graph.ErrNotFound)
	s.put("h#1[x.io/t]; o#1; m#1 -> h, o")
	s.run(graph.ErrNotFound)
	s.put("z#2 -> z/gone; h#2~[x.io/t]")
	s.done(s.wants(ownergraph.CallRead, "z/gone was never seen"), graph.ErrNotFound)
	c := s.wants(ownergraph.CallDelete, "z/gone is absent")
	s.see(gone("o"))
	s.done(c, errNoAnswer) // the store is restored: o is alive again
	for range 30 {
		s.now = s.now.Add(time.Second)
		for _, lane := range []ownergraph.Lane{ownergraph.LaneControl, ownergraph.LaneStore} {
			for c := s.next(lane); c.Type != ownergraph.CallUnset; c = s.next(lane) {
				switch c.Type {
				case ownergraph.CallFence: // o and m have not been listed yet
					s.done(c, nil)
					s.passed(c.Fence, "h", "z", "")
				case ownergraph.CallRead:
					switch c.Key.Kind {
					case "m":
						s.answer(c, "m#1 -> h, o")
					case "o":
						s.done(c, errBusy)
					case "h":
						s.answer(c, "h#2~[x.io/t]")
					default:
						s.done(c, errBusy)
					}
				case ownergraph.CallDelete:
					if c.Key.Kind == "m" {
						t.Errorf("%s %s, and nothing has shown that o is still gone", c.Type, c.Key)
					}
				default:
					s.done(c, errBusy)
				}
			}
		}
	}
	t.Log(s.e.Held(9))
}

// TestLossEndsByListings: without fences a listing of each kind confirms them. After that
// an owner that the watch sees go need not be read.
func TestLossEndsByListings(t *testing.T) {
	s, lost := cascading(t, ownergraph.Config{Level: ownergraph.Level1})
	s.done(lost, errNoAnswer)
	s.now = s.now.Add(time.Minute)
	s.run(graph.ErrNotFound)
	s.list("a")
	s.see(begun("b"))
	s.put("b/1#1 -> a; b/2#2 -> a; b/3#3 -> a")
	s.see(ended("b"))
	before := s.e.Stats().Calls[ownergraph.CallRead]
	for i := range 100 {
		s.now = s.now.Add(time.Hour)
		s.put(fmt.Sprintf("a/%d#1; b/x%d#1 -> a/%d", i, i, i))
		s.run(graph.ErrNotFound)
		k := graph.Kind("a")
		s.see(graph.Event{Type: graph.Gone, Key: graph.Key{Kind: k, Name: fmt.Sprint(i), UID: graph.UID(fmt.Sprintf("a/%d", i))}})
		s.run(graph.ErrNotFound)
	}
	if n := s.e.Stats().Calls[ownergraph.CallRead] - before; n > 5 {
		t.Errorf("%d reads for 100 owners that the watch saw go days after the loss", n)
	}
}
