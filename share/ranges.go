package share

import (
	"fmt"

	"github.com/ownergraph/ownergraph/graph"
)

// Range is a range of the hash of UIDs, both ends included. It begins and ends with a slot:
// the lower 52 bits of First are zeros, and those of Last are ones.
type Range struct{ First, Last uint64 }

// String returns the range as KEP-5866 writes it, such as
// "[0x0000000000000000, 0x4000000000000000)". The end is not included.
func (r Range) String() string {
	if r.Last == ^uint64(0) {
		return fmt.Sprintf("[%#016x, 0x10000000000000000)", r.First)
	}
	return fmt.Sprintf("[%#016x, %#016x)", r.First, r.Last+1)
}

// OfRanges returns the set of the UIDs whose hash is in one of the ranges, in any order.
// Without a range it is None. An error wraps graph.ErrInvalid: it names a range that ends
// before it begins, that cuts a slot in two, or that overlaps another.
//
//test:by TestRanges TestRangesRefused
func OfRanges(ranges ...Range) (Set, error) {
	s := None()
	for i, r := range ranges {
		switch {
		case r.Last < r.First:
			return None(), fmt.Errorf("range %d: %v ends before it begins: %w", i, r, graph.ErrInvalid)
		case r.First<<slotBits != 0 || ^r.Last<<slotBits != 0:
			return None(), fmt.Errorf("range %d: %v is not of whole slots of 2^52 hashes: %w", i, r, graph.ErrInvalid)
		}
		for slot := int(r.First >> (64 - slotBits)); slot <= int(r.Last>>(64-slotBits)); slot++ {
			if s.hasSlot(slot) {
				return None(), fmt.Errorf("range %d: %v overlaps a range before it: %w", i, r, graph.ErrInvalid)
			}
			s.add(slot)
		}
	}
	return s, nil
}

// Ranges returns the fewest ranges that make up the set, in their order. The caller owns the
// slice.
//
//test:by TestRanges
func (s Set) Ranges() []Range {
	var out []Range
	for slot := range Slots {
		if !s.hasSlot(slot) {
			continue
		}
		first := uint64(slot) << (64 - slotBits)
		last := first | ^uint64(0)>>slotBits
		if n := len(out); n > 0 && slot > 0 && s.hasSlot(slot-1) {
			out[n-1].Last = last
			continue
		}
		out = append(out, Range{first, last})
	}
	return out
}
