package graph_test

import (
	"testing"

	"github.com/ownergraph/ownergraph/graph"
)

// TestRelink: a reference moves with its flags, and no object names an owner twice afterwards.
func TestRelink(t *testing.T) {
	owner := func(name, uid string) graph.Key { return graph.Key{Kind: "k", Name: name, UID: graph.UID(uid)} }
	move := graph.Change{Relink: []graph.Relink{{From: owner("r", "r1"), To: owner("r", "r2")}, {From: owner("s", "s1"), To: owner("r", "r2")}}}
	for _, tc := range []struct{ before, after, reason string }{
		{"k/d -> k/r@r1!^:cascade, k/x", "k/d -> k/r@r2!^:cascade, k/x", "policy, Block and Controller stay"},
		{"k/d -> k/old@r1?", "k/d -> k/old@r2?", "a reference without a place gets none"},
		{"k/d -> other/r@r1", "k/d -> other/r@r2", "a wrong kind stays wrong"},
		{"k/d -> k/r@r1:cascade, k/r@r2", "k/d -> k/r@r2", "the object names the new owner already"},
		{"k/d -> k/r@r1:release, k/s@s1", "k/d -> k/r@r2:release", "two former owners are one now"},
		{"k/r@r2 -> k/r@r1, k/x", "k/r@r2 -> k/x", "no object owns itself"},
		{"k/d -> k/x", "k/d -> k/x", "no reference moves"},
	} {
		objects, err := graph.Parse(tc.before)
		if err != nil {
			t.Fatal(err)
		}
		if got := move.Apply(objects[0]).String(); got != tc.after {
			t.Errorf("%s: %s, want %s", tc.reason, got, tc.after)
		}
		if objects[0].String() != tc.before {
			t.Errorf("%s: the object before is %s now", tc.reason, objects[0])
		}
	}
}
