package storetest

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestEndingContext checks a context that ends at a look, with the contexts that a store
// derives from it.
func TestEndingContext(t *testing.T) {
	for _, tc := range []struct {
		at     int
		with   error
		looks  []bool // whether the context has ended, at each look
		reason string
	}{
		{0, context.Canceled, []bool{false, false, false}, "it does not end"},
		{1, context.Canceled, []bool{true, true}, "it ends at its first look"},
		{3, context.DeadlineExceeded, []bool{false, false, true, true}, "it ends between two steps of the store"},
	} {
		c, stop := newEndingContext(t.Context(), tc.at, tc.with)
		for i, want := range tc.looks {
			if err := c.Err(); (err != nil) != want || want && !errors.Is(err, tc.with) {
				t.Errorf("at %d: look %d: %v, want ended: %t: %s", tc.at, i+1, err, want, tc.reason)
			}
		}
		if n := c.looked(); n != len(tc.looks) {
			t.Errorf("at %d: %d looks, want %d", tc.at, n, len(tc.looks))
		}
		stop()
		<-c.Done()
	}
}

// TestEndingContextEndsOthers checks that the end reaches a derived context, and that the
// parent's end reaches it.
func TestEndingContextEndsOthers(t *testing.T) {
	parent, cancel := context.WithCancel(t.Context())
	c, stop := newEndingContext(parent, 0, context.DeadlineExceeded)
	defer stop()
	inner, free := context.WithTimeout(c, time.Hour)
	defer free()
	c.end(context.DeadlineExceeded)
	<-inner.Done()
	if err := inner.Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a derived context ends with %v", err)
	}
	late, free := context.WithCancel(c)
	defer free()
	<-late.Done()
	other, stop := newEndingContext(parent, 0, context.Canceled)
	defer stop()
	cancel()
	<-other.Done()
	if err := other.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with its parent: %v", err)
	}
}

// TestLooksAt checks that the moments cover the last looks, and a part of the others.
func TestLooksAt(t *testing.T) {
	for looks, want := range map[int]int{0: 0, 1: 1, 6: 6, 100: 7} {
		list := looksAt(looks)
		if len(list) < min(want, looks) || len(list) > maxLooks || looks > 0 && list[0].look != looks {
			t.Errorf("%d looks: %v, want at least %d moments, the last one first", looks, list, want)
		}
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 21: "21st", 113: "113th"} {
		if got := ordinal(n); got != want {
			t.Errorf("ordinal(%d): %s, want %s", n, got, want)
		}
	}
}
