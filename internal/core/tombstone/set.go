// Package tombstone has a bounded memory of objects that are gone.
package tombstone

import (
	"encoding/binary"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// Set is a bounded set of full coordinates. At its bound it forgets the least recently
// used ones first. Make one with New. A Set is not safe for concurrent use.
//
// It keeps owners that left the graph after the watch had shown their end. The absence
// that a read proves enters no Set: it lasts as long as the phantom (R2, absence).
//
// Every end of an object enters a Set, so the set is a table of its own. At the bound a new
// key takes the memory of the one that it displaces, and nothing is allocated.
//
// Its invariants, which Check verifies:
//
//  1. the order of use and the chains of the table have the same slots, each once
//  2. each slot is in the chain of its hash
//  3. the sieve counts the keys
type Set struct {
	size int
	seed maphash.Seed
	table
	// sieve counts the keys by a few bits of their UIDs. A watch asks for the UID of every
	// object, and the sieve answers nearly all of these questions.
	sieve *[buckets]uint32
}

const (
	bucketBits = 12
	buckets    = 1 << bucketBits
)

// bucket returns the bucket of a UID: its last bytes choose it.
func bucket[T graph.UID | []byte](u T) uint64 {
	var last [8]byte
	copy(last[:], u[max(0, len(u)-len(last)):])
	return binary.LittleEndian.Uint64(last[:]) * 0x9e3779b97f4a7c15 >> (64 - bucketBits)
}

// New returns an empty set of at most size keys. With a negative size it stays empty.
// The first key makes its table.
func New(size int) Set { return Set{size: size, seed: maphash.MakeSeed()} }

// hash goes by the UID alone, so that OfUID finds a key. A store makes no UID twice.
func (s *Set) hash(k *graph.Key) uint64 { return maphash.String(s.seed, string(k.UID)) }

// find returns the slot of a key, or 0.
func (s *Set) find(k *graph.Key) int32 {
	if !s.MayHave(k.UID) {
		return 0
	}
	return s.lookup(s.hash(k), k)
}

// Add puts a key into the set, as the most recently used one.
func (s *Set) Add(k graph.Key) { s.AddRoot(k, 0) }

// AddRoot is Add with the root of the object, a number of the caller's.
func (s *Set) AddRoot(k graph.Key, root uint64) {
	if s.size <= 0 {
		return
	}
	if s.sieve == nil {
		s.sieve = new([buckets]uint32)
	}
	h := s.hash(&k)
	if i := s.lookup(h, &k); i != 0 {
		s.use(i)
		s.slots[i].root = root
		return
	}
	if s.used == s.size {
		s.forget(s.oldest())
	}
	s.slots[s.insert(h, &k)].root = root
	s.sieve[bucket(k.UID)]++
}

// forget removes the key of a slot.
func (s *Set) forget(i int32) {
	s.sieve[bucket(s.slots[i].uid())]--
	s.remove(i)
}

// fewest and perNodes bound the keys by the most nodes of a graph at one time: one key for each 192
// nodes, about a byte a node. So a graph that has lost all objects takes little more memory than an
// empty one.
const (
	fewest   = 512
	perNodes = 192
)

// Remember is AddRoot for the end of an object in a graph that has had at most so many nodes.
//
//test:by TestRemember
func (s *Set) Remember(k graph.Key, root uint64, nodes int) {
	s.AddRoot(k, root)
	s.Limit(max(fewest, nodes/perNodes))
}

// Limit forgets the least recently used keys beyond n.
func (s *Set) Limit(n int) {
	for s.used > max(n, 0) {
		s.forget(s.oldest())
	}
}

// MayHave reports whether the set may have a key with the UID. It is false for nearly
// all others.
func (s *Set) MayHave(u graph.UID) bool { return s.sieve != nil && s.sieve[bucket(u)] != 0 }

// Has reports whether the set has k. The order of use stays.
func (s *Set) Has(k graph.Key) bool { return s.find(&k) != 0 }

// OfUID returns the key of the set with the UID. Of several ones, which no store may have, it
// returns the least.
func (s *Set) OfUID(u graph.UID) (least graph.Key, ok bool) {
	if keys := s.AllOfUID(u); len(keys) > 0 {
		return keys[0], true
	}
	return graph.Key{}, false
}

// AllOfUID returns the keys of the set with the UID, in order.
func (s *Set) AllOfUID(u graph.UID) (keys []graph.Key) {
	if !s.MayHave(u) || s.used == 0 {
		return nil
	}
	h := s.hash(&graph.Key{UID: u})
	for i := *s.chain(h); i != 0; i = s.slots[i].next {
		if x := &s.slots[i]; x.hash == h && string(x.uid()) == string(u) {
			keys = append(keys, x.key())
		}
	}
	slices.SortFunc(keys, graph.Key.Compare)
	return keys
}

// Use is Has, and counts as a use of k.
func (s *Set) Use(k graph.Key) bool {
	_, ok := s.UseRoot(k)
	return ok
}

// UseUID is Use of the key that OfUID returns.
func (s *Set) UseUID(u graph.UID) {
	if k, ok := s.OfUID(u); ok {
		s.Use(k)
	}
}

// Root returns the root that a key came with. The order of use stays.
func (s *Set) Root(k graph.Key) (root uint64, ok bool) {
	i := s.find(&k)
	if i == 0 {
		return 0, false
	}
	return s.slots[i].root, true
}

// UseRoot is Use, and returns the root that the key came with.
func (s *Set) UseRoot(k graph.Key) (root uint64, ok bool) {
	i := s.find(&k)
	if i == 0 {
		return 0, false
	}
	s.use(i)
	return s.slots[i].root, true
}

// Len returns the number of keys.
func (s *Set) Len() int { return s.used }

// Empty reports whether the set has no key.
func (s *Set) Empty() bool { return s.used == 0 }

// Remove takes k out of the set.
func (s *Set) Remove(k graph.Key) {
	if i := s.find(&k); i != 0 {
		s.forget(i)
	}
}

// Clear takes all keys out, and gives their memory back.
func (s *Set) Clear() { s.table, s.sieve = table{}, nil }

// All yields the keys, the least recently used first.
func (s *Set) All() iter.Seq[graph.Key] {
	return func(yield func(graph.Key) bool) {
		for i := s.oldest(); i != 0 && yield(s.slots[i].key()); i = s.slots[i].newer {
		}
	}
}

// Clone returns a set with the same keys in the same order of use.
func (s *Set) Clone() Set {
	c := New(s.size)
	for i := s.oldest(); i != 0; i = s.slots[i].newer {
		c.AddRoot(s.slots[i].key(), s.slots[i].root)
	}
	return c
}
