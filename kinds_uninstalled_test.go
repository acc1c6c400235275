package ownergraph_test

import (
	"slices"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// TestUninstalledOwnerKind: a dependent of an owner whose kind is served no more stays,
// and Held names the owner, with its kind (R8). Without the reference the other owners
// decide. A kind in Config.Ignore is the same kind of unknown: it releases nothing.
func TestUninstalledOwnerKind(t *testing.T) {
	for _, tc := range []struct {
		ignore []graph.Kind
		doubt  graph.Doubt
		reason string
	}{
		{nil, graph.UnservedKind, "the kind is gone, perhaps for a moment"},
		{[]graph.Kind{"w"}, graph.IgnoredKind, "whoever ignores a kind says nothing of its objects"},
	} {
		s := newStepped(t, ownergraph.Config{Ignore: tc.ignore}, "b", "d")
		s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "b"}, {Kind: "d"}, {Kind: "w"}}})
		if tc.ignore == nil {
			s.list("w")
			s.put("w/1#1")
		}
		s.put("d/2#1 -> w/1")
		s.run(ownergraph.ErrNotFound)
		s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "b"}, {Kind: "d"}}})
		s.put("d/1#1 -> w/1, b/gone")
		if w := s.run(ownergraph.ErrNotFound); len(w) > 0 {
			t.Errorf("%v: %s", w, tc.reason)
		}
		held := s.e.Held(9)
		for _, h := range held {
			if h.Reason != policy.OwnerUnknown || h.Doubt != tc.doubt || !slices.Contains(h.Detail, "w/1") {
				t.Errorf("%s is held: %s: %s", h.Key, h, tc.reason)
			}
		}
		if len(held) != 2 {
			t.Errorf("held: %v, want both: %s", held, tc.reason)
		}
		s.put("d/1#2 -> b/gone; d/2#2")
		if w := s.run(ownergraph.ErrNotFound); !slices.Equal(w, []string{"delete d/1"}) {
			t.Errorf("%v, once nobody refers to w/1, want d/1 alone to go: %s", w, tc.reason)
		}
		if held := s.e.Held(9); len(held) > 0 {
			t.Errorf("held: %v: %s", held, tc.reason)
		}
	}
}
