package storetest

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
)

// lawsOfUIDText are about the text of UIDs.
func lawsOfUIDText() []law {
	return []law{{
		name: "uid/unforeseeable", excuse: UnforeseeableUIDs,
		why: "a user refers to the UID of the next object: the engine reads that owner as absent, and later deletes the dependents of the real one",
		run: uidsAreUnforeseeable,
	}}
}

const (
	// manyUIDs suffice to see nearly every digit of a base at each place.
	manyUIDs = 64
	// minRandomBits is the least number of random bits in a UID. UUIDs of version 7
	// have at least 62, of which at least this number shows.
	minRandomBits = 48
)

func uidsAreUnforeseeable(t *trial) {
	var uids []graph.UID
	for i := range manyUIDs {
		uids = append(uids, t.made(fmt.Sprintf("a%d", i)).UID)
	}
	if why := foreseeable(uids); why != "" {
		t.broken("the next UID cannot be foreseen from those before", fmt.Sprintf("%s: %q, %q, %q", why, uids[0], uids[1], uids[2]))
	}
}

// foreseeable returns the reason why the next UID can be foreseen, or "" if the kit
// finds none. A hash of a counter looks random, and passes.
//
//test:by TestForeseeable
func foreseeable(uids []graph.UID) string {
	if bits := randomBits(uids); bits < minRandomBits {
		return fmt.Sprintf("at most %.0f bits differ among %d consecutive UIDs", bits, len(uids))
	}
	if equalSteps(uids) {
		return "each is the UID before plus the same step"
	}
	return ""
}

// randomBits returns the largest number of bits that differ among the UIDs. It is
// the sum, over the places from the end, of the logarithm of the number of digits
// seen there.
func randomBits(uids []graph.UID) float64 {
	bits := 0.0
	for place := 1; ; place++ {
		digits, any := map[byte]bool{}, false
		for _, u := range uids {
			digit := byte(0)
			if place <= len(u) {
				digit, any = u[len(u)-place], true
			}
			digits[digit] = true
		}
		if !any {
			return bits
		}
		bits += math.Log2(float64(len(digits)))
	}
}

// equalSteps reports whether the UIDs, read as numbers, are an arithmetic sequence,
// as those of a counter with a large step are.
func equalSteps(uids []graph.UID) bool {
	var step *big.Int
	for i := 1; i < len(uids); i++ {
		a, ok := number(uids[i-1])
		b, ok2 := number(uids[i])
		if !ok || !ok2 {
			return false
		}
		d := new(big.Int).Sub(b, a)
		if step != nil && d.Cmp(step) != 0 {
			return false
		}
		step = d
	}
	return true
}

// number reads the letters and digits of a UID in base 36, or in base 16 if it has
// no others.
func number(u graph.UID) (*big.Int, bool) {
	text := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ':' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(string(u)))
	base := 36
	if strings.Trim(text, "0123456789abcdef") == "" {
		base = 16
	}
	return new(big.Int).SetString(text, base)
}
