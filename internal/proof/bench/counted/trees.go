package main

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// treeSize is the number of objects of a tree: one root, three inner nodes and thirty
// leaves.
const treeSize = 34

// kinds are those of a tree, from the root on.
func kinds() []graph.KindInfo {
	return []graph.KindInfo{{Kind: "deployment", Scoped: true}, {Kind: "replicaset", Scoped: true}, {Kind: "pod", Scoped: true}}
}

// trees returns the objects of n trees, owners first. The root of a tree is the first of
// its objects.
func trees(n int) []graph.Object {
	out := make([]graph.Object, 0, n*treeSize)
	add := func(kind graph.Kind, name string, owner graph.Key) graph.Key {
		id := len(out) + 1
		o := graph.Object{Version: graph.Version(fmt.Sprint(id))}
		o.Key = graph.Key{Kind: kind, Scope: "shop", Name: name, UID: graph.UID(fmt.Sprintf("3f0a9c1e-0000-4000-8000-%012x", id))}
		if owner.UID != "" {
			o.Owners = []graph.Owner{{Key: owner, Block: true, Controller: true}}
		}
		out = append(out, o)
		return o.Key
	}
	for t := range n {
		root := add("deployment", fmt.Sprint("web-", t), graph.Key{})
		for i := range 3 {
			inner := add("replicaset", fmt.Sprint("web-", t, "-7d4b9c6f5-", i), root)
			for j := range 10 {
				add("pod", fmt.Sprint("web-", t, "-7d4b9c6f5-x2x4z-", i, "-", j), inner)
			}
		}
	}
	return out
}

// mixed returns a number from 0 to n-1 for each i in that range, in an order that jumps.
func mixed(i, n int) int {
	const stride = 7919 // a prime number that is no factor of a row's size
	return i * stride % n
}
