package ownergraph

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/guard"
	"github.com/ownergraph/ownergraph/policy"
)

// TestCollectorGraph: the copy has every object, the state of the kinds, and the ends that the
// watch has shown. It is of one instant, and later events do not change it.
func TestCollectorGraph(t *testing.T) {
	e := listed(t, Config{}, "a#1", "c#1", "b#1[x.io/hold] -> a, c")
	e.observeEach(t, goneOf("a"))
	got, err := drive(e, e.cfg.Config).Graph(t.Context())
	if err != nil || !got.OneInstant {
		t.Fatalf("one instant %v, error %v", got.OneInstant, err)
	}
	e.observeEach(t, goneOf("c"))
	n, ok := got.Graph.Lookup(put("b").Object.Key)
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
	if was, is := len(e.copies), 0; was != is {
		t.Errorf("%d copies are open after the call", was)
	}
}

// TestCollectorGraphTorn: objects that change faster than the copy goes on do not keep it from its
// end. The copy says that it is of several instants.
func TestCollectorGraphTorn(t *testing.T) {
	const leaves = 4 * copySlice
	e := listed(t, Config{}, many(leaves)...)
	var w wholeCopy
	w.restart(e)
	for version, done := 2, false; !done; version++ {
		if version > 1000 {
			t.Fatal("the copy does not end")
		}
		for i := range leaves {
			e.observeEach(t, put(fmt.Sprintf("b/%d#%d -> a", i, version)))
		}
		done = w.step(e)
	}
	s, err := w.snapshot()
	if err != nil || s.OneInstant || s.Graph.Observed() != leaves+1 {
		t.Errorf("one instant %v, %d objects, error %v; want false, %d, nil", s.OneInstant, s.Graph.Observed(), err, leaves+1)
	}
}

// TestCollectorGraphGrows: objects that come without an end do not keep a copy from its end.
func TestCollectorGraphGrows(t *testing.T) {
	e := listed(t, Config{}, many(1000)...)
	var w wholeCopy
	w.restart(e)
	for steps, done := 0, false; !done; steps++ {
		if steps > 2000 {
			t.Fatalf("the copy has %d parts and does not end", w.copy.Len())
		}
		for i := range 60 { // more than a step copies
			e.observeEach(t, put(fmt.Sprintf("b/new%d-%d#1 -> a", steps, i)))
		}
		done = w.step(e)
	}
	if s, err := w.snapshot(); err != nil || s.OneInstant {
		t.Errorf("one instant %v, error %v", s.OneInstant, err)
	}
}

// TestCollectorGraphOtherScope: the objects of a kind that has got another scope stay in the copy, as
// they stay in the graph until the next listing of the kind.
func TestCollectorGraphOtherScope(t *testing.T) {
	e := listed(t, Config{}, "a#1", "b#1 -> a", "c#1")
	e.observeEach(t, Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "a"}, {Kind: "b", Scoped: true}, {Kind: "c"}}})
	s, err := drive(e, e.cfg.Config).Graph(t.Context())
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
	e := listed(t, Config{Protect: []guard.Protection{{Kinds: []Kind{"a"}, Selector: "keep"}}}, "a#1~[foreground]", "b#1 -> a")
	s, err := drive(e, e.cfg.Config).Graph(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n, _ := s.Graph.Lookup(put("b").Object.Key)
	f := policy.FactsOf(n)
	if d := policy.Decide(&f, policy.Settings{}, nil); f.Owners[0].Class != graph.Solid || d.Action != policy.Keep {
		t.Errorf("the owner is %s, and the decision %s (%s)", f.Owners[0].Class, d.Action, d.Reason)
	}
}

// TestCollectorGraphRewind: a copy begins anew after a rewind, since the ends from before prove
// nothing any more.
func TestCollectorGraphRewind(t *testing.T) {
	e := listed(t, Config{}, "a#1", "b#1 -> a")
	e.observeEach(t, goneOf("a"))
	var w wholeCopy
	w.restart(e)
	first := w.copy
	e.observeEach(t, Event{Type: graph.Rewound})
	w.step(e)
	if w.copy == first || len(e.copies) > 1 || slices.Contains(e.copies, first) {
		t.Error("the copy goes on after a rewind")
	}
}

// TestCollectorGraphErrors: without a context and after its end there is no copy, and none stays
// open.
func TestCollectorGraphErrors(t *testing.T) {
	e := listed(t, Config{}, "a#1")
	c, cause := drive(e, e.cfg.Config), errors.New("over")
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
	if len(e.copies) > 0 {
		t.Errorf("%d copies are open", len(e.copies))
	}
}

// TestEngineNode: a node leads from an object to its dependents and owners.
func TestEngineNode(t *testing.T) {
	e := listed(t, Config{}, "a#1", "b#1 -> a", "c#1 -> b")
	n, ok := e.Node(put("a").Object.Key)
	if !ok {
		t.Fatal("no node")
	}
	var below []string
	for d := range n.Descendants() {
		below = append(below, d.Key().PlaceString())
	}
	if got := strings.Join(below, " "); got != "b/b c/c" {
		t.Errorf("below a are %q", got)
	}
	if _, ok := e.Node(put("none").Object.Key); ok {
		t.Error("there is a node for an object that neither the watch nor a reference has named")
	}
}

// BenchmarkCollectorGraph copies 100,000 objects. The bytes of an object are those that the copy
// allocates, and those that the result keeps.
func BenchmarkCollectorGraph(b *testing.B) {
	const n = 100_000
	e := putAll(b, n, func(i int) string { return fmt.Sprintf("web-%d-7d4b9c6f5-abcdefghijk", i) }, belowFirst)
	c := drive(e, e.cfg.Config)
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
