package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
)

// dense has objects that all own each other. Users may delete all of them.
func dense(p graph.Propagation) {
	const n = 300
	var keys []graph.Key
	for i := range n {
		keys = append(keys, object("a", fmt.Sprint(i)).Key)
	}
	var all []graph.Object
	for i := range n {
		all = append(all, object("a", fmt.Sprint(i), slices.Concat(keys[:i], keys[i+1:])...))
	}
	r := newRig(ownergraph.Config{}, infos("a", "b"), all)
	r.run(time.Minute)
	if p != graph.Unset {
		for i, k := range keys {
			if r.delete(k, p); i%rested == 0 {
				r.rest()
			}
		}
	}
	r.run(time.Hour) // audits
	r.restore()
}

// denseOrder has an ordered root above objects that own each other, without a ring.
func denseOrder() {
	all := []graph.Object{object("a", "root")}
	keys := []graph.Key{all[0].Key}
	for i := range 300 {
		o := object("b", fmt.Sprint(i), keys...)
		all, keys = append(all, o), append(keys, o.Key)
	}
	r := newRig(phased(), infos("a", "b", "c"), all)
	r.run(time.Minute)
	r.delete(all[0].Key, graph.Foreground)
	r.run(time.Hour)
	r.restore()
}

// definition has a container with members of many kinds.
func definition() {
	kinds := manyKinds(many)
	all := []graph.Object{object("top", "t"), object("def", "d")}
	all[1].Owners = []graph.Owner{{Key: all[0].Key}}
	for i := range kinds {
		if kinds[i].Definition = "d"; i%2 == 0 {
			all = append(all, object(kinds[i].Kind, "x"))
		}
	}
	kinds = append(kinds, graph.KindInfo{Kind: "top"}, graph.KindInfo{Kind: "def", Container: graph.Container{Members: graph.KindMembers, Actor: "x"}})
	r := newRig(ownergraph.Config{Brake: engine.Brake{PerCascade: many * many}}, kinds, all)
	r.run(time.Minute)
	r.events(all[1].Key)
	r.delete(all[0].Key, graph.Background)
	r.run(time.Minute)
	r.ask(all[1].Key)
	r.restore()
}

// container has a container with members of many kinds in its scope, and many containers. The
// declaration of their kind changes.
func container() {
	kinds := manyKinds(many)
	all := []graph.Object{object("ns", "n")}
	all[0].Finalizers = []string{"x.io/ns"}
	for i := range kinds {
		kinds[i].Scoped = true
		o := object(kinds[i].Kind, "x")
		o.Scope = "n"
		all = append(all, o, object("ns", fmt.Sprint(i)))
	}
	ns := graph.KindInfo{Kind: "ns", Container: graph.Container{Members: graph.ScopeMembers, Actor: "x", Finalizer: "x.io/ns"}}
	r := newRig(ownergraph.Config{}, append(kinds, ns), all)
	r.run(time.Minute)
	r.delete(all[0].Key, graph.Foreground)
	r.run(time.Minute)
	r.ask(all[0].Key, all[1].Key)
	r.kinds = slices.Clone(r.kinds)
	r.kinds[many].Container = graph.Container{}
	r.see(graph.Event{Type: graph.KindsKnown, Kinds: r.kinds})
	r.run(time.Minute)
	r.restore()
}
