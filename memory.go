package ownergraph

import (
	"encoding/binary"
	"hash/maphash"
	"iter"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// memory is a bounded set of full coordinates: the least recently used go
// first. It holds owners that left the graph after the watch saw them go. Absence
// that a read found is in none: it lasts no longer than the phantom (R2, absence).
//
// It finds coordinates by a hash and compares them with what it holds, so that
// it takes them to be the same only if they are; of two with one hash the later
// one is remembered. That halves what a key takes: to about 200 bytes.
type memory struct {
	size int
	seed maphash.Seed
	keys *simplelru.LRU[uint64, remembered]
	// sieve counts the keys by a few bits of their UIDs. Most that are asked for, which
	// are of every object that a watch shows, fall through where there is none.
	sieve *[sieveHoles]uint32
}

const (
	sieveBits  = 12
	sieveHoles = 1 << sieveBits
)

// hole returns where a UID falls: by its last bytes, which are at hand with the event.
func hole(u UID) uint64 {
	var last [8]byte
	copy(last[:], u[max(0, len(u)-len(last)):])
	return binary.LittleEndian.Uint64(last[:]) * 0x9e3779b97f4a7c15 >> (64 - sieveBits)
}

// remembered is one key, in text of its own: whatever else that of the event was
// part of need not stay.
type remembered struct {
	text              string
	kind, scope, name uint32 // where they end in text; then comes the UID
}

func (r *remembered) key() Key {
	t := r.text
	return Key{Kind: Kind(t[:r.kind]), Scope: t[r.kind:r.scope], Name: t[r.scope:r.name], UID: UID(t[r.name:])}
}

// newMemory returns a memory of at most size keys; none if size is negative.
// Its table is made when the first key comes.
func newMemory(size int) memory { return memory{size: size, seed: maphash.MakeSeed()} }

func (m *memory) hash(k Key) uint64 { return maphash.Comparable(m.seed, k) }

func (m *memory) add(k Key) {
	if m.size <= 0 {
		return
	}
	if m.keys == nil {
		sieve := new([sieveHoles]uint32)
		m.sieve = sieve
		m.keys, _ = simplelru.NewLRU(m.size, func(_ uint64, r remembered) { sieve[hole(r.key().UID)]-- }) // fails only for a size below 1
	}
	h := m.hash(k)
	m.keys.Remove(h)
	m.sieve[hole(k.UID)]++
	kind := len(k.Kind)
	scope := kind + len(k.Scope)
	name := scope + len(k.Name)
	m.keys.Add(h, remembered{
		text: string(k.Kind) + k.Scope + k.Name + string(k.UID),
		kind: uint32(kind), scope: uint32(scope), name: uint32(name),
	})
}

// fit forgets the least recently used keys beyond so many.
func (m *memory) fit(most int) {
	for m.keys != nil && m.keys.Len() > most {
		m.keys.RemoveOldest()
	}
}

// may reports whether the memory may hold a key with the UID: whether it has any that
// falls where that does. It is false for most.
func (m *memory) may(u UID) bool { return m.keys != nil && m.sieve[hole(u)] != 0 }

// has reports whether the memory holds k, and counts that as a use of it.
func (m *memory) has(k Key) bool {
	if !m.may(k.UID) {
		return false
	}
	r, ok := m.keys.Get(m.hash(k))
	return ok && r.key() == k
}

func (m *memory) empty() bool { return m.keys == nil || m.keys.Len() == 0 }

func (m *memory) drop(k Key) {
	if m.has(k) {
		m.keys.Remove(m.hash(k))
	}
}

func (m *memory) forget() { m.keys, m.sieve = nil, nil }

// all yields the keys, the least recently used first.
func (m *memory) all() iter.Seq[Key] {
	return func(yield func(Key) bool) {
		if m.keys == nil {
			return
		}
		for _, r := range m.keys.Values() {
			if !yield(r.key()) {
				return
			}
		}
	}
}

func (m *memory) clone() memory {
	c := newMemory(m.size)
	for k := range m.all() {
		c.add(k)
	}
	return c
}
