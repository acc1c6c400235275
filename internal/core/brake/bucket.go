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

// fill adds the tokens that were made until now.
func (b *bucket) fill(now time.Time) { *b = b.at(now) }

// at returns the bucket at a time. A full bucket begins a period of its own: it saves no part
// of a token.
//
//test:by TestBucket TestBucketBound
func (b *bucket) at(now time.Time) bucket {
	began, made, tokens := b.began, b.made, b.tokens
	if began.IsZero() {
		began = now
	}
	passed := max(now.Sub(began), 0)
	if periods := passed / b.per; periods > 1 {
		tokens = b.size
	} else {
		if periods == 1 {
			tokens, made, began = tokens+b.size-made, 0, began.Add(b.per)
			passed -= b.per
		}
		n, _ := partOf(passed, b.size, b.per)
		tokens, made = tokens+n-made, n
	}
	if tokens >= b.size {
		tokens, made, began = b.size, 0, now
	}
	return bucket{b.size, b.per, began, made, tokens}
}

// resize changes the size. The tokens that were made stay. A new period begins, with the part of a token
// that was made. So resizes without end do not keep the bucket empty.
func (b *bucket) resize(size int, now time.Time) {
	if b.began.IsZero() {
		b.size = size
		return
	}
	b.fill(now)
	_, rest := partOf(max(now.Sub(b.began), 0), b.size, b.per)
	*b = bucket{size: size, per: b.per, began: now.Add(-time.Duration(rest / uint64(size))), tokens: min(b.tokens, size)}
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

// partOf returns the tokens of a part of a period, and the rest: that of a token, times the period.
func partOf(passed time.Duration, size int, per time.Duration) (tokens int, rest uint64) {
	hi, lo := bits.Mul64(uint64(passed), uint64(size))
	q, rest := bits.Div64(hi, lo, uint64(per))
	return int(q), rest
}
