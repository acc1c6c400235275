package observed

import (
	"math/bits"

	"github.com/ownergraph/ownergraph/internal/core/swar"
)

// bucket is a part of a segment of the index, one cache line: eleven ids, for each
// of them a byte of its hash, the tag, by which it is found, and five bits, the hint,
// by which a segment is split without a look at the nodes.
type bucket struct {
	ids  [bucketIDs]NodeID
	high uint32 // the tags of the last three, 0 where there is none
	low  uint64 // and of the first eight
	more uint64 // the hints; above them, how many members of the segment have passed it by
}

const (
	bucketIDs  = 11
	hintBits   = 5
	hintMask   = 1<<hintBits - 1
	eachHint   = (passedUnit - 1) / hintMask // times a hint has it in each place
	passedUnit = 1 << (bucketIDs * hintBits)
)

// tag is the byte of a hash that a bucket keeps; it is never 0.
func tag(h uint64) uint8 { return max(uint8(h>>8), 1) }

// displaced is the bit of a hint that says that the member's own bucket was full. The
// four above it are of the hash: that by which the segment is split next, and some
// before or after it. All four are made anew with every fourth depth.
const displaced = 1

func hint(h uint64, depth uint8) uint64 { return h << (depth &^ 3 & 63) >> 60 << 1 }

// matches returns a bit for each place whose tag is t, the first place's lowest. A
// place behind a match may be a false one.
func (b *bucket) matches(t uint8) uint64 {
	w := uint64(t) * swar.EachByte
	l, h := b.low^w, uint64(b.high)^w
	l, h = (l-swar.EachByte)&^l&swar.TopBits, (h-swar.EachByte)&^h&(swar.TopBits&0xffffffff)
	return l>>7*joinBits>>56 | h>>7*joinBits>>56<<8
}

// joinBits times a word with a bit in the lowest place of each byte has these bits
// in its highest byte: each is moved by seven places less than the one before.
const joinBits = 0x0102040810204080

// empty returns the first place that is not in use, bucketIDs or more if all are.
func (b *bucket) empty() int {
	if m := (b.low - swar.EachByte) &^ b.low & swar.TopBits; m != 0 {
		return bits.TrailingZeros64(m) / 8
	}
	high := uint64(b.high)
	return 8 + bits.TrailingZeros64((high-swar.EachByte)&^high&swar.TopBits)/8
}

// fill writes a place that is empty.
func (b *bucket) fill(i int, id NodeID, t uint8, hint uint64) {
	b.ids[i] = id
	b.more |= hint << (hintBits * i & 63)
	if i < 8 {
		b.low |= uint64(t) << (8 * i & 63)
	} else {
		b.high |= uint32(t) << (8 * i & 31)
	}
}

// clear makes a place empty.
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

// passed returns how many members of the segment have passed the bucket by.
func (b *bucket) passed() uint64 { return b.more / passedUnit }

// takeAll empties the bucket, and takeDisplaced the places of those that are not in
// their own. They write who stood there, and return how many.
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

// split moves the members whose hints have the bit into the same places of another
// bucket, which is empty, and returns how many. Half of them have it and nobody can
// foresee which, so there is no branch. Neither keeps what has passed it by.
func (b *bucket) split(to *bucket, bit int) uint16 {
	moving := b.more >> bit & eachHint
	var tags [2]uint64 // those of the members that move
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
