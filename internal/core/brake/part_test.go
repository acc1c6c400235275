package brake

import (
	"math"
	"testing"
	"time"
)

// TestPart: the limits of an engine are a part of the Config's, rounded up (RULES, H3). The count
// of a cascade is not divided.
func TestPart(t *testing.T) {
	for _, c := range []struct {
		limit, slots int
		want         int
		reason       string
	}{
		{0, 1024, 0, "no limit"},
		{100, 4096, 100, "all slots"},
		{100, 1024, 25, "an even part"},
		{100, 1, 1, "rounded up"},
		{101, 2048, 51, "rounded up"},
		{100, 0, 1, "a standby, whose bucket needs a size"},
		{math.MaxInt, 4095, int(uint64(math.MaxInt) - uint64(math.MaxInt)/4096), "no overflow"},
	} {
		if got := scaled(c.limit, c.slots, 4096); got != c.want {
			t.Errorf("%s: %d of 4096 slots of %d: %d, want %d", c.reason, c.slots, c.limit, got, c.want)
		}
	}
	r := newRig(t, Settings{PerCascade: 4, Window: 8, Per: time.Minute}, "a; b/0 -> a; b/1 -> a; b/2 -> a; b/3 -> a")
	r.m.SetPart(2048, 4096, r.now)
	r.m.Step(r.view(), 9)
	r.now = r.now.Add(time.Minute)
	if r.m.bucket.at(r.now).tokens != 4 {
		t.Errorf("%d tokens after a period, want half of the window", r.m.bucket.at(r.now).tokens)
	}
	r.m.SetPart(1024, 4096, r.now)
	if got := r.m.bucket.at(r.now); got.tokens != 2 || got.made != 0 {
		t.Errorf("%d tokens of a smaller bucket, %d made, want 2 and a new period", got.tokens, got.made)
	}
	r.m.SetPart(4096, 4096, r.now)
	r.now = r.now.Add(time.Hour)
	if got := r.m.bucket.at(r.now).tokens; got != 8 {
		t.Errorf("%d tokens after an hour, want the window", got)
	}
}

// TestResize: a bucket whose size changes on and on gets the tokens of each size for its time, and no more.
func TestResize(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		every time.Duration
		want  int
	}{
		{[]int{100, 50}, 20 * time.Second, 75},
		{[]int{7, 3}, time.Millisecond, 5},
		{[]int{1, maxWindow}, time.Hour / 4, maxWindow / 2},
	} {
		now := time.Unix(1000, 0)
		b := bucket{size: c.sizes[0], per: time.Hour}
		b.fill(now)
		got, turns := 0, int(time.Hour/c.every)
		for i := range turns {
			now = now.Add(c.every)
			b.fill(now)
			got, b.tokens = got+b.tokens, 0
			b.resize(c.sizes[(i+1)%2], now)
		}
		if got > c.want || got < c.want-1 {
			t.Errorf("sizes %v, each for %v: %d tokens in an hour, want %d", c.sizes, c.every, got, c.want)
		}
	}
}

// TestPartOfCascade: a cascade of as many objects as the limit is counted and begins. An engine of
// half of the objects hands out half of the deletes, and then holds the rest.
func TestPartOfCascade(t *testing.T) {
	r := newRig(t, Settings{PerCascade: 4}, "a; b/0 -> a; b/1 -> a; b/2 -> a; b/3 -> a")
	r.m.SetPart(2048, 4096, r.now)
	for i, name := range []string{"b/0", "b/1", "b/2"} {
		want := Go
		if i == 2 {
			want = Held
		}
		if got := r.judge(name, "a"); got != want {
			t.Errorf("delete %d: %v, want %v", i, got, want)
		}
		if want == Go {
			r.take(uint64(i + 1))
		}
	}
	r.m.SetPart(4096, 4096, r.now) // the trip stays, with its cause
	s, _ := r.m.StatusOf(key("a"))
	if s.Cause != LimitReached || s.Limit != 2 {
		t.Errorf("the cause is %v and the limit %d, want the limit of the part, 2", s.Cause, s.Limit)
	}
}
