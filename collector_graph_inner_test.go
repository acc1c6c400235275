package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/internal/core/seed"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/internal/proof/rig"
	"github.com/ownergraph/ownergraph/policy"
)

// TestCollectorGraph: the copy has every object, the state of the kinds, and the ends that the
// watch has shown. It is of one instant, and later events do not change it.
func TestCollectorGraph(t *testing.T) {
	e := rig.Listed(t, Config{}, "a#1", "c#1", "b#1[x.io/hold] -> a, c")
	rig.Observe(t, e, rig.Gone("a"))
	got, err := drive(e).Graph(t.Context())
	if err != nil || !got.OneInstant {
		t.Fatalf("one instant %v, error %v", got.OneInstant, err)
	}
	rig.Observe(t, e, rig.Gone("c"))
	n, ok := got.Graph.Lookup(rig.Put("b").Object.Key)
	if !ok {
		t.Fatal("b is not in the copy")
	}
	var classes []string
	for _, r := range n.References() {
		classes = append(classes, r.Class.String())
	}
	if want := "dangling solid"; strings.Join(classes, " ") != want {
		t.Errorf("the owners of b are %s, want %s", classes, want)
	}
	if err := got.Graph.Check(); err != nil {
		t.Error(err)
	}
	if e.Inside(inside.Key{}).Driver().Seed().Open.Any() {
		t.Error("a copy is open after the call")
	}
}

// steps takes the steps of a copy of the graph, with a change before each of them, and returns the
// copy.
func steps(t *testing.T, c *Collector, w *seed.Whole, change func(step int)) (Snapshot, error) {
	t.Helper()
	for step, done := 0, false; !done; step++ {
		if step > 2000 {
			t.Fatal("the copy does not end")
		}
		change(step)
		done = w.Step(c.engine.Seed())
	}
	return snapshot(w)
}

// begun returns a copy of the graph that has begun.
func begun(c *Collector) *seed.Whole {
	w := new(seed.Whole)
	w.Restart(c.engine.Seed(), c.engine.GraphConfig())
	return w
}

// TestCollectorGraphTorn: objects that change faster than the copy goes on do not keep it from its
// end. The copy says that it is of several instants.
func TestCollectorGraphTorn(t *testing.T) {
	const leaves = 4 * seed.Slice
	e := rig.Listed(t, Config{}, rig.Many(leaves)...)
	c := drive(e)
	s, err := steps(t, c, begun(c), func(step int) {
		for i := range leaves {
			rig.Observe(t, e, rig.Put(fmt.Sprintf("b/%d#%d -> a", i, step+2)))
		}
	})
	if err != nil || s.OneInstant || s.Graph.Observed() != leaves+1 {
		t.Errorf("one instant %v, %d objects, error %v; want false, %d, nil", s.OneInstant, s.Graph.Observed(), err, leaves+1)
	}
}

// TestCollectorGraphGrows: objects that come without an end do not keep a copy from its end.
func TestCollectorGraphGrows(t *testing.T) {
	e := rig.Listed(t, Config{}, rig.Many(1000)...)
	c := drive(e)
	s, err := steps(t, c, begun(c), func(step int) {
		for i := range 60 { // more than a step copies
			rig.Observe(t, e, rig.Put(fmt.Sprintf("b/new%d-%d#1 -> a", step, i)))
		}
	})
	if err != nil || s.OneInstant {
		t.Errorf("one instant %v, error %v", s.OneInstant, err)
	}
}

// TestCollectorGraphOtherScope: the objects of a kind that has got another scope stay in the copy, as
// they stay in the graph until the next listing of the kind.
func TestCollectorGraphOtherScope(t *testing.T) {
	e := rig.Listed(t, Config{}, "a#1", "b#1 -> a", "c#1")
	rig.Observe(t, e, Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "b", Scoped: true}, {Kind: "c"}}})
	s, err := drive(e).Graph(t.Context())
	if err != nil || s.Graph.Observed() != 3 {
		t.Fatalf("%v, error %v; want three objects", s.Graph, err)
	}
	if err := s.Graph.Check(); err != nil {
		t.Error(err)
	}
}

// TestCollectorGraphProtects: labels are not in the copy, so a mark counts for no dependent where a
// rule by labels may protect the owner. A judgement then keeps the dependent.
func TestCollectorGraphProtects(t *testing.T) {
	e := rig.Listed(t, Config{Protect: []guard.Protection{{Kinds: []Kind{"a"}, Selector: "keep"}}}, "a#1~[foreground]", "b#1 -> a")
	s, err := drive(e).Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n, _ := s.Graph.Lookup(rig.Put("b").Object.Key)
	f := policy.FactsOf(n)
	if d := policy.Decide(&f, policy.Settings{}, nil); f.Owners[0].Class != graph.Solid || d.Action != policy.Keep {
		t.Errorf("the owner is %s, and the decision %s (%s)", f.Owners[0].Class, d.Action, d.Reason)
	}
}

// TestCollectorGraphRewind: a copy begins anew after a rewind, since the ends from before no longer
// prove anything.
func TestCollectorGraphRewind(t *testing.T) {
	e := rig.Listed(t, Config{}, append(rig.Many(2*seed.Slice), "c#1 -> a")...)
	rig.Observe(t, e, rig.Gone("a"))
	c := drive(e)
	s, err := steps(t, c, begun(c), func(step int) {
		if step == 1 {
			rig.Observe(t, e, Event{Type: graph.Rewound})
		}
	})
	n, ok := s.Graph.Lookup(rig.Put("c").Object.Key)
	if err != nil || !ok || n.Reference(0).Class != graph.Unknown {
		t.Errorf("error %v, c %t; want an unknown owner", err, ok)
	}
	if c.engine.Seed().Open.Any() {
		t.Error("a copy is open")
	}
}

// TestCollectorGraphErrors: without a context and after its end there is no copy, and none stays
// open.
func TestCollectorGraphErrors(t *testing.T) {
	e := rig.Listed(t, Config{}, "a#1")
	c, cause := drive(e), errors.New("over")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for _, tc := range []struct {
		ctx    context.Context
		want   error
		reason string
	}{
		{nil, ErrInvalid, "there is no context"},
		{ended, cause, "the context has ended"},
	} {
		s, err := c.Graph(tc.ctx)
		if s.Graph != nil || !errors.Is(err, tc.want) || !strings.HasPrefix(fmt.Sprint(err), "copy the graph: ") {
			t.Errorf("error %v, want %v: %s", err, tc.want, tc.reason)
		}
	}
	if c.engine.Seed().Open.Any() {
		t.Error("a copy is open")
	}
}

// BenchmarkCollectorGraph copies 100,000 objects. The bytes of an object are those that the copy
// allocates, and those that the result keeps.
func BenchmarkCollectorGraph(b *testing.B) {
	const n = 100_000
	e := putAll(b, n, func(i int) string { return fmt.Sprintf("web-%d-7d4b9c6f5-abcdefghijk", i) }, belowFirst)
	c := drive(e)
	b.ReportAllocs()
	var s Snapshot
	var before, after, kept runtime.MemStats
	for b.Loop() {
		s = Snapshot{}
		runtime.GC()
		runtime.ReadMemStats(&before)
		var err error
		if s, err = c.Graph(b.Context()); err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&kept)
	}
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/n, "B/object-allocated")
	b.ReportMetric((float64(kept.HeapAlloc)-float64(before.HeapAlloc))/n, "B/object-kept")
	runtime.KeepAlive(s)
}
