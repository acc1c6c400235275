// Package tombstone holds a bounded memory of objects that are gone.
package tombstone

import (
	"encoding/binary"
	"hash/maphash"
	"iter"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/ownergraph/ownergraph/graph"
)

// Set is a bounded set of full coordinates. At its bound it forgets the least recently
// used ones first. Make one with New. A Set is not safe for concurrent use.
//
// It holds owners that left the graph after the watch had shown their end. The absence
// that a read proves enters no Set: it lasts as long as the phantom (R2, absence).
//
// A Set finds coordinates by a hash and compares them in full, so two different
// coordinates never count as one. Of two with one hash it keeps the later one. That
// halves the size of an entry, to about 200 bytes.
type Set struct {
	size int
	seed maphash.Seed
	keys *simplelru.LRU[uint64, entry]
	// sieve counts the keys by a few bits of their UIDs. A watch asks for the UID of every
	// object, and the sieve answers nearly all of these questions.
	sieve *[buckets]uint32
}

const (
	bucketBits = 12
	buckets    = 1 << bucketBits
)

// bucket returns the bucket of a UID: its last bytes choose it.
func bucket(u graph.UID) uint64 {
	var last [8]byte
	copy(last[:], u[max(0, len(u)-len(last)):])
	return binary.LittleEndian.Uint64(last[:]) * 0x9e3779b97f4a7c15 >> (64 - bucketBits)
}

// entry is one key, in text of its own: the text of the event can be freed.
type entry struct {
	text              string
	kind, scope, name uint32 // their ends in text; the UID follows
}

func (e *entry) key() graph.Key {
	t := e.text
	return graph.Key{Kind: graph.Kind(t[:e.kind]), Scope: t[e.kind:e.scope], Name: t[e.scope:e.name], UID: graph.UID(t[e.name:])}
}

// New returns an empty set of at most size keys. With a negative size it stays empty.
// The first key makes its table.
func New(size int) Set { return Set{size: size, seed: maphash.MakeSeed()} }

func (s *Set) hash(k graph.Key) uint64 { return maphash.Comparable(s.seed, k) }

// Add puts a key into the set.
func (s *Set) Add(k graph.Key) {
	if s.size <= 0 {
		return
	}
	if s.keys == nil {
		sieve := new([buckets]uint32)
		s.sieve = sieve
		s.keys, _ = simplelru.NewLRU(s.size, func(_ uint64, e entry) { sieve[bucket(e.key().UID)]-- }) // fails only for a size below 1
	}
	h := s.hash(k)
	s.keys.Remove(h)
	s.sieve[bucket(k.UID)]++
	kind := len(k.Kind)
	scope := kind + len(k.Scope)
	name := scope + len(k.Name)
	s.keys.Add(h, entry{
		text: string(k.Kind) + k.Scope + k.Name + string(k.UID),
		kind: uint32(kind), scope: uint32(scope), name: uint32(name),
	})
}

// Limit forgets the least recently used keys beyond n.
func (s *Set) Limit(n int) {
	for s.keys != nil && s.keys.Len() > n {
		s.keys.RemoveOldest()
	}
}

// MayHave reports whether the set may hold a key with the UID. It is false for nearly
// all others.
func (s *Set) MayHave(u graph.UID) bool { return s.keys != nil && s.sieve[bucket(u)] != 0 }

// Has reports whether the set holds k. The order of use stays.
func (s *Set) Has(k graph.Key) bool {
	if !s.MayHave(k.UID) {
		return false
	}
	e, ok := s.keys.Peek(s.hash(k))
	return ok && e.key() == k
}

// Use is Has, and counts as a use of k.
func (s *Set) Use(k graph.Key) bool {
	if !s.MayHave(k.UID) {
		return false
	}
	e, ok := s.keys.Get(s.hash(k))
	return ok && e.key() == k
}

// Len returns the number of keys.
func (s *Set) Len() int {
	if s.keys == nil {
		return 0
	}
	return s.keys.Len()
}

// Empty reports whether the set holds no key.
func (s *Set) Empty() bool { return s.Len() == 0 }

// Remove takes k out of the set.
func (s *Set) Remove(k graph.Key) {
	if s.Has(k) {
		s.keys.Remove(s.hash(k))
	}
}

// Clear takes all keys out.
func (s *Set) Clear() { s.keys, s.sieve = nil, nil }

// All yields the keys, the least recently used first.
func (s *Set) All() iter.Seq[graph.Key] {
	return func(yield func(graph.Key) bool) {
		if s.keys == nil {
			return
		}
		for _, e := range s.keys.Values() {
			if !yield(e.key()) {
				return
			}
		}
	}
}

// Clone returns a set with the same keys in the same order of use.
func (s *Set) Clone() Set {
	c := New(s.size)
	for k := range s.All() {
		c.Add(k)
	}
	return c
}
