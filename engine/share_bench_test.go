package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/share"
)

// BenchmarkSetShare moves half of the slots of an engine with a million objects, each with an owner
// that lives. The engine looks at all objects again, in slices. Longest is the longest call of Next.
func BenchmarkSetShare(b *testing.B) {
	const owners, each = 1_000, 1_000
	e, err := New(Level2, Config{})
	if err != nil {
		b.Fatal(err)
	}
	now := time.Unix(1000, 0)
	events := []graph.Event{{Type: graph.KindsKnown, Kinds: []graph.KindInfo{{Kind: "a"}}}, {Type: graph.ListBegun, Kind: "a"}}
	put := func(name string, owner *graph.Object) graph.Object {
		o := graph.Object{Key: graph.Key{Kind: "a", Name: name, UID: graph.UID("5f0c9b1e-0000-4000-8000-" + name)}, Version: "1"}
		if owner != nil {
			o.Owners = []graph.Owner{{Key: owner.Key}}
		}
		events = append(events, graph.Event{Type: graph.Put, Object: o})
		return o
	}
	for i := range owners {
		owner := put(fmt.Sprintf("%012x", i), nil)
		for j := range each {
			put(fmt.Sprintf("%012x", owners+i*each+j), &owner)
		}
	}
	events = append(events, graph.Event{Type: graph.ListEnded, Kind: "a", Version: "1"})
	if err := (insider{e}).ObserveAll(now, events); err != nil {
		b.Fatal(err)
	}
	rest := func() (longest time.Duration) {
		for more := true; more; {
			began := time.Now()
			for lane := LaneStore; lane <= LaneControl; lane++ {
				if call, _ := e.Next(now, lane); call.Type != CallUnset {
					b.Fatalf("%s: nothing is garbage", call.String())
				}
			}
			longest, more = max(longest, time.Since(began)), e.busy()
		}
		return longest
	}
	rest()
	sets, err := share.Divide([]string{"a", "b"})
	if err != nil {
		b.Fatal(err)
	}
	longest := time.Duration(0)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if err := e.SetShare(now, sets[i%2], time.Time{}); err != nil {
			b.Fatal(err)
		}
		longest = max(longest, rest())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*owners*each), "ns/object")
	b.ReportMetric(float64(longest.Microseconds()), "longest-us")
}
