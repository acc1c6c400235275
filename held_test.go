package ownergraph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
)

// stepped is an engine of level 2 whose reads and fences are answered by hand.
type stepped struct {
	*testing.T
	e   *engine.Engine
	now time.Time
}

func newStepped(t *testing.T, cfg ownergraph.Config, kinds ...graph.Kind) stepped {
	t.Helper()
	e, err := engine.New(ownergraph.Level2, cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := stepped{t, e, time.Unix(0, 0)}
	s.serve(kinds...)
	s.list(kinds...)
	return s
}

// serve says that these kinds are served, and no others.
func (s stepped) serve(kinds ...graph.Kind) {
	s.Helper()
	known := graph.Event{Type: graph.KindsKnown}
	for _, k := range kinds {
		known.Kinds = append(known.Kinds, graph.KindInfo{Kind: k})
	}
	s.see(known)
}

// list lists kinds in which nothing is.
func (s stepped) list(kinds ...graph.Kind) {
	s.Helper()
	for _, k := range kinds {
		s.see(graph.Event{Type: graph.ListBegun, Kind: k}, graph.Event{Type: graph.ListEnded, Kind: k})
	}
}

func (s stepped) see(events ...graph.Event) {
	s.Helper()
	for _, ev := range events {
		if err := s.e.Observe(s.now, ev); err != nil {
			s.Fatal(err)
		}
	}
}

func (s stepped) put(notation string) {
	s.Helper()
	objects, err := graph.Parse(notation)
	if err != nil {
		s.Fatal(err)
	}
	for _, o := range objects {
		s.see(graph.Event{Type: graph.Put, Object: o})
	}
}

// run answers every read with err, passes every fence, and returns the writes,
// which stay under way, in order.
func (s stepped) run(err error) (writes []string) {
	s.Helper()
	for more := true; more; {
		more = false
		for _, lane := range []engine.Lane{engine.LaneControl, engine.LaneStore} {
			c, at := s.e.Next(s.now, lane)
			more = more || c.Type != engine.CallUnset || !at.IsZero() && !at.After(s.now)
			switch c.Type {
			case engine.CallRead:
				s.done(c, err)
			case engine.CallFence:
				s.done(c, nil)
				s.pass(uint64(c.ID))
			case engine.CallPatch, engine.CallDelete:
				writes = append(writes, fmt.Sprintf("%s %s", c.Type, c.Key))
			}
		}
	}
	return writes
}

// done reports the result of a call. The token of a fence is the call's id.
func (s stepped) done(c engine.Call, err error) {
	s.Helper()
	if err := s.e.Done(s.now, c.ID, engine.Result{Err: err, Fence: uint64(c.ID)}); err != nil {
		s.Fatal(err)
	}
}

func (s stepped) pass(fence uint64) {
	s.Helper()
	for _, k := range s.e.Kinds() {
		s.see(graph.Event{Type: graph.FencePassed, Kind: k.Kind, Fence: fence})
	}
	s.see(graph.Event{Type: graph.FencePassed, Fence: fence})
}

// TestDuplicateUIDsAreHeld: the engine writes nothing to two live objects with one UID, nor
// to their dependents. A write to one may reach the other (S8).
func TestDuplicateUIDsAreHeld(t *testing.T) {
	for _, finalizer := range []string{"orphan", "foreground"} {
		s := newStepped(t, ownergraph.Config{}, "a", "b", "d")
		s.put("a/x@u#5~[" + finalizer + "]; b/x@u#5~[" + finalizer + "]; d#1 -> a/x@u!")
		if w := s.run(nil); len(w) > 0 {
			t.Errorf("%s: %v, with two live objects of one UID", finalizer, w)
		}
		held := s.e.Held(9)
		if len(held) != 3 || held[1].Reason != policy.UIDShared || held[2].Doubt != graph.SharedUID {
			t.Errorf("%s: held: %v", finalizer, held)
		}
		s.see(graph.Event{Type: graph.Gone, Key: graph.Key{Kind: "b", Name: "x", UID: "u"}})
		if w := s.run(nil); len(w) != 1 {
			t.Errorf("%s: %v, once there is one object of that UID; want a write to d", finalizer, w)
		}
	}
}

// TestManyReadsOneDecision: a dependent waits for many reads. The engine decides it again
// after the last read, and not after each one. This is also so where the reads fail.
func TestManyReadsOneDecision(t *testing.T) {
	const owners, dependents = 40, 10
	var text string
	for d := range dependents {
		text += fmt.Sprintf("d/%d#1", d)
		for o := range owners {
			text += []string{" -> ", ", "}[min(o, 1)] + fmt.Sprintf("a/%d", o)
		}
		text += "; "
	}
	text = strings.TrimSuffix(text, "; ")
	for _, c := range []struct {
		answer error
		most   uint64
		writes int
		reason string
	}{
		{graph.ErrNotFound, 3 * dependents, dependents, "each is decided when it comes, and when all its owners are read"},
		{graph.ErrRefused, 3 * dependents, 0, "a dependent of an unreadable owner is held"},
		{errors.New("overload"), 3 * dependents, 0, "a failed read is tried again, and no dependent waits for it alone"},
	} {
		s := newStepped(t, ownergraph.Config{OwnerName: graph.NameAbsent}, "a", "d")
		s.put(text)
		if w := s.run(c.answer); len(w) != c.writes {
			t.Errorf("%v: %d writes, want %d: %s", c.answer, len(w), c.writes, c.reason)
		}
		if n := s.e.Stats().Decisions; n > c.most {
			t.Errorf("%v: %d decisions for %d objects with %d owners: %s", c.answer, n, dependents, owners, c.reason)
		}
		if held := len(s.e.Held(99)); c.answer == graph.ErrRefused && held != dependents {
			t.Errorf("%d held, want %d", held, dependents)
		}
	}
}

type busyFor time.Duration

func (busyFor) Error() string               { return "busy" }
func (b busyFor) RetryAfter() time.Duration { return time.Duration(b) }

// TestReadComesBackWhenAsked: the engine repeats a read at the time that the store asks
// for, and not before. Further dependents that need the read do not change this.
func TestReadComesBackWhenAsked(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	for i, text := range []string{"b#1 -> a", "b/2#1 -> a", "b#2 -> a"} {
		s.put(text)
		s.run(busyFor(time.Minute))
		if n := s.e.Stats().Calls.Of(engine.CallRead); n != 1 {
			t.Errorf("%d reads after %d of the events, want 1", n, i+1)
		}
	}
	s.now = s.now.Add(time.Minute)
	if w := s.run(graph.ErrNotFound); len(w) != 2 || s.e.Stats().Calls.Of(engine.CallRead) != 2 {
		t.Errorf("%d reads, then %v; want one more read and two deletes", s.e.Stats().Calls.Of(engine.CallRead), w)
	}
}

// TestHeldOnceUnreadable: a dependent is held once the read of its owner is refused. It is
// not held while the read is tried again.
func TestHeldOnceUnreadable(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("b#1 -> a")
	s.run(errors.New("overload"))
	if held := s.e.Held(9); len(held) > 0 {
		t.Errorf("held: %v, though the read is tried again", held)
	}
	s.now = s.now.Add(time.Hour)
	s.run(graph.ErrRefused)
	if held := s.e.Held(9); len(held) != 1 || held[0].Doubt != graph.Unreadable {
		t.Errorf("held: %v, want b, because the read of its owner is refused", held)
	}
}

// TestHeldIsWhoAsked: the graph uses ids again. A dependent goes while its owner is read,
// and another object gets its id. That object is not held for the owner.
func TestHeldIsWhoAsked(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b", "d")
	s.put("b#1 -> a; d#1")
	read := s.wants(engine.CallRead, "a was never observed")
	s.put("d#2 -> a")
	s.see(gone("b"))
	s.put("d#3 -> a, x") // x takes the id of b
	s.done(read, graph.ErrRefused)
	for _, h := range s.e.Held(9) {
		if h.Key.Kind != "d" {
			t.Errorf("%s is held: %s", h.Key, h.Reason)
		}
	}
}

// TestRemovalIsAwaited: a server may mark an object and remove it in two steps of one
// deletion. In between the engine is not idle, and makes no call. An object that stays
// marked longer waits for something outside.
func TestRemovalIsAwaited(t *testing.T) {
	s := newStepped(t, probe.Tuned(ownergraph.Config{}, inside.Tuning{AwaitTimeout: time.Minute}), "a", "b")
	idle := func(want bool, reason string) {
		t.Helper()
		if w := s.run(errBusy); len(w) > 0 || s.e.Idle() != want || probe.Requests(s.e.Stats()) > 0 {
			t.Errorf("idle: %t, writes %v, want %t and nothing asked: %s", s.e.Idle(), w, want, reason)
		}
	}
	s.put("a#2~; b#2~[x.io/h]")
	idle(false, "the removal of a is on its way")
	s.now = s.now.Add(2 * time.Minute)
	idle(true, "the removal has not come")
	if held := s.e.Held(9); len(held) != 2 || held[0].Reason != policy.NeedGrace {
		t.Errorf("held: %v, want a and b", held)
	}
	s.put("a#3~")
	idle(false, "the store does something with a")
	s.see(gone("a"))
	idle(true, "b waits for its finalizer")
}

// TestHeldIsTheFirst: Held returns the first objects by key, of any number of held ones.
func TestHeldIsTheFirst(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a")
	for i := range 500 {
		s.put(fmt.Sprintf("a/%03d#1~[x.io/h]", (i*77)%500))
	}
	s.run(nil)
	for _, limit := range []int{0, 1, 7, 499, 500, 501} {
		held := s.e.Held(limit)
		if len(held) != min(limit, 500) {
			t.Errorf("%d of at most %d", len(held), limit)
		}
		for i, h := range held {
			if want := fmt.Sprintf("%03d", i); h.Key.Name != want {
				t.Fatalf("of at most %d, %d is %s, want %s", limit, i, h.Key, want)
			}
		}
	}
}

// TestSickKindIsNotListed: only the outside can mend a kind that the store calls sick. The
// engine does not wait for a listing of it.
func TestSickKindIsNotListed(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.see(graph.Event{Type: graph.KindSick, Kind: "b", Reason: "down"}, rewound())
	s.list("a")
	if c := s.next(engine.LaneControl); c.Type != engine.CallUnset || !s.e.Idle() {
		t.Errorf("%s %s, idle: %t, want no call", c.Type, c.Kind, s.e.Idle())
	}
}

// TestConflictIsReadUntilAnswered: the engine repeats a failed read after a conflict. No
// write comes before the answer (R1).
func TestConflictIsReadUntilAnswered(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "b")
	s.put("a#1; b#1 -> a")
	s.see(gone("a"))
	s.done(s.wants(engine.CallDelete, "its owner is gone"), graph.ErrConflict)
	for range 3 {
		s.done(s.wants(engine.CallRead, "the write was refused"), errBusy)
		s.now = s.now.Add(time.Hour)
	}
	s.answer(s.wants(engine.CallRead, "nothing was answered"), "b#2 -> a")
	s.done(s.wants(engine.CallRead, "a may be back, where the store was restored"), graph.ErrNotFound)
	if c := s.wants(engine.CallDelete, "b's owner is as absent as before"); c.Options.Precondition.Version != "2" {
		t.Errorf("deletes version %q, and the read answered 2", c.Options.Precondition.Version)
	}
}

