package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/history"
	"github.com/ownergraph/ownergraph/internal/portion"
)

// podOf is a pod as a cluster has it, with one owner.
func podOf(n int, owner graph.Key) graph.Object {
	k := graph.Key{Kind: "b", Name: fmt.Sprintf("web-7d4b9c6f5-x2x4z-%09d", n), UID: graph.UID(fmt.Sprintf("3f0a9c1e-0000-4000-8001-%012x", n))}
	return graph.Object{Key: k, Version: graph.Version(fmt.Sprint(1_000_000 + n)), Owners: []graph.Owner{{Key: owner, Block: true, Controller: true}}}
}

func ownerOf(n int) graph.Object {
	k := graph.Key{Kind: "a", Name: fmt.Sprintf("web-7d4b9c6f5-%09d", n), UID: graph.UID(fmt.Sprintf("3f0a9c1e-0000-4000-8000-%012x", n))}
	return graph.Object{Key: k, Version: "1"}
}

// cascadeOf returns a function that brings an owner with a pod, ends the owner, and deletes
// the pod. The events exist before.
func cascadeOf(tb testing.TB, e *Engine, n int) func() {
	at, events := 0, make([][4]graph.Event, n)
	for i := range events {
		o := ownerOf(i)
		p := podOf(i, o.Key)
		events[i] = [4]graph.Event{{Type: graph.Put, Object: o}, {Type: graph.Put, Object: p}, {Type: graph.Gone, Key: o.Key}, {Type: graph.Gone, Key: p.Key}}
	}
	return func() {
		for i := range 4 {
			if err := e.Observe(e.now, events[at%n][i]); err != nil {
				tb.Fatal(err)
			}
			for i == 2 {
				c, again := e.Next(e.now, LaneStore)
				if c.Type != CallUnset {
					if err := e.Done(e.now, c.ID, Result{}); err != nil {
						tb.Fatal(err)
					}
				} else if again.IsZero() || again.After(e.now) {
					break
				}
			}
		}
		at++
	}
}

// TestHistoryMemory: a full history takes as many bytes for each entry as the comment on
// Config.History says. An event then allocates nothing for it.
func TestHistoryMemory(t *testing.T) {
	const entries, most = 10_000, 420
	perRun := map[int]float64{}
	for _, limit := range []int{-1, entries} {
		e := listed(t, Config{History: limit})
		step := cascadeOf(t, e, 3*entries)
		for range 2 * entries {
			step()
		}
		perRun[limit] = testing.AllocsPerRun(5000, step)
		if limit < 0 {
			continue
		}
		n, size := e.history.Len(), e.history.Bytes()
		t.Logf("%d entries take %d bytes, %d each", n, size, size/n)
		if n != entries || size/n > most {
			t.Errorf("%d entries take %d bytes each, want %d entries of at most %d", n, size/n, entries, most)
		}
		if err := e.history.Check(); err != nil {
			t.Error(err)
		}
	}
	if perRun[entries] > perRun[-1] {
		t.Errorf("%v allocations with a history, %v without", perRun[entries], perRun[-1])
	}
}

// TestManyRoots: any number of roots, and names of any length, take a bounded memory. A
// root that was forgotten is labelled so.
func TestManyRoots(t *testing.T) {
	roots := portion.Number(20_000, 100_000)
	e := listed(t, Config{History: 100})
	e.observeEach(t, graph.Event{Type: graph.Put, Object: ownerOf(roots)})
	e.observeEach(t, graph.Event{Type: graph.Put, Object: podOf(roots, ownerOf(roots).Key)})
	p := podOf(roots, ownerOf(roots).Key)
	late := graph.Object{Key: graph.Key{Kind: "c", Name: "late", UID: "late"}, Version: "1", Owners: []graph.Owner{{Key: p.Key}}}
	e.observeEach(t, graph.Event{Type: graph.Put, Object: late}, graph.Event{Type: graph.Gone, Key: ownerOf(roots).Key}, graph.Event{Type: graph.Gone, Key: p.Key})
	step := cascadeOf(t, e, 1000)
	for range roots {
		step()
	}
	for n := range 64 { // owners with long names, and more of them than a record has space for
		o := ownerOf(roots + 1 + n)
		o.Name = strings.Repeat("x", 900) + o.Name
		e.observeEach(t, graph.Event{Type: graph.Put, Object: o}, graph.Event{Type: graph.Put, Object: func() graph.Object {
			m := podOf(roots+1, o.Key)
			m.Version = graph.Version(fmt.Sprint(n))
			for i := range n {
				k := ownerOf(roots + 1 + i)
				k.Name = strings.Repeat("x", 900) + k.Name
				m.Owners = append(m.Owners, graph.Owner{Key: k.Key})
			}
			return m
		}()})
	}
	for n := range 64 {
		k := ownerOf(roots + 1 + n).Key
		k.Name = strings.Repeat("x", 900) + k.Name
		e.observeEach(t, graph.Event{Type: graph.Gone, Key: k})
	}
	e.observeEach(t, graph.Event{Type: graph.Gone, Key: podOf(roots+1, graph.Key{}).Key})
	got, ok := e.history.Find(podOf(roots+1, graph.Key{}).Key)
	if !ok || len(got.Root.Keys) == 0 || len(got.Root.Keys)+got.Root.More != 64 || len(got.Object.Owners)+got.Cut != 64 || len(got.Object.Owners) == 0 {
		t.Errorf("%t: %d roots and %d more, %d owners and %d more, want 64 of each", ok, len(got.Root.Keys), got.Root.More, len(got.Object.Owners), got.Cut)
	}
	if size := e.history.Bytes(); size > 8<<20 {
		t.Errorf("the history takes %d bytes", size)
	}
	if err := e.check(); err != nil {
		t.Error(err)
	}
}

// TestForgottenRoot: a root that fell out of the bounded memory is unknown, and the nearest
// absent owner stands in.
func TestForgottenRoot(t *testing.T) {
	e := listed(t, Config{}, "a#1", "b#1 -> a", "c#1 -> b")
	e.observeEach(t, goneOf("a"), goneOf("b"))
	n, _ := e.graph.Lookup(put("b#1").Object.Key)
	e.edit(n.ID()).Root = 1 << 40 // of a set that the ring does not have
	c, _ := e.graph.Lookup(put("c#1").Object.Key)
	if got := rootsOf(e, c); !got.Nearest || len(got.Keys) != 1 || got.Keys[0].Name != "b" {
		t.Errorf("the root is %+v, want b as the nearest absent owner", got)
	}
	e.observeEach(t, goneOf("c"))
	got, _ := e.history.Find(put("c#1").Object.Key)
	if want := (history.Root{Keys: []graph.Key{put("b#1").Object.Key}, Nearest: true}); fmt.Sprint(got.Root) != fmt.Sprint(want) {
		t.Errorf("the root is %+v, want %+v", got.Root, want)
	}
}

// BenchmarkHistory brings an owner with a pod, and ends both, with a full history and
// without one.
func BenchmarkHistory(b *testing.B) {
	for _, limit := range []int{-1, 10_000} {
		b.Run(fmt.Sprint(limit), func(b *testing.B) {
			e := listed(b, Config{History: limit})
			step := cascadeOf(b, e, 30_000)
			for range 30_000 {
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}
