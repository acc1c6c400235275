package graph

import (
	"math/bits"

	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// bucket is one cache line of a segment of the index. It has eleven ids. For each id it
// has a tag and a hint. The tag is a byte of the hash, for the lookup. The hint has five
// bits, for a split without a look at the nodes.
type bucket struct {
	ids  [bucketIDs]NodeID
	high uint32 // the tags of the last three ids, 0 for an empty place
	low  uint64 // the tags of the first eight ids
	more uint64 // the hints, and above them the number of members that passed the bucket
}

const (
	bucketIDs  = 11
	hintBits   = 5
	hintMask   = 1<<hintBits - 1
	eachHint   = (passedUnit - 1) / hintMask // times a hint is the hint in each place
	passedUnit = 1 << (bucketIDs * hintBits)
)

// tag is the byte of a hash that a bucket keeps. It is never 0.
func tag(h uint64) uint8 { return max(uint8(h>>8), 1) }

// displaced is the bit of a hint for a member whose own bucket was full. The other four
// bits are bits of the hash. The next split of the segment uses one of them. Every fourth
// split makes all four anew.
const displaced = 1

func hint(h uint64, depth uint8) uint64 { return h << (depth &^ 3 & 63) >> 60 << 1 }

// matches returns a bit for each place whose tag is t. The lowest bit is the first
// place's. A match behind the first one may be false.
func (b *bucket) matches(t uint8) uint64 {
	w := uint64(t) * swar.EachByte
	l, h := b.low^w, uint64(b.high)^w
	l, h = (l-swar.EachByte)&^l&swar.TopBits, (h-swar.EachByte)&^h&(swar.TopBits&0xffffffff)
	return l>>7*joinBits>>56 | h>>7*joinBits>>56<<8
}

// joinBits collects the lowest bits of all bytes. The product of joinBits and a word with
// these bits has them in its highest byte. Each bit is moved by seven places less than
// the bit before.
const joinBits = 0x0102040810204080

// empty returns the first empty place, bucketIDs or more if the bucket is full.
func (b *bucket) empty() int {
	if m := (b.low - swar.EachByte) &^ b.low & swar.TopBits; m != 0 {
		return bits.TrailingZeros64(m) / 8
	}
	high := uint64(b.high)
	return 8 + bits.TrailingZeros64((high-swar.EachByte)&^high&swar.TopBits)/8
}

// fill writes an empty place.
func (b *bucket) fill(i int, id NodeID, t uint8, hint uint64) {
	b.ids[i] = id
	b.more |= hint << (hintBits * i & 63)
	if i < 8 {
		b.low |= uint64(t) << (8 * i & 63)
	} else {
		b.high |= uint32(t) << (8 * i & 31)
	}
}

// clear empties a place.
func (b *bucket) clear(i int) {
	b.ids[i] = 0
	b.more &^= hintMask << (hintBits * i)
	if i < 8 {
		b.low &^= 0xff << (8 * i)
	} else {
		b.high &^= 0xff << (8 * (i - 8))
	}
}

func (b *bucket) hint(i int) uint64 { return b.more >> (hintBits * i) & hintMask }

// passed returns the number of the segment's members that passed the bucket because it
// was full.
func (b *bucket) passed() uint64 { return b.more / passedUnit }

// takeAll empties the bucket. takeDisplaced empties the places of members whose own
// bucket is another. Both write the removed ids and return their number.
func (b *bucket) takeAll(ids []NodeID) (n int) {
	for _, id := range b.ids {
		if ids[n] = id; id != 0 {
			n++
		}
	}
	*b = bucket{}
	return n
}

func (b *bucket) takeDisplaced(ids []NodeID) (n int) {
	for m := b.more & (displaced * eachHint); m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) / hintBits % bucketIDs
		ids[n] = b.ids[i]
		n++
		b.clear(i)
	}
	return n
}

// split moves the members whose hints have the bit into the same places of an empty
// bucket, and returns their number. Half of the members have the bit, and no processor
// can predict which. The loop therefore has no branch. Both buckets lose the number of
// members that passed them.
func (b *bucket) split(to *bucket, bit int) uint16 {
	moving := b.more >> bit & eachHint
	var tags [2]uint64 // of the members that move
	for i := range b.ids {
		move := -(moving >> (hintBits * i) & 1)
		to.ids[i] = b.ids[i] & NodeID(move)
		b.ids[i] &^= NodeID(move)
		tags[i/8] |= move & 0xff << (i % 8 * 8)
	}
	more := b.more % passedUnit
	to.low, to.high, to.more = b.low&tags[0], b.high&uint32(tags[1]), more&(moving*hintMask)
	b.low, b.high, b.more = b.low&^tags[0], b.high&^uint32(tags[1]), more&^(moving*hintMask)
	return uint16(bits.OnesCount64(moving))
}