// TestGoneInASickKind: a read does not find an object of a kind that the store calls sick.
// The object waits for the kind's recovery, and the engine is idle until then.
func TestGoneInASickKind(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := newStepped(t, ownergraph.Config{}, "a", "b")
		s.put("a#1; b#1 -> a")
		s.see(gone("a"))
		sick := graph.Event{Type: graph.KindSick, Kind: "b", Reason: "down"}
		c := s.wants(engine.CallDelete, "its owner is gone")
		if !late {
			s.see(sick)
		}
		s.done(c, graph.ErrNotFound)
		s.see(sick)
		for range 3 {
			s.now = s.now.Add(time.Hour)
			s.run(errBusy)
		}
		if held := s.e.Held(9); !s.e.Idle() || !late && (len(held) != 1 || held[0].Reason != policy.KindSick) {
			t.Errorf("late %t: idle: %t, held %v, want rest", late, s.e.Idle(), held)
		}
		s.see(graph.Event{Type: graph.KindRecovered, Kind: "b"})
		if c := s.next(engine.LaneControl); c.Type != engine.CallList || c.Kind != "b" {
			t.Errorf("late %t: %s %s, want the listing of b", late, c.Type, c.Kind)
		}
	}
}

// TestHeldText: a held object has a line for a person. Keys have neither UIDs nor marks, finalizers
// stay as they are, and no text controls a terminal.
func TestHeldText(t *testing.T) {
	web := graph.Key{Kind: "apps/Deployment", Scope: "shop", Name: "web", UID: "u"}
	for _, c := range []struct {
		h            engine.Held
		want, reason string
	}{
		{engine.Held{Key: web, Reason: policy.NeedDependents, Detail: []string{"Pod/shop/a@1", "Pod/shop/b@2!^"}},
			"Deployment.apps/shop/web: dependents hold it (Pod/shop/a, Pod/shop/b)", "the details are keys"},
		{engine.Held{Key: web, Reason: policy.NeedFinalizers, Detail: []string{"a/b@c"}},
			"Deployment.apps/shop/web: finalizers hold it (a/b@c)", "a finalizer may look like a key"},
		{engine.Held{Key: web, Reason: policy.StoreRefused, LastError: "no\x1b[2J"},
			"Deployment.apps/shop/web: the store refused the write; last error: no\ufffd[2J", "a store may send anything"},
	} {
		if got := c.h.String(); got != c.want {
			t.Errorf("%q, want %q: %s", got, c.want, c.reason)
		}
	}
}
