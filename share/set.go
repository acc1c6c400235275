package share

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// Slots is the number of slots that a Set divides the UIDs into.
const Slots = 4096

// slotBits is the number of bits of the hash that name a slot.
const slotBits = 12

// Set is a set of UIDs: those of some slots. It is a value of 512 bytes, and two sets of the
// same UIDs are equal (==). The zero Set has all UIDs.
//
//test:by TestSets
type Set struct {
	without [Slots / 64]uint64 // a bit for each slot that the set lacks
}

// All returns the set of all UIDs, the zero Set.
func All() Set { return Set{} }

// None returns the set without UIDs.
func None() Set {
	var s Set
	for i := range s.without {
		s.without[i] = ^uint64(0)
	}
	return s
}

// Has reports whether a UID is in the set.
//
//test:by TestHash
func (s Set) Has(uid graph.UID) bool { return s.hasSlot(SlotOf(uid)) }

// HasText is Has for the bytes of a UID.
//
//test:by TestHash
func (s Set) HasText(uid []byte) bool { return s.hasSlot(int(hash(uid) >> (64 - slotBits))) }

// Len returns the number of slots in the set, at most Slots.
func (s Set) Len() int {
	n := Slots
	for _, w := range s.without {
		n -= bits.OnesCount64(w)
	}
	return n
}

// And returns the UIDs that are in both sets.
func (s Set) And(t Set) Set {
	for i, w := range t.without {
		s.without[i] |= w
	}
	return s
}

// Or returns the UIDs that are in at least one of two sets.
func (s Set) Or(t Set) Set {
	for i, w := range t.without {
		s.without[i] &= w
	}
	return s
}

// String returns "all", "none", or the number of slots and at most three ranges of them in
// hexadecimal digits, such as "1024 of 4096 slots: 000-3ff".
func (s Set) String() string {
	n := s.Len()
	switch n {
	case Slots:
		return "all"
	case 0:
		return "none"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d slots:", n, Slots)
	const most = 3
	for i, r := range s.Ranges() {
		if i == most {
			b.WriteString(" ...")
			break
		}
		first, last := r.First>>(64-slotBits), r.Last>>(64-slotBits)
		if fmt.Fprintf(&b, " %03x", first); last != first {
			fmt.Fprintf(&b, "-%03x", last)
		}
	}
	return b.String()
}

func (s Set) hasSlot(slot int) bool { return s.without[slot/64]>>(slot%64)&1 == 0 }

func (s *Set) add(slot int) { s.without[slot/64] &^= 1 << (slot % 64) }
