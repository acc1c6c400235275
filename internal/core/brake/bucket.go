package brake

import (
	"math/bits"
	"time"
)

// bucket has the tokens of a window. It begins empty at the first fill, and gets size tokens
// in each period. The arithmetic is exact: a period has size tokens, at equal distances.
type bucket struct {
	size   int
	per    time.Duration
	began  time.Time // of the period under way
	made   int       // tokens of this period so far
	tokens int       // at most size
}

// fill adds the tokens that were made until now. A full bucket begins a period of its own:
// it saves no part of a token.
//
// Held by TestBucket and TestBucketBound.
func (b *bucket) fill(now time.Time) {
	if b.began.IsZero() {
		b.began = now
	}
	passed := now.Sub(b.began)
	if passed <= 0 {
		return
	}
	if periods := passed / b.per; periods > 1 {
		b.tokens = b.size
	} else if periods == 1 {
		b.tokens += b.size - b.made
		b.made = 0
		b.began = b.began.Add(b.per)
		passed -= b.per
	}
	if passed < b.per {
		n := share64(passed, b.size, b.per)
		b.tokens += n - b.made
		b.made = n
	}
	if b.tokens >= b.size {
		b.tokens, b.made, b.began = b.size, 0, now
	}
}

// putBack takes a token back that was not used.
func (b *bucket) putBack() { b.tokens = min(b.tokens+1, b.size) }

// next returns the time of the next token.
func (b *bucket) next() time.Time {
	hi, lo := bits.Mul64(uint64(b.made+1), uint64(b.per))
	lo, carry := bits.Add64(lo, uint64(b.size-1), 0) // rounded up, so that the token is there
	q, _ := bits.Div64(hi+carry, lo, uint64(b.size))
	return b.began.Add(time.Duration(q))
}

// share64 returns the tokens of a part of a period.
func share64(passed time.Duration, size int, per time.Duration) int {
	hi, lo := bits.Mul64(uint64(passed), uint64(size))
	q, _ := bits.Div64(hi, lo, uint64(per))
	return int(q)
}
