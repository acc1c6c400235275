package tombstone

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/ownergraph/ownergraph/graph"
)

func key(n int) graph.Key {
	return graph.Key{Kind: "pod", Scope: fmt.Sprint("s", n%3), Name: fmt.Sprint("n", n), UID: graph.UID(fmt.Sprint("u", n))}
}

// TestSet: a set compares full coordinates, and forgets the least recently used ones.
func TestSet(t *testing.T) {
	m := New(3)
	for n := range 4 {
		m.Add(key(n))
		m.Use(key(1))
	}
	var got []graph.Key
	for k := range m.All() {
		got = append(got, k)
	}
	if want := []graph.Key{key(2), key(3), key(1)}; !slices.Equal(got, want) {
		t.Errorf("has %v, want %v", got, want)
	}
	for _, k := range []graph.Key{key(0), {Kind: "pods", Scope: "0", Name: "n3", UID: "u3"}, {Kind: "pod", Scope: "s0", Name: "n3u", UID: "3"}} {
		if m.Has(k) {
			t.Errorf("has %s", k)
		}
		m.Remove(k) // changes nothing
	}
	c := m.Clone()
	m.Remove(key(1))
	m.Limit(1)
	if !m.Has(key(3)) || m.Len() != 1 || c.Len() != 3 {
		t.Errorf("%d keys are left, and %d in the copy", m.Len(), c.Len())
	}
}

// TestOfUID: a UID leads to its key, to the least one of several, and to none after a removal.
func TestOfUID(t *testing.T) {
	m := New(3)
	if k, ok := m.OfUID("u1"); ok {
		t.Errorf("an empty set has %s", k)
	}
	least := key(1)
	least.Name = "m"
	m.Add(key(1))
	m.Add(least)
	m.Add(key(2))
	if k, ok := m.OfUID("u1"); !ok || k != least {
		t.Errorf("%s, %t, want %s", k, ok, least)
	}
	m.Remove(least)
	c := m.Clone()
	m.Remove(key(1))
	if k, ok := c.OfUID("u1"); !ok || k != key(1) {
		t.Errorf("the copy has %s, %t, want %s", k, ok, key(1))
	}
	if k, ok := m.OfUID("u1"); ok {
		t.Errorf("%s is left", k)
	}
}

// TestRoot: a key comes with the root of its deletion, which costs eight bytes. The last one
// counts.
func TestRoot(t *testing.T) {
	m := New(3)
	m.AddRoot(key(1), 7)
	m.Add(key(2))
	m.AddRoot(key(1), 9)
	c := m.Clone()
	for n, want := range []uint64{0, 9, 0} {
		if got, ok := c.UseRoot(key(n)); got != want || ok != (n > 0) {
			t.Errorf("key %d: root %d, %t, want %d", n, got, ok, want)
		}
	}
	if n := unsafe.Sizeof(slot{}); n > 64 {
		t.Errorf("a slot takes %d bytes, want at most 64", n)
	}
}

// TestModel compares a set with a list in the order of use. The sizes make the set displace
// keys, and grow its table.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{-1, 1, 3, 20, 100}).Draw(t, "size")
		m, want := New(size), []graph.Key{}
		draw := func(t *rapid.T) graph.Key { return key(rapid.IntRange(0, 60).Draw(t, "key")) }
		drop := func(k graph.Key) bool {
			i := slices.Index(want, k)
			if i >= 0 {
				want = slices.Delete(want, i, i+1)
			}
			return i >= 0
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				if k := draw(t); size > 0 {
					drop(k)
					want = append(want, k)
					want = want[max(0, len(want)-size):]
					m.Add(k)
				}
			},
			"use": func(t *rapid.T) {
				k := draw(t)
				had := drop(k)
				if had {
					want = append(want, k)
				}
				if got := m.Use(k); got != had {
					t.Fatalf("use of %s is %t, want %t", k, got, had)
				}
			},
			"remove": func(t *rapid.T) {
				k := draw(t)
				drop(k)
				m.Remove(k)
			},
			"limit": func(t *rapid.T) {
				n := rapid.IntRange(0, 30).Draw(t, "limit")
				want = want[max(0, len(want)-n):]
				m.Limit(n)
			},
			"clear": func(t *rapid.T) {
				want = nil
				m.Clear()
			},
			"clone": func(*rapid.T) { m = m.Clone() },
			"": func(t *rapid.T) {
				if got := slices.Collect(m.All()); !slices.Equal(got, want) || m.Len() != len(want) || m.Empty() != (len(want) == 0) {
					t.Fatalf("has %v, want %v", got, want)
				}
				if err := m.Check(); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

// TestDisplaceAllocatesNothing: at the bound a key takes the memory of the one that it
// displaces. The memory of a very long key is given back.
func TestDisplaceAllocatesNothing(t *testing.T) {
	m := New(2)
	for n := range 4 {
		m.Add(key(n))
	}
	keys := []graph.Key{key(5), key(6), key(7)}
	if allocs := testing.AllocsPerRun(100, func() {
		for _, k := range keys {
			m.Add(k)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	long := key(1)
	long.Name = strings.Repeat("n", 2*maxSpare)
	m.Add(long)
	m.Limit(0)
	for i := range m.slots {
		if n := cap(m.slots[i].text); n > maxSpare {
			t.Errorf("a slot without a key keeps %d bytes", n)
		}
	}
}

// TestCheck: Check finds each kind of damage.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		reason string
		damage func(*Set)
	}{
		{"a key is in the order alone", func(m *Set) { m.chains = make([]int32, len(m.chains)) }},
		{"a key is in the chains alone", func(m *Set) { m.part(m.oldest()) }},
		{"a key has another hash", func(m *Set) { m.slots[m.oldest()].hash++ }},
		{"the sieve does not know a key", func(m *Set) { m.sieve[bucket(key(1).UID)]-- }},
	} {
		m := New(9)
		for n := range 5 {
			m.Add(key(n))
		}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		c.damage(&m)
		if m.Check() == nil {
			t.Errorf("%s: nothing is wrong", c.reason)
		}
	}
}

// BenchmarkAdd displaces a key with each new one.
func BenchmarkAdd(b *testing.B) {
	m := New(1 << 12)
	keys := make([]graph.Key, 1<<14)
	for n := range keys {
		keys[n] = key(n)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		m.Add(keys[n%len(keys)])
	}
}

// TestRemember: the memory of owners that are gone stays small beside the memory of the former graph.
func TestRemember(t *testing.T) {
	for _, c := range []struct {
		nodes, want int
		reason      string
	}{
		{10, fewest, "a small graph"},
		{2 * fewest * perNodes, 2 * fewest, "a large graph, also one that has become empty"},
	} {
		s := New(100 * fewest)
		for n := range 4 * fewest {
			s.Remember(key(n), 7, c.nodes)
		}
		if got := s.Len(); got != c.want {
			t.Errorf("%s: %d keys are remembered, want %d", c.reason, got, c.want)
		}
		if root, ok := s.UseRoot(key(4*fewest - 1)); !ok || root != 7 {
			t.Errorf("%s: the last one is forgotten, or its root: %d", c.reason, root)
		}
	}
}
