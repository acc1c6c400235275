package queue

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBackoff(t *testing.T) {
	const max = math.MaxInt32
	for _, c := range []struct {
		reason    string
		base, max time.Duration
		attempt   int32
		want      time.Duration // before jitter
	}{
		{"the first retry waits for the base", time.Second, time.Hour, 1, time.Second},
		{"each further one doubles", time.Second, time.Hour, 4, 8 * time.Second},
		{"the last one below the cap", time.Second, 8 * time.Second, 4, 8 * time.Second},
		{"the cap applies", time.Second, 15 * time.Second, 5, 15 * time.Second},
		{"no shift overflows", time.Second, math.MaxInt64, 35, math.MaxInt64},
		{"no attempt is too many", time.Second, time.Hour, max, time.Hour},
		{"zero is the default base", 0, 0, 1, 5 * time.Millisecond},
		{"zero is the default cap", 0, 0, max, 5 * time.Minute},
		{"a negative delay is as zero", -time.Second, -time.Second, 2, 10 * time.Millisecond},
		{"the cap wins over the base", time.Minute, time.Second, 1, time.Second},
		{"odd delays are not rounded out of bounds", 3, time.Hour, 1, 3},
	} {
		t.Run(c.reason, func(t *testing.T) {
			for hash := range uint64(100) {
				cfg := Config[uint32]{Hash: func(uint32) uint64 { return hash }, BaseDelay: c.base, MaxDelay: c.max}.withDefaults()
				if d := cfg.backoff(7, c.attempt); d < c.want-c.want/2 || d >= c.want {
					t.Fatalf("hash %d: %v, want [%v, %v)", hash, d, c.want-c.want/2, c.want)
				}
			}
		})
	}
}

// TestBackoffAlone: Backoff returns the delay of Retry, and changes nothing.
func TestBackoffAlone(t *testing.T) {
	q, now := New(Config[uint32]{}), time.Unix(0, 0)
	for attempt := 1; attempt < 40; attempt++ {
		want := q.Backoff(7, attempt)
		if n := q.Attempts(7); n != attempt-1 {
			t.Fatalf("%d attempts, want %d", n, attempt-1)
		}
		if got := q.Retry(7, Normal, now).Sub(now); got != want {
			t.Errorf("attempt %d: Retry waits %v, and Backoff says %v", attempt, got, want)
		}
	}
	if q.Backoff(7, -1) != q.Backoff(7, 1) || q.Backoff(7, math.MaxInt) != q.Backoff(7, math.MaxInt32) {
		t.Error("an attempt out of bounds is not the nearest one")
	}
}

func TestJitterBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(2, math.MaxInt64).Draw(t, "delay"))
		random := rapid.OneOf(rapid.Uint64(), rapid.Just(uint64(math.MaxUint64))).Draw(t, "random")
		if j := jitter(d, random); j < d-d/2 || j >= d {
			t.Fatalf("jitter %d, want [%d, %d)", j, d-d/2, d)
		}
	})
	if d := jitter(1, math.MaxUint64); d != 1 {
		t.Errorf("jitter of 1 ns is %d, want 1", d)
	}
}

// TestRetryIsPure pins times, so that a change of the mixer shows. The queue's history
// and its other keys do not matter.
func TestRetryIsPure(t *testing.T) {
	var want [3]time.Duration
	for round, busy := range []uint32{0, 0, 1000} {
		q := New(Config[uint32]{Hash: hash32})
		for k := range busy {
			q.Retry(k+100, Low, epoch)
		}
		for n := range want {
			got := q.Retry(42, Normal, epoch).Sub(epoch)
			if round == 0 {
				want[n] = got
			} else if got != want[n] {
				t.Errorf("attempt %d beside %d keys: %v, want %v", n+1, busy, got, want[n])
			}
		}
	}
	if pinned := [3]time.Duration{4_353_912, 5_799_551, 12_786_011}; want != pinned {
		t.Errorf("delays %v, want %v as ever", want, pinned)
	}
}

