package share

import "github.com/ownergraph/ownergraph/graph"

// The constants of FNV-1a with 64 bits (RFC 9923).
const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// SlotOf returns the slot of a UID, below Slots.
//
//test:by TestHash
func SlotOf(uid graph.UID) int { return int(hash(uid) >> (64 - slotBits)) }

// hash returns the FNV-1a hash of a text. It allocates nothing, as hash/fnv does.
func hash[T ~string | ~[]byte](text T) uint64 {
	h := uint64(fnvOffset)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * fnvPrime
	}
	return h
}
