package graph

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// index finds a node by its UID: extendible hashing (Fagin and others, TODS
// 1979). A directory leads to segments of at most 16 buckets; a full segment is
// split in two, and only the directory of pointers is ever copied, so no event
// pays for a rehash of all. It holds ids alone, about 9 bytes for each node. The
// UIDs stand in the nodes.
//
// A bucket is one cache line: twelve ids and a byte of each one's hash. What
// does not fit goes to the next bucket of the segment, and each bucket counts
// what has passed it by, so that a look-up ends at the first that nothing passed,
// and what is removed leaves no mark.
type index struct {
	seed maphash.Seed
	salt [2]uint64
	dir  []*segment // by the first bits of the hash; a power of two
	deep int        // how many segments need the whole directory
}

type segment struct {
	depth   int // how many bits of the hash its members have in common
	used    int
	buckets []bucket // a power of two
}

type bucket struct {
	ids    [bucketIDs]NodeID
	low    uint64 // the tags of the first eight, 0 where there is none
	high   uint32 // and of the others
	passed uint32 // how many members of the segment have passed it by
}

const (
	bucketIDs      = 12
	segmentBuckets = 16
	// fullSegment and its like are how much a segment holds at most, and how
	// little it may before it joins its neighbour: seven eighths and a fifth.
	fullSegment = segmentBuckets * bucketIDs * 7 / 8
	bareSegment = segmentBuckets * bucketIDs / 5
	// mostDepth ends the splitting of what no hash tells apart.
	mostDepth = 40
)

func newIndex() index {
	x := index{seed: maphash.MakeSeed()}
	x.salt = [2]uint64{maphash.String(x.seed, "hi") | 1, maphash.String(x.seed, "lo") | 1}
	x.dir = []*segment{{buckets: make([]bucket, 1)}}
	x.deep = 1
	return x
}

// depth returns how many bits of a hash choose the segment.
func (x *index) depth() int { return bits.TrailingZeros(uint(len(x.dir))) }

func (x *index) segment(h uint64) *segment { return x.dir[h>>1>>(63-x.depth())] }

// tag is the byte of a hash that a bucket keeps; it is never 0.
func tag(h uint64) uint8 { return max(uint8(h>>8), 1) }

const topBits = 0x80 * eachByte

// matches returns a bit for each place whose tag is t, the first place's lowest. A
// place behind a match may be a false one.
func (b *bucket) matches(t uint8) uint64 {
	w := uint64(t) * eachByte
	l, h := b.low^w, uint64(b.high)^w
	l, h = (l-eachByte)&^l&topBits, (h-eachByte)&^h&(topBits&0xffffffff)
	return l>>7*joinBits>>56 | h>>7*joinBits>>56<<8
}

// joinBits times a word with a bit in the lowest place of each byte has these bits
// in its highest byte: each is moved by seven places less than the one before.
const joinBits = 0x0102040810204080

// empty returns the first place that is not in use, bucketIDs or more if all are.
func (b *bucket) empty() int {
	if m := (b.low - eachByte) &^ b.low & topBits; m != 0 {
		return bits.TrailingZeros64(m) / 8
	}
	high := uint64(b.high)
	return 8 + bits.TrailingZeros64((high-eachByte)&^high&topBits)/8
}

func (b *bucket) setTag(i int, t uint8) {
	if i < 8 {
		b.low = b.low&^(0xff<<(8*i)) | uint64(t)<<(8*i)
		return
	}
	i -= 8
	b.high = b.high&^(0xff<<(8*i)) | uint32(t)<<(8*i)
}

// withUID returns the node of the index that has the UID, or 0.
func (g *Graph) withUID(p packed, u UID) NodeID { return g.withHash(g.index.hash(p.uid), p, u) }

// withHash is withUID for a UID whose hash is known.
func (g *Graph) withHash(h uint64, p packed, u UID) NodeID {
	s := g.index.segment(h)
	for i := range s.buckets {
		b := &s.buckets[(int(h)+i)&(len(s.buckets)-1)]
		for m := b.matches(tag(h)); m != 0; m &= m - 1 {
			if id := b.ids[bits.TrailingZeros64(m)%bucketIDs]; g.hasUID(id, p, u) {
				return id
			}
		}
		if b.passed == 0 {
			break
		}
	}
	return 0
}

// hasUID reports whether the node's UID is u, which is p as nodes hold it.
func (g *Graph) hasUID(id NodeID, p packed, u UID) bool {
	return g.at(id).holds(p) && (!p.text || g.saysUID(id, u))
}

// holds reports whether the record has such a UID. Of text it may be another one.
func (x *node) holds(p packed) bool { return x.uid == p.uid && x.is(textUID) == p.text }

// saysUID is that for the text of one.
func (g *Graph) saysUID(id NodeID, u UID) bool { return string(g.facts(id).uid) == string(u) }

// indexNode puts a node into the index, by the hash of its UID.
func (g *Graph) indexNode(id NodeID, h uint64) {
	x := &g.index
	s := x.segment(h)
	for s.used >= len(s.buckets)*bucketIDs*7/8 {
		g.widen(h, s)
		s = x.segment(h)
	}
	s.put(h, id)
}

func (s *segment) put(h uint64, id NodeID) {
	mask := len(s.buckets) - 1
	for at := int(h) & mask; ; at = (at + 1) & mask {
		b := &s.buckets[at]
		if i := b.empty(); i < bucketIDs {
			b.ids[i] = id
			b.setTag(i, tag(h))
			s.used++
			return
		}
		b.passed++
	}
}

