package graph

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// index finds a node by its UID. It is extendible hashing (Fagin and others, TODS 1979).
// A directory leads to segments of 16 buckets, and a full segment is split in two. Growth
// copies the directory of pointers alone, so no event pays for a rehash of all nodes. The
// index has ids, about 9 bytes for each node. The nodes have the UIDs.
//
// An id that finds its bucket full goes to the next bucket of the segment. Each bucket
// counts the ids that passed it, so that a lookup ends at the first bucket without such
// an id. A removed id leaves no tombstone.
type index struct {
	seed  maphash.Seed
	salt  [2]uint64
	few   []bucket   // all buckets, a power of two, while they are fewer than a segment
	dir   []*segment // by the first bits of the hash, a power of two
	heads []head     // the state of each segment, apart from it, so that a lookup does not fetch both
	deep  int        // the number of segments that need the whole directory
}

type segment [segmentBuckets]bucket

// head is the state of a segment.
type head struct {
	used  uint16 // the number of its nodes, at its first entry of the directory alone
	depth uint8  // the number of leading hash bits that its members share
}

const (
	segmentBuckets = 16
	// minSegment is the number of nodes below which a segment joins its neighbour.
	minSegment = segmentBuckets * bucketIDs / 5
)

// isFull reports whether the next node needs more buckets.
func isFull(used uint16, buckets int) bool { return int(used) >= buckets*bucketIDs*15/16 }

func newIndex() index {
	x := index{seed: maphash.MakeSeed()}
	x.salt = [2]uint64{maphash.String(x.seed, "hi") | 1, maphash.String(x.seed, "lo") | 1}
	x.few, x.heads, x.deep = make([]bucket, 1), make([]head, 1), 1
	return x
}

// depth returns the number of hash bits that choose the segment.
func (x *index) depth() int { return bits.TrailingZeros(uint(len(x.heads))) }

// at returns the directory's entry of a hash.
func (x *index) at(h uint64) int { return int(h >> 1 >> (63 - x.depth())) }

// buckets returns the segment of a hash.
func (x *index) buckets(h uint64) []bucket {
	if len(x.few) > 0 {
		return x.few
	}
	return x.dir[x.at(h)][:]
}

// head returns the state of the segment of a hash.
func (x *index) head(h uint64) *head {
	at := x.at(h)
	return &x.heads[at&^(len(x.heads)>>x.heads[at].depth-1)]
}

// withUID returns the node of the index with the UID, or 0.
func (g *Graph) withUID(p packed, u UID) NodeID { return g.withHash(g.index.hash(p.uid), p, u) }

// withHash is withUID for a UID with a known hash.
func (g *Graph) withHash(h uint64, p packed, u UID) NodeID {
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

// hasUID reports whether the node's UID is u. p is the form of u in a node.
func (g *Graph) hasUID(id NodeID, p packed, u UID) bool {
	return g.at(id).hasUID(p) && (!p.text || g.saysUID(id, u))
}

// hasUID reports whether the record has such a UID. For a UID that is text the hash alone
// is compared.
func (x *node) hasUID(p packed) bool { return x.uid == p.uid && x.is(textUID) == p.text }

// saysUID reports whether a UID that is text is u.
func (g *Graph) saysUID(id NodeID, u UID) bool { return string(g.facts(id).uid) == string(u) }

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

// insert adds a node to the first bucket of its segment with an empty place.
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

// swapIndexed replaces a node by another one with the same UID.
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

// unindexNode removes a node from the index and gives memory back.
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

// segments yields the segments, each with its first entry of the directory.
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
