package brake

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestBucket: tokens come at equal distances, and the sum of many periods has no drift.
func TestBucket(t *testing.T) {
	for _, c := range []struct {
		size   int
		per    time.Duration
		reason string
	}{
		{7, time.Second, "a distance that is no whole number of nanoseconds"},
		{1, time.Hour, "one token"},
		{1000, time.Microsecond, "a token each nanosecond"},
		{1 << 40, 100 * 365 * 24 * time.Hour, "large numbers"},
	} {
		b := bucket{size: c.size, per: c.per}
		now := start
		b.fill(now)
		for i := 1; i <= 3000; i++ {
			now = b.next()
			if b.fill(now.Add(-1)); b.tokens > 0 {
				t.Fatalf("%s: a token comes too early", c.reason)
			}
			if b.fill(now); b.tokens < 1 {
				t.Fatalf("%s: there is no token at its time", c.reason)
			}
			b.tokens--
			if i%c.size == 0 && c.size < 1000 && now.Sub(start) != time.Duration(i/c.size)*c.per {
				t.Fatalf("%s: %d tokens after %v", c.reason, i, now.Sub(start))
			}
		}
	}
}

// TestBucketBound: in no time there are more tokens than the rate allows and the bucket
// saves. From the beginning on there are not more than the rate allows.
func TestBucketBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, per := rapid.IntRange(1, 9).Draw(t, "size"), time.Duration(rapid.IntRange(1, 50).Draw(t, "per"))
		b, now := bucket{size: size, per: per}, start
		b.fill(now)
		var taken []time.Time
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 2, 3, 7, 40, 300}).Draw(t, "wait")))
			b.fill(now)
			if b.tokens > size || b.tokens < 0 {
				t.Fatalf("%d tokens", b.tokens)
			}
			if b.tokens > 0 && rapid.Bool().Draw(t, "take") {
				b.tokens--
				taken = append(taken, now)
			}
		}
		for i := range taken {
			if most := int(int64(taken[i].Sub(start)) * int64(size) / int64(per)); i+1 > most {
				t.Fatalf("%d tokens within %v of the beginning, at most %d of %d", i+1, taken[i].Sub(start), size, per)
			}
			for j := range i {
				if n := i - j + 1; int64(n-size)*int64(per) > int64(taken[i].Sub(taken[j]))*int64(size)+int64(per) {
					t.Fatalf("%d tokens within %v, %d in %d", n, taken[i].Sub(taken[j]), size, per)
				}
			}
		}
	})
}

// TestBucketFillsInSteps: the number of fills changes nothing.
func TestBucketFillsInSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size, per := rapid.IntRange(2, 9).Draw(t, "size"), time.Duration(rapid.IntRange(1, 50).Draw(t, "per"))
		once, often := bucket{size: size, per: per}, bucket{size: size, per: per}
		once.fill(start)
		for d := range per {
			often.fill(start.Add(d))
		}
		if once.fill(start.Add(per - 1)); once != often {
			t.Fatalf("%+v in one step, %+v in many", once, often)
		}
	})
}

// TestBucketOfMany: the largest window, which limits nothing, always has tokens after the first.
func TestBucketOfMany(t *testing.T) {
	m := New(Settings{Window: math.MaxInt, Per: time.Second})
	for i := range 40 {
		if m.bucket.fill(start.Add(time.Duration(i) * 730 * time.Millisecond)); m.bucket.tokens < min(i, 1) {
			t.Fatalf("%d tokens at time %d", m.bucket.tokens, i)
		}
	}
}
