package ownergraph_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/adapters/memory"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
)

var sweepMembers = flag.Int("ownergraph.members", 20_000, "members of the tenant of TestSweepMany")

// TestSweepMany: a tenant with thousands of members in the memory store goes with one
// request for each, and a few more.
func TestSweepMany(t *testing.T) {
	n := *sweepMembers
	objects := []graph.Object{{Key: graph.Key{Kind: "tenant", Name: "1", UID: "t1"}}, {Key: graph.Key{Kind: "tenant", Name: "11", UID: "t11"}}}
	for i := range n {
		k := graph.Key{Kind: "volume", Name: fmt.Sprint("1-", i), UID: graph.UID(fmt.Sprint("v", i))}
		if i%2 == 0 {
			k = graph.Key{Kind: "pod", Scope: fmt.Sprint("1-", i%100), Name: fmt.Sprint("p", i), UID: k.UID}
		}
		objects = append(objects, graph.Object{Key: k})
	}
	objects = append(objects, graph.Object{Key: graph.Key{Kind: "volume", Name: "11-a", UID: "other"}})
	store, err := memory.New(memory.Config{Objects: objects})
	if err != nil {
		t.Fatal(err)
	}
	r := collect(t, &tap{Store: store}, sweeping(tenancy()))
	r.idle()
	before := r.Stats()
	if err := store.Delete(t.Context(), objects[0].Key, ownergraph.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	r.idle()
	after := r.Stats()
	if left := len(store.Objects()); left != 2 {
		t.Errorf("%d objects are left, want the other tenant and its volume", left)
	}
	if cost := probe.Requests(after) - probe.Requests(before); cost > uint64(n)+8 {
		t.Errorf("%d requests for %d members", cost, n)
	}
	t.Logf("%d members: %d deletes, %d patches, %d reads, %d fences", n, after.Calls[ownergraph.CallDelete]-before.Calls[ownergraph.CallDelete],
		after.Calls[ownergraph.CallPatch]-before.Calls[ownergraph.CallPatch], after.Calls[ownergraph.CallRead]-before.Calls[ownergraph.CallRead], after.Calls[ownergraph.CallFence]-before.Calls[ownergraph.CallFence])
}
