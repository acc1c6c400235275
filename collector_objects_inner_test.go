package ownergraph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// putAll returns an engine that observes n pods, each below the one that owner names. A
// negative owner is none.
func putAll(t testing.TB, n int, name func(int) string, owner func(int) int) *engine.Engine {
	t.Helper()
	e, err := engine.New(Level2, Config{})
	if err != nil {
		t.Fatal(err)
	}
	g := e.Inside(inside.Key{}).Driver().Graph()
	if _, err := g.Apply(Event{Type: graph.KindsKnown, Kinds: []KindInfo{{Kind: "pod"}}}); err != nil {
		t.Fatal(err)
	}
	key := func(i int) Key { return Key{Kind: "pod", Name: name(i), UID: graph.UID(fmt.Sprint("u", i))} }
	for i := range n {
		o := Object{Key: key(i), Version: "1"}
		if j := owner(i); j >= 0 {
			o.Owners = []Owner{{Key: key(j)}}
		}
		if _, err := g.Apply(Event{Type: graph.Put, Object: o}); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func alone(int) int        { return -1 }
func belowFirst(i int) int { return min(i, 1) - 1 }

// TestKeysInSlices: pages of many objects have each object once, in order.
func TestKeysInSlices(t *testing.T) {
	const n = 2*keySlice + 5
	e := putAll(t, n, func(i int) string { return fmt.Sprintf("p%05d", i*7919%n) }, alone)
	c, after, all := drive(e), Key{}, []Key(nil)
	for {
		page, err := c.Keys(t.Context(), after, 300, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		all, after = append(all, page...), page[len(page)-1]
	}
	if len(all) != n || !slices.IsSortedFunc(all, Key.Compare) || len(slices.Compact(all)) != n {
		t.Errorf("%d keys, sorted %t, want each of %d once", len(all), slices.IsSortedFunc(all, Key.Compare), n)
	}
}

// TestNearbyInSlices: a limit ends the walk over many dependents, and is exact.
func TestNearbyInSlices(t *testing.T) {
	const n = 10 * nearbySlice
	e := putAll(t, n, func(i int) string { return fmt.Sprint(i) }, belowFirst)
	root, c := Key{Kind: "pod", Name: "0", UID: "u0"}, drive(e)
	for _, limit := range []int{n, n - 1, 20} {
		got, err := c.Nearby(t.Context(), root, limit)
		if len(got.Objects) != limit || got.More != (limit < n) || got.References != n-1 || err != nil {
			t.Errorf("limit %d: %d objects, more %t, %d references, error %v", limit, len(got.Objects), got.More, got.References, err)
		}
	}
}

// BenchmarkKeys measures a page of 50 of a million objects.
func BenchmarkKeys(b *testing.B) {
	e := putAll(b, 1_000_000, func(i int) string { return fmt.Sprintf("web-%d-7d4b9c6f5", i) }, belowFirst)
	c := drive(e)
	for _, m := range []struct {
		name  string
		match func(Key) bool
	}{{"all", nil}, {"few", func(k Key) bool { return strings.Contains(k.Name, "99999") }}} {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if page, err := c.Keys(b.Context(), Key{}, 50, m.match); err != nil || len(page) == 0 {
					b.Fatal(len(page), err)
				}
			}
		})
	}
}

// BenchmarkNearby measures 500 of a million dependents.
func BenchmarkNearby(b *testing.B) {
	e := putAll(b, 1_000_000, func(i int) string { return fmt.Sprintf("web-%d-7d4b9c6f5", i) }, belowFirst)
	c := drive(e)
	for b.Loop() {
		if x, err := c.Nearby(b.Context(), Key{UID: "u0"}, 500); err != nil || len(x.Objects) != 500 {
			b.Fatal(len(x.Objects), err)
		}
	}
}
