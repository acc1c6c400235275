package ownergraph

import "github.com/hashicorp/golang-lru/v2/simplelru"

// memory is a bounded set of full coordinates: the least recently used go
// first. It holds what is worth remembering of owners that left the graph, and
// whether the watch itself saw them go.
type memory struct {
	size int
	keys *simplelru.LRU[Key, bool]
}

// newMemory returns a memory of at most size keys; none if size is negative.
// Its table is made when the first key comes.
func newMemory(size int) memory { return memory{size: size} }

func (m *memory) add(k Key, observed bool) {
	if m.size <= 0 {
		return
	}
	if m.keys == nil {
		m.keys, _ = simplelru.NewLRU[Key, bool](m.size, nil) // fails only for a size below 1
	}
	if !m.keys.Contains(k) {
		k = k.Clone() // whatever else its text was part of need not stay
	}
	m.keys.Add(k, observed)
}

// has reports whether the memory holds k, and counts that as a use of it.
func (m *memory) has(k Key) (observed, ok bool) {
	if m.keys == nil {
		return false, false
	}
	return m.keys.Get(k)
}

func (m *memory) empty() bool { return m.keys == nil || m.keys.Len() == 0 }

func (m *memory) drop(k Key) {
	if m.keys != nil {
		m.keys.Remove(k)
	}
}

func (m *memory) forget() { m.keys = nil }

// list returns the keys, the least recently used first.
func (m *memory) list() []Key {
	if m.keys == nil {
		return nil
	}
	return m.keys.Keys()
}

func (m *memory) clone() memory {
	c := newMemory(m.size)
	for _, k := range m.list() {
		observed, _ := m.keys.Peek(k)
		c.add(k, observed)
	}
	return c
}
