package observed

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// index finds a node by its UID: extendible hashing (Fagin and others, TODS
// 1979). A directory leads to segments of 16 buckets; a full segment is split in
// two, and only the directory of pointers is ever copied, so no event pays for a
// rehash of all. It holds ids alone, about 9 bytes for each node. The UIDs stand in
// the nodes.
//
// What does not fit into a bucket goes to the next one of the segment, and each
// counts what has passed it by, so that a look-up ends at the first that nothing
// passed, and what is removed leaves no mark.
type index struct {
	seed  maphash.Seed
	salt  [2]uint64
	few   []bucket   // all there are, a power of two, while these are less than a segment
	dir   []*segment // by the first bits of the hash; a power of two
	heads []head     // what is known of each, beside it, so that a look-up does not wait for it
	deep  int        // how many segments need the whole directory
}

type segment [segmentBuckets]bucket

// head is what is known of a segment.
type head struct {
	used  uint16 // how many nodes it holds; it stands at the first of its entries alone
	depth uint8  // how many bits of the hash its members have in common
}

const (
	segmentBuckets = 16
	// bareSegment is how little a segment may hold before it joins its neighbour.
	bareSegment = segmentBuckets * bucketIDs / 5
)

// isFull reports whether so many buckets have to be made more before the next node.
func isFull(used uint16, buckets int) bool { return int(used) >= buckets*bucketIDs*15/16 }

func newIndex() index {
	x := index{seed: maphash.MakeSeed()}
	x.salt = [2]uint64{maphash.String(x.seed, "hi") | 1, maphash.String(x.seed, "lo") | 1}
	x.few, x.heads, x.deep = make([]bucket, 1), make([]head, 1), 1
	return x
}

// depth returns how many bits of a hash choose the segment.
func (x *index) depth() int { return bits.TrailingZeros(uint(len(x.heads))) }

// at returns which entry of the directory is that of a hash.
func (x *index) at(h uint64) int { return int(h >> 1 >> (63 - x.depth())) }

// buckets returns the segment of a hash.
func (x *index) buckets(h uint64) []bucket {
	if len(x.few) > 0 {
		return x.few
	}
	return x.dir[x.at(h)][:]
}

// head returns what is known of the segment of a hash.
func (x *index) head(h uint64) *head {
	at := x.at(h)
	return &x.heads[at&^(len(x.heads)>>x.heads[at].depth-1)]
}

// withUID returns the node of the index that has the UID, or 0.
func (g *Graph) withUID(p packed, u graph.UID) NodeID { return g.withHash(g.index.hash(p.uid), p, u) }

// withHash is withUID for a UID whose hash is known.
func (g *Graph) withHash(h uint64, p packed, u graph.UID) NodeID {
	s := g.index.buckets(h)
	for i := range s {
		b := &s[(int(h)+i)&(len(s)-1)]
		for m := b.matches(tag(h)); m != 0; m &= m - 1 {
			if id := b.ids[bits.TrailingZeros64(m)%bucketIDs]; g.hasUID(id, p, u) {
				return id
			}
		}
		if b.passed() == 0 {
			break
		}
	}
	return 0
}

// hasUID reports whether the node's UID is u, which is p as nodes hold it.
func (g *Graph) hasUID(id NodeID, p packed, u graph.UID) bool {
	return g.at(id).holds(p) && (!p.text || g.saysUID(id, u))
}

// holds reports whether the record has such a UID. Of text it may be another one.
func (x *node) holds(p packed) bool { return x.uid == p.uid && x.is(textUID) == p.text }

// saysUID reports whether a UID that is text is u.
func (g *Graph) saysUID(id NodeID, u graph.UID) bool { return string(g.facts(id).uid) == string(u) }

// indexNode puts a node into the index, by the hash of its UID.
func (g *Graph) indexNode(id NodeID, h uint64) {
	x := &g.index
	s, d := x.buckets(h), x.head(h)
	for isFull(d.used, len(s)) {
		g.growSegment(h)
		s, d = x.buckets(h), x.head(h)
	}
	insert(s, h, d.depth, id)
	d.used++
}

// insert enters a node into the first bucket of its segment that has a place.
func insert(s []bucket, h uint64, depth uint8, id NodeID) {
	mark := hint(h, depth)
	for at := int(h); ; at++ {
		b := &s[at&(len(s)-1)]
		if i := b.empty(); i < bucketIDs {
			b.fill(i, id, tag(h), mark)
			return
		}
		b.more += passedUnit
		mark |= displaced
	}
}

// swapIndexed puts another node with the same UID in the place of one.
func (g *Graph) swapIndexed(id, by NodeID) {
	h := g.index.hash(g.at(id).uid)
	s := g.index.buckets(h)
	for at := int(h); ; at++ {
		b := &s[at&(len(s)-1)]
		if i := slices.Index(b.ids[:], id); i >= 0 {
			b.ids[i] = by
			return
		}
	}
}

// unindexNode takes a node out of the index and gives back room.
func (g *Graph) unindexNode(id NodeID) {
	x, h := &g.index, g.index.hash(g.at(id).uid)
	s, d := x.buckets(h), x.head(h)
	for at := int(h); ; at++ {
		b := &s[at&(len(s)-1)]
		if i := slices.Index(b.ids[:], id); i >= 0 {
			b.clear(i)
			break
		}
		b.more -= passedUnit
	}
	if d.used--; int(d.used) < len(s)*bucketIDs/5 {
		g.shrinkSegment(h)
	}
}

// segments yields the segments, each with where its entries in the directory begin.
func (x *index) segments() func(func(int, []bucket) bool) {
	return func(yield func(int, []bucket) bool) {
		for at := 0; at < len(x.heads); at += len(x.heads) >> x.heads[at].depth {
			s := x.few
			if len(s) == 0 {
				s = x.dir[at][:]
			}
			if !yield(at, s) {
				return
			}
		}
	}
}

func (x index) clone() index {
	y := x
	y.few, y.heads, y.dir = slices.Clone(x.few), slices.Clone(x.heads), make([]*segment, len(x.dir))
	for at, s := range x.segments() {
		if len(x.few) > 0 {
			break
		}
		own := segment(s)
		for i := range len(x.heads) >> x.heads[at].depth {
			y.dir[at+i] = &own
		}
	}
	return y
}