// swapIndexed puts another node with the same UID in the place of one.
func (g *Graph) swapIndexed(id, by NodeID) {
	h := g.index.hash(g.at(id).uid)
	s := g.index.segment(h)
	for at := int(h); ; at++ {
		b := &s.buckets[at&(len(s.buckets)-1)]
		if i := slices.Index(b.ids[:], id); i >= 0 {
			b.ids[i] = by
			return
		}
	}
}

// unindexNode takes a node out of the index and gives back room.
func (g *Graph) unindexNode(id NodeID) {
	h := g.index.hash(g.at(id).uid)
	s := g.index.segment(h)
	for at := int(h); ; at++ {
		b := &s.buckets[at&(len(s.buckets)-1)]
		if i := slices.Index(b.ids[:], id); i >= 0 {
			b.ids[i] = 0
			b.setTag(i, 0)
			break
		}
		b.passed--
	}
	if s.used--; s.used < len(s.buckets)*bucketIDs/5 {
		g.narrow(h, s)
	}
}

// widen makes room in a full segment: twice the buckets, or two segments.
func (g *Graph) widen(h uint64, s *segment) {
	if n := len(s.buckets); n < segmentBuckets || s.depth >= mostDepth {
		s.refill(g, 2*n)
		return
	}
	x := &g.index
	if s.depth == x.depth() {
		dir := make([]*segment, 2*len(x.dir))
		for i, s := range x.dir {
			dir[2*i], dir[2*i+1] = s, s
		}
		x.dir, x.deep = dir, 0
	}
	other := &segment{depth: s.depth + 1, buckets: make([]bucket, segmentBuckets)}
	ids, hashes, n := s.gather(g)
	clear(s.buckets)
	s.used, s.depth = 0, s.depth+1
	to := [2]*segment{s, other} // chosen without a branch, which nobody could foresee
	for i, id := range ids[:n] {
		to[hashes[i]>>(64-s.depth)&1].put(hashes[i], id)
	}
	x.install(h, s.depth-1, func(i, of int) *segment {
		if i < of/2 {
			return s
		}
		return other
	})
	if s.depth == x.depth() {
		x.deep += 2
	}
}

// install sets the entries of the directory that agree with h in the first bits.
func (x *index) install(h uint64, depth int, by func(i, of int) *segment) {
	of := len(x.dir) >> depth
	first := int(h>>1>>(63-x.depth())) &^ (of - 1)
	for i := range of {
		x.dir[first+i] = by(i, of)
	}
}

// narrow gives back room of a segment that holds little: half of its buckets,
// or it joins its neighbour.
func (g *Graph) narrow(h uint64, s *segment) {
	x := &g.index
	if s.depth == 0 || len(s.buckets) > segmentBuckets {
		if n := len(s.buckets); n > 1 {
			s.refill(g, n/2)
		}
		return
	}
	other := x.segment(h ^ 1<<(64-s.depth))
	if other.depth != s.depth || s.used+other.used > 2*bareSegment {
		return
	}
	both := &segment{depth: s.depth - 1, buckets: make([]bucket, segmentBuckets)}
	for _, s := range [2]*segment{s, other} {
		for id, h := range s.members(g) {
			both.put(h, id)
		}
	}
	if s.depth == x.depth() {
		x.deep -= 2
	}
	x.install(h, both.depth, func(int, int) *segment { return both })
	for x.deep == 0 && len(x.dir) > 1 {
		x.halve()
	}
}

// halve drops every second entry of a directory whose last bit tells nothing.
func (x *index) halve() {
	dir := make([]*segment, len(x.dir)/2)
	for i := range dir {
		dir[i] = x.dir[2*i]
	}
	x.dir = dir
	for i, s := range dir {
		if s.depth == x.depth() && (i == 0 || dir[i-1] != s) {
			x.deep++
		}
	}
}

// refill gives a segment another number of buckets.
func (s *segment) refill(g *Graph, n int) {
	to := segment{depth: s.depth, buckets: make([]bucket, n)}
	for id, h := range s.members(g) {
		to.put(h, id)
	}
	*s = to
}

// gather returns the members of a segment and their hashes. It reads all the nodes
// before anything is done with any, so that these are waited for together.
func (s *segment) gather(g *Graph) (ids [segmentBuckets * bucketIDs]NodeID, hashes [segmentBuckets * bucketIDs]uint64, n int) {
	for i := range s.buckets {
		for _, id := range s.buckets[i].ids {
			if ids[n] = id; id != 0 {
				n++
			}
		}
	}
	for i, id := range ids[:n] {
		hashes[i] = g.index.hash(g.at(id).uid)
	}
	return ids, hashes, n
}

// members yields the nodes of a segment and their hashes.
func (s *segment) members(g *Graph) func(func(NodeID, uint64) bool) {
	return func(yield func(NodeID, uint64) bool) {
		for i := range s.buckets {
			for _, id := range s.buckets[i].ids {
				if id != 0 && !yield(id, g.index.hash(g.at(id).uid)) {
					return
				}
			}
		}
	}
}

func (x index) clone() index {
	dir := x.dir
	x.dir = make([]*segment, len(dir))
	for i, s := range dir {
		if i > 0 && s == dir[i-1] {
			x.dir[i] = x.dir[i-1]
			continue
		}
		c := *s
		c.buckets = slices.Clone(s.buckets)
		x.dir[i] = &c
	}
	return x
}
