package sim

import (
	"math"
	"math/bits"
)

const countBits = 16

// Count estimates the number of different fingerprints that it was given. It takes 64
// KiB for any number, and its standard error is 0.4% (Flajolet and others, HyperLogLog,
// 2007). It is not safe for concurrent use. The zero Count has counted nothing.
type Count struct {
	ranks [1 << countBits]uint8
}

// Add counts a fingerprint. It mixes the bits first, since the count uses all of them.
func (c *Count) Add(x uint64) {
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	x ^= x >> 32
	rank := uint8(bits.LeadingZeros64(x<<countBits|1<<(countBits-1)) + 1)
	if at := x >> (64 - countBits); c.ranks[at] < rank {
		c.ranks[at] = rank
	}
}

// Merge adds the fingerprints that another Count has counted.
func (c *Count) Merge(o *Count) {
	for i, r := range o.ranks {
		c.ranks[i] = max(c.ranks[i], r)
	}
}

// Distinct returns the estimate.
func (c *Count) Distinct() int {
	const m = 1 << countBits
	sum, empty := 0.0, 0
	for _, r := range c.ranks {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			empty++
		}
	}
	e := 0.7213 / (1 + 1.079/m) * m * m / sum
	if e <= 2.5*m && empty > 0 { // few: count the cells
		e = m * math.Log(m/float64(empty))
	}
	return int(e + 0.5)
}
