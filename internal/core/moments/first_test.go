package moments

import (
	"testing"
	"time"
)

// TestFirst: the first time that is to wait for counts, and one that has come is at once.
func TestFirst(t *testing.T) {
	now := time.Unix(100, 0)
	type entry struct {
		after int // seconds
		ok    bool
	}
	for _, c := range []struct {
		reason string
		add    []entry
		want   time.Time
	}{
		{"none", nil, time.Time{}},
		{"none is to wait for", []entry{{5, false}}, time.Time{}},
		{"the first of three", []entry{{9, true}, {3, true}, {5, true}}, now.Add(3 * time.Second)},
		{"one has come", []entry{{9, true}, {-1, true}}, now.Add(1)},
		{"one comes now", []entry{{0, true}, {9, true}}, now.Add(1)},
	} {
		f := First{After: now}
		for _, x := range c.add {
			f.Add(now.Add(time.Duration(x.after)*time.Second), x.ok)
		}
		if got := f.At(); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

// TestSoonest: the zero time is none.
func TestSoonest(t *testing.T) {
	a, b := time.Unix(1, 0), time.Unix(2, 0)
	for _, c := range []struct {
		a, b, want time.Time
		reason     string
	}{
		{a, b, a, "the first is earlier"},
		{b, a, a, "the second is earlier"},
		{time.Time{}, b, b, "the first is none"},
		{a, time.Time{}, a, "the second is none"},
		{time.Time{}, time.Time{}, time.Time{}, "both are none"},
	} {
		if got := Soonest(c.a, c.b); !got.Equal(c.want) {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}
