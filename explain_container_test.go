package ownergraph_test

import (
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/graph"
)

// contained returns an engine whose kind ns contains the objects of a scope. The janitor empties
// a marked ns, and then takes off its finalizer.
func contained(t *testing.T, objects string) stepped {
	t.Helper()
	s := newStepped(t, ownergraph.Config{})
	s.see(graph.Event{Type: graph.KindsKnown, Kinds: []graph.KindInfo{
		{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "the janitor", Finalizer: "janitor"}},
		{Kind: "pod", Scoped: true}, {Kind: "node"},
	}})
	for _, k := range []graph.Kind{"ns", "pod", "node"} {
		s.see(begun(k))
	}
	s.put(objects)
	for _, k := range []graph.Kind{"ns", "pod", "node"} {
		s.see(ended(k))
	}
	s.run(nil)
	return s
}

// TestExplainContainer: a marked container waits for its members, and a member that is not marked
// for the actor of the container.
func TestExplainContainer(t *testing.T) {
	for _, c := range []struct{ objects, key, want, reason string }{
		{"ns/shop#1~[janitor]; pod/shop/a#1~[upload]; pod/shop/b#1; pod/other/c#1", "ns/shop",
			"exists keep NeedFinalizers; a: NeedFinalizers controller [upload]; b: NoOwners writer [the janitor] [ns/shop]; pending",
			"the finalizer of a member holds the container"},
		{"ns/shop#1~[janitor]", "ns/shop", "exists keep NeedFinalizers; shop: NeedFinalizers writer [the janitor]; pending", "the actor has only to end it"},
		{"ns/shop#1~[janitor,backup]", "ns/shop",
			"exists keep NeedFinalizers; shop: NeedFinalizers writer [the janitor]; shop: NeedFinalizers controller [backup]; pending", "another finalizer has its own controller"},
		{"ns/shop#1~[janitor]; node/n#1; pod/shop/a#1 -> node/n", "pod/shop/a",
			"exists keep OwnerSolid; n solid watch-saw; a: OwnerSolid writer [the janitor] [ns/shop]; pending", "no owner keeps a member"},
		{"ns/shop#1; pod/shop/a#1", "pod/shop/a", "exists keep NoOwners; a: NoOwners user; resting", "the container stays"},
		{"ns/shop#1~[janitor]; pod/other/a#1", "pod/other/a", "exists keep NoOwners; a: NoOwners user; resting", "the object is in another scope"},
	} {
		if got := contained(t, c.objects).explains(c.key); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.objects, c.reason, got, c.want)
		}
	}
}
