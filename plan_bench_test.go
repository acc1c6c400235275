package ownergraph

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/plan"
)

// planWorld returns an idle engine with a root that has n objects below it, in three
// levels, and as many others as more.
func planWorld(tb testing.TB, n, more int) (*Engine, Key) {
	tb.Helper()
	uid := func(kind string, i int) graph.UID {
		return graph.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", len(kind)<<24|int(kind[0]), i))
	}
	key := func(kind string, i int) Key {
		return Key{Kind: Kind(kind), Scope: "shop", Name: fmt.Sprintf("%s-%07d", kind, i), UID: uid(kind, i)}
	}
	kinds := []KindInfo{{Kind: "deployment", Scoped: true}, {Kind: "pod", Scoped: true}, {Kind: "replicaset", Scoped: true}, {Kind: "unrelated", Scoped: true}}
	of := map[Kind][]Object{}
	put := func(k Key, owner Key) {
		o := Object{Key: k, Version: "7", Owners: []Owner{{Key: owner, Block: true, Controller: true}}}
		if owner.Kind == "" {
			o.Owners = nil
		}
		of[k.Kind] = append(of[k.Kind], o)
	}
	root := key("deployment", 0)
	put(root, Key{})
	for i := range n {
		switch {
		case i%10 == 0:
			put(key("replicaset", i), root)
		default:
			put(key("pod", i), key("replicaset", i-i%10))
		}
	}
	for i := range more {
		owner := Key{}
		if i > 0 {
			owner = key("unrelated", i/10*10-10*min(i/10, 1))
		}
		if i%10 == 0 {
			owner = Key{}
		}
		put(key("unrelated", i), owner)
	}
	events := []Event{{Type: graph.KindsKnown, Kinds: kinds}}
	for _, k := range kinds {
		events = append(events, Event{Type: graph.ListBegun, Kind: k.Kind})
		for _, o := range of[k.Kind] {
			events = append(events, Event{Type: graph.Put, Object: o})
		}
		events = append(events, Event{Type: graph.ListEnded, Kind: k.Kind})
	}
	e, err := NewEngine(Level2, Config{})
	if err != nil {
		tb.Fatal(err)
	}
	now := time.Unix(1000, 0)
	if err := (insider{e}).ObserveAll(now, events); err != nil {
		tb.Fatal(err)
	}
	for more := true; more || e.busy(); {
		var c Call
		more, _ = e.nextInto(now, LaneHandler, &c)
	}
	return e, root
}

// BenchmarkPlan plans the deletion of a root with n objects below it, beside others that
// the deletion does not concern. The cost is in proportion to the plan (RULES, P6).
func BenchmarkPlan(b *testing.B) {
	for _, size := range []struct{ n, more int }{{10, 10_000}, {10, 1_000_000}, {1000, 10_000}, {1000, 1_000_000}, {100_000, 10_000}, {100_000, 1_000_000}} {
		e, root := planWorld(b, size.n, size.more)
		for _, p := range []graph.Propagation{graph.Background, graph.Foreground} {
			b.Run(fmt.Sprintf("%s/%d-in-%d", p, size.n, size.n+size.more), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					out, err := insider{e}.Plan(b.Context(), time.Unix(2000, 0), plan.Request{Delete: []plan.Target{{Key: root, Propagation: p}}})
					if err != nil || len(out.Objects) != size.n+1 {
						b.Fatalf("%d objects, %v", len(out.Objects), err)
					}
				}
			})
		}
	}
}
