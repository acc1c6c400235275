package ownergraph_test

import (
	"testing"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// newUnwatched is a stepped engine whose kind "u" can be read and not watched. A
// scoped one is in scope s.
func newUnwatched(t *testing.T, cfg ownergraph.Config, scoped bool) stepped {
	t.Helper()
	s := newStepped(t, cfg, "a", "d")
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{
		{Kind: "a"}, {Kind: "d"}, {Kind: "p", Scoped: true}, {Kind: "u", Scoped: scoped, Unwatched: true},
	}})
	s.list("p")
	s.wants(ownergraph.CallUnset, "the audit of new kinds is over")
	return s
}

// An owner whose kind cannot be watched is read. What the read shows decides: its
// absence is proof (R2), its presence keeps the dependent.
func TestUnwatchedOwnerIsRead(t *testing.T) {
	s := newUnwatched(t, ownergraph.Config{}, false)
	s.put("d/x#1 -> u/o")
	s.done(s.wants(ownergraph.CallRead, "only a read can tell"), graph.ErrNotFound)
	s.wants(ownergraph.CallDelete, "the owner is absent")

	s = newUnwatched(t, ownergraph.Config{}, false)
	s.put("d/x#1 -> u/o")
	s.answer(s.wants(ownergraph.CallRead, "only a read can tell"), "u/o@another#1")
	s.wants(ownergraph.CallDelete, "another UID is there")
}

// No watch says that an owner of such a kind has gone, so it is read again with
// every audit.
func TestUnwatchedOwnerIsReadAgain(t *testing.T) {
	s := newUnwatched(t, ownergraph.Config{AuditEvery: time.Minute}, false)
	s.put("d/x#1 -> u/o")
	s.answer(s.wants(ownergraph.CallRead, "only a read can tell"), "u/o#1")
	s.wants(ownergraph.CallUnset, "the owner is there")
	if held := s.e.Held(9); len(held) != 0 {
		t.Errorf("held: %v, and the owner is there", held)
	}
	for range 2 {
		s.now = s.now.Add(time.Minute + time.Second)
		s.answer(s.wants(ownergraph.CallRead, "it may have gone since then"), "u/o#1")
		s.wants(ownergraph.CallUnset, "it has not")
	}
	s.now = s.now.Add(time.Minute + time.Second)
	s.done(s.wants(ownergraph.CallRead, "it may have gone since then"), graph.ErrNotFound)
	s.wants(ownergraph.CallDelete, "it has")
}

// A kind that nobody watches passes no fence, so no fence waits for it.
func TestUnwatchedKindHoldsNoFence(t *testing.T) {
	s := newUnwatched(t, ownergraph.Config{}, false)
	s.put("a#1~[foregroundDeletion]; d/x#1 -> u/o")
	if w := s.run(errBusy); len(w) != 1 || w[0] != "patch a" {
		t.Errorf("writes %q, want that a is released", w)
	}
	for _, k := range s.e.Kinds() {
		if k.Kind == "u" {
			t.Error("it is among the kinds that are watched")
		}
	}
}

// A read settles nothing where the owner may live in another scope: that takes a
// fence of its kind. Kubernetes looks in the dependent's scope alone.
func TestUnwatchedScopedOwner(t *testing.T) {
	for _, c := range []struct {
		rule   graph.ScopeRule
		want   ownergraph.CallType
		held   int
		reason string
	}{
		{graph.ScopeHold, ownergraph.CallUnset, 1, "no fence covers the kind"},
		{graph.ScopeAbsent, ownergraph.CallRead, 0, "no other scope counts"},
	} {
		s := newUnwatched(t, ownergraph.Config{Scope: c.rule}, true)
		s.put("p/s/x#1 -> u/s/o")
		s.wants(c.want, c.reason)
		held := s.e.Held(9)
		if len(held) != c.held || c.held > 0 && (held[0].Reason != policy.OwnerUnknown || held[0].Doubt != graph.UnservedKind) {
			t.Errorf("held %v: %s", held, c.reason)
		}
	}
}

// What the watch has shown of a kind says nothing any more when the kind cannot be
// watched any more.
func TestUnwatchedFromNowOn(t *testing.T) {
	s := newStepped(t, ownergraph.Config{}, "a", "d", "u")
	s.put("u/o#1~[foregroundDeletion]; d/x#1 -> u/o")
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}, {Kind: "d"}, {Kind: "u", Unwatched: true}}})
	if w := s.run(nil); len(w) != 0 {
		t.Errorf("writes %q, and nobody knows whether the owner waits still", w)
	}
	if held := s.e.Held(9); len(held) != 2 || held[0].Doubt != graph.UnservedKind || held[1].Reason != policy.KindUnserved {
		t.Errorf("held %v, want both", held)
	}
}