// TestJitterSpreads fails 1000 keys at one instant. They come back all over the interval,
// and a second failure spreads them anew.
func TestJitterSpreads(t *testing.T) {
	const keys, buckets = 1000, 10
	q := New(Config[uint32]{Hash: hash32, BaseDelay: time.Second})
	var first, second [keys]time.Duration
	for k := range uint32(keys) {
		first[k] = q.Retry(k, Low, epoch).Sub(epoch)
		second[k] = q.Retry(k, Low, epoch).Sub(epoch) / 2
	}
	var count [buckets]int
	for _, d := range first {
		count[(d-500*time.Millisecond)*buckets/(500*time.Millisecond)]++
	}
	// 100 each are expected, with a deviation of 9.5. The inputs are fixed.
	if slices.Min(count[:]) < 60 || slices.Max(count[:]) > 140 {
		t.Errorf("of %d keys there come in each tenth of the interval: %v", keys, count)
	}
	near := 0
	for k := range first {
		if d := first[k] - second[k]; d.Abs() < 25*time.Millisecond {
			near++
		}
	}
	if near > keys/5 {
		t.Errorf("%d of %d keys keep their place in the second attempt", near, keys)
	}
}

func TestNoHashMeansTheAttemptOnly(t *testing.T) {
	q := New(Config[string]{})
	if a, b := q.Retry("a", Low, epoch), q.Retry("b", Low, epoch); a != b {
		t.Errorf("without a Hash the first attempts end at %v and %v, want the same", a, b)
	}
}

func TestAttempts(t *testing.T) {
	q := New(Config[string]{})
	step := func(want int, what string, do func()) {
		t.Helper()
		do()
		if got := q.Attempts("a"); got != want {
			t.Errorf("%s: %d attempts, want %d", what, got, want)
		}
		if err := q.Check(); err != nil {
			t.Error(err)
		}
	}
	step(0, "a new key", func() { q.Add("a", Low) })
	step(0, "taken", func() { q.Next(epoch) })
	step(1, "retried in flight", func() { q.Retry("a", Low, epoch) })
	step(1, "done", func() { q.Done("a") })
	step(2, "retried while delayed", func() { q.Retry("a", Low, epoch) })
	step(2, "taken and done, remembered", func() { drain(q, epoch.Add(time.Hour)) })
	if q.Idle() != 1 || q.Len() != 0 {
		t.Errorf("%d idle and %d waiting keys, want 1 and 0", q.Idle(), q.Len())
	}
	step(0, "forgotten", func() { q.Forget("a") })
	if q.Idle() != 0 {
		t.Errorf("%d idle keys after Forget, want none", q.Idle())
	}
	step(1, "retried anew", func() { q.Retry("a", Low, epoch) })
	step(0, "dropped", func() { q.Drop("a") })
	q.Retry("a", Low, epoch)
	q.slots.At(0).attempts = math.MaxInt32
	step(math.MaxInt32, "the count does not overflow", func() { q.Retry("a", Low, epoch) })
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		reason    string
		base, max time.Duration
		want      string // in the error, or empty
	}{
		{"the zero value works", 0, 0, ""},
		{"equal delays are a constant backoff", time.Second, time.Second, ""},
		{"a negative base is no delay", -1, 0, "BaseDelay: invalid configuration: -1ns is negative"},
		{"a negative cap is no delay", 0, -1, "MaxDelay: invalid configuration: -1ns is negative"},
		{"a cap below the base never lets it apply", time.Minute, time.Second, "MaxDelay: invalid configuration: 1s is below BaseDelay 1m0s"},
		{"the default base counts", 0, time.Millisecond, "1ms is below BaseDelay 5ms"},
		{"the default cap counts", time.Hour, 0, "5m0s is below BaseDelay 1h0m0s"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			err := Config[string]{BaseDelay: c.base, MaxDelay: c.max}.Validate()
			switch {
			case c.want == "" && err != nil:
				t.Errorf("Validate = %v, want nil", err)
			case c.want != "" && (!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("Validate = %v, want ErrConfig with %q", err, c.want)
			}
		})
	}
}
