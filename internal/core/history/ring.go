package history

import (
	"fmt"
	"hash/maphash"
	"slices"
)

// ring has the newest records of bytes, in the order of their numbers. Numbers begin at 1
// and rise, and no record gets one again. The records lie in chunks, so the ring has few
// pointers. At its bounds a new record displaces the oldest ones, and takes their memory.
// The first chunk grows as a slice does, so a short ring is small.
//
// Its invariants, which Check of Machine verifies:
//
//  1. each record lies in its chunk, and the chunks are in the order of the records
//  2. each record is in the chain of its hash
type ring struct {
	max, maxChunks int
	seed           maphash.Seed

	places      []place  // of the record n at n modulo the length, which is a power of two
	chains      []uint64 // the newest record of each chain, by hash; as many as places
	first, next uint64   // the numbers of the oldest record and of the next one
	chunks      [][]byte
	base        uint32 // the number of the first chunk
	spare       []byte // a chunk without records
}

// place is the place of one record.
type place struct {
	older       uint64 // the next record in the chain
	hash, chunk uint32
	at, size    uint32
}

const (
	chunkSize   = 64 << 10
	maxRecord   = chunkSize - 1 // a longer record is not kept
	firstPlaces = 16
)

// newRing returns an empty ring of at most max records, and of at most each bytes a record
// on average. With a max below 1 it stays empty.
func newRing(max, each int) ring {
	return ring{max: max, maxChunks: 2 + max/chunkSize*each + max%chunkSize*each/chunkSize, seed: maphash.MakeSeed(), first: 1, next: 1}
}

func (r *ring) hash(text []byte) uint64 { return maphash.Bytes(r.seed, text) }

func (r *ring) len() int { return int(r.next - r.first) }

// has reports whether the ring still has a record.
func (r *ring) has(n uint64) bool { return r.first <= n && n < r.next }

func (r *ring) place(n uint64) *place { return &r.places[n&uint64(len(r.places)-1)] }

// at returns a record that the ring has. The ring owns it until the next add.
func (r *ring) at(n uint64) []byte {
	p := r.place(n)
	return r.chunks[p.chunk-r.base][p.at : p.at+p.size]
}

// add appends a copy of a record, and returns its number. It returns 0 if the ring keeps
// no such record.
func (r *ring) add(hash uint64, b []byte) uint64 {
	if r.max <= 0 || len(b) > maxRecord {
		return 0
	}
	if r.len() == r.max {
		r.forget()
	}
	if r.len() == len(r.places) {
		r.grow()
	}
	r.makeRoom(len(b))
	i := len(r.chunks) - 1
	n, at := r.next, len(r.chunks[i])
	r.chunks[i] = append(r.chunks[i], b...)
	*r.place(n) = place{hash: uint32(hash), chunk: r.base + uint32(i), at: uint32(at), size: uint32(len(b))}
	r.link(n)
	r.next++
	return n
}

// link puts a record at the head of its chain.
func (r *ring) link(n uint64) {
	p := r.place(n)
	head := &r.chains[int(p.hash)&(len(r.chains)-1)]
	p.older, *head = *head, n
}

// makeRoom makes space for n bytes at the end of the last chunk.
func (r *ring) makeRoom(n int) {
	if last := len(r.chunks) - 1; last >= 0 && len(r.chunks[last])+n <= chunkSize {
		return
	}
	for r.len() > 0 && len(r.chunks) >= r.maxChunks {
		r.forget()
	}
	chunk := r.spare
	if r.spare = nil; chunk == nil && r.next > 1 {
		chunk = make([]byte, 0, chunkSize)
	}
	r.chunks = append(r.chunks, chunk)
}

// forget removes the oldest record, and gives the chunks before the next one back.
func (r *ring) forget() {
	n := len(r.chunks)
	if r.first++; r.first < r.next {
		n = int(r.place(r.first).chunk - r.base)
	}
	if n > 0 {
		r.spare = r.chunks[n-1][:0]
		r.chunks = slices.Delete(r.chunks, 0, n)
		r.base += uint32(n)
	}
}

// grow doubles the number of places and chains.
func (r *ring) grow() {
	places := make([]place, max(firstPlaces, 2*len(r.places)))
	r.chains = make([]uint64, len(places))
	for n := r.first; n < r.next; n++ {
		places[n&uint64(len(places)-1)] = *r.place(n)
	}
	r.places = places
	for n := r.first; n < r.next; n++ {
		r.link(n)
	}
}

// find returns the newest record with the hash that is older than a record, or than all
// without one. It returns 0 at the end. Another text may have the hash.
func (r *ring) find(hash, before uint64) uint64 {
	if len(r.chains) == 0 {
		return 0
	}
	n := r.chains[int(uint32(hash))&(len(r.chains)-1)]
	if before != 0 {
		n = r.place(before).older
	}
	for r.has(n) && r.place(n).hash != uint32(hash) {
		n = r.place(n).older
	}
	if !r.has(n) {
		return 0
	}
	return n
}

// bytes returns the memory of the ring.
func (r *ring) bytes() int {
	n := cap(r.places)*24 + cap(r.chains)*8 + cap(r.spare)
	for _, c := range r.chunks {
		n += cap(c)
	}
	return n
}

func (r *ring) clone() ring {
	c := *r
	c.places, c.chains, c.spare = slices.Clone(r.places), slices.Clone(r.chains), nil
	c.chunks = slices.Clone(r.chunks)
	for i := range c.chunks {
		c.chunks[i] = slices.Clone(c.chunks[i])
	}
	return c
}

func (r *ring) check() error {
	chunk, end := r.base, uint32(0)
	for n := r.first; n < r.next; n++ {
		p := r.place(n)
		if p.chunk < chunk || p.chunk-r.base >= uint32(len(r.chunks)) || p.chunk == chunk && p.at < end {
			return fmt.Errorf("history: 1: record %d lies in chunk %d of %d", n, p.chunk-r.base, len(r.chunks))
		}
		if chunk, end = p.chunk, p.at+p.size; int(end) > len(r.chunks[chunk-r.base]) {
			return fmt.Errorf("history: 1: record %d ends behind its chunk", n)
		}
		at := r.chains[int(p.hash)&(len(r.chains)-1)]
		for at > n {
			at = r.place(at).older
		}
		if at != n {
			return fmt.Errorf("history: 2: record %d is not in the chain of its hash", n)
		}
	}
	return nil
}
