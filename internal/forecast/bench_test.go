package forecast

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/plan"
)

// planWorld returns an idle engine with a root that has n objects below it, in three
// levels, and as many others as more.
func planWorld(tb testing.TB, n, more int) (*engine.Engine, graph.Key) {
	tb.Helper()
	uid := func(kind string, i int) graph.UID {
		return graph.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", len(kind)<<24|int(kind[0]), i))
	}
	key := func(kind string, i int) graph.Key {
		return graph.Key{Kind: graph.Kind(kind), Scope: "shop", Name: fmt.Sprintf("%s-%07d", kind, i), UID: uid(kind, i)}
	}
	kinds := []graph.KindInfo{{Kind: "deployment", Scoped: true}, {Kind: "pod", Scoped: true}, {Kind: "replicaset", Scoped: true}, {Kind: "unrelated", Scoped: true}}
	of := map[graph.Kind][]graph.Object{}
	put := func(k graph.Key, owner graph.Key) {
		o := graph.Object{Key: k, Version: "7", Owners: []graph.Owner{{Key: owner, Block: true, Controller: true}}}
		if owner.Kind == "" {
			o.Owners = nil
		}
		of[k.Kind] = append(of[k.Kind], o)
	}
	root := key("deployment", 0)
	put(root, graph.Key{})
	for i := range n {
		switch {
		case i%10 == 0:
			put(key("replicaset", i), root)
		default:
			put(key("pod", i), key("replicaset", i-i%10))
		}
	}
	for i := range more {
		owner := graph.Key{}
		if i > 0 {
			owner = key("unrelated", i/10*10-10*min(i/10, 1))
		}
		if i%10 == 0 {
			owner = graph.Key{}
		}
		put(key("unrelated", i), owner)
	}
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: kinds}}
	for _, k := range kinds {
		events = append(events, graph.Event{Type: graph.ListBegun, Kind: k.Kind})
		for _, o := range of[k.Kind] {
			events = append(events, graph.Event{Type: graph.Put, Object: o})
		}
		events = append(events, graph.Event{Type: graph.ListEnded, Kind: k.Kind})
	}
	e, err := engine.New(engine.Level2, engine.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	now := time.Unix(1000, 0)
	if err := e.Inside(inside.Key{}).ObserveAll(now, events); err != nil {
		tb.Fatal(err)
	}
	for e.Inside(inside.Key{}).Busy() {
		_, _ = e.Next(now, engine.LaneHandler)
	}
	return e, root
}

// driver returns an engine with the rights of a driver.
func driver(e *engine.Engine) engine.Driver { return e.Inside(inside.Key{}).Driver() }

// BenchmarkPlan plans the deletion of a root with n objects below it, beside others that
// the deletion does not concern. The cost is in proportion to the plan (RULES, P6).
func BenchmarkPlan(b *testing.B) {
	for _, size := range []struct{ n, more int }{{10, 10_000}, {10, 1_000_000}, {1000, 10_000}, {1000, 1_000_000}, {100_000, 10_000}, {100_000, 1_000_000}} {
		e, root := planWorld(b, size.n, size.more)
		for _, p := range []graph.Propagation{graph.Background, graph.Foreground} {
			b.Run(fmt.Sprintf("%s/%d-in-%d", p, size.n, size.n+size.more), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					out, err := PlanAtOnce(b.Context(), driver(e), time.Unix(2000, 0), plan.Request{Delete: []plan.Target{{Key: root, Propagation: p}}}, nil)
					if err != nil || len(out.Objects) != size.n+1 {
						b.Fatalf("%d objects, %v", len(out.Objects), err)
					}
				}
			})
		}
	}
}
