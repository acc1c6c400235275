package ownergraph

import (
	"fmt"
	"testing"
)

// TestBatchPlaces: a batch has the writes in the order of their keys, and one for each
// place. Two incarnations of an object have one place.
func TestBatchPlaces(t *testing.T) {
	call := func(kind CallType, name string, uid string) Call {
		c := Call{Type: kind, Key: put(name + "@" + uid).Object.Key}
		return c
	}
	for _, tc := range []struct {
		calls  []Call
		want   string
		reason string
	}{
		{[]Call{call(CallDelete, "p/2", "u"), call(CallPatch, "p/1", "v"), call(CallDelete, "o/3", "w")},
			"[delete o/3@w patch p/1@v delete p/2@u] []", "sorted by key"},
		{[]Call{call(CallDelete, "p/1", "v"), call(CallDelete, "p/1", "u"), call(CallPatch, "p/1", "w"), call(CallPatch, "p/2", "u")},
			"[delete p/1@u patch p/2@u] [0 2]", "the later incarnations of an object are no part"},
	} {
		var b batch
		for range 2 { // the memory of a batch is used again
			b.set(tc.calls)
			if got := fmt.Sprint(b.writes, " ", b.again); got != tc.want {
				t.Errorf("%s, want %s: %s", got, tc.want, tc.reason)
			}
		}
	}
}

// TestBatcherOf: a collector takes batches from a store that has the power itself, and of at
// most maxWrites writes.
func TestBatcherOf(t *testing.T) {
	for _, tc := range []struct {
		store  Store
		want   int
		reason string
	}{
		{answers{}, 1, "no power"},
		{taking{most: 1}, 1, "one write is no batch"},
		{taking{most: -1}, 1, "the store takes no batches"},
		{taking{most: 2}, 2, "the store names the number"},
		{taking{most: 1 << 40}, maxWrites, "a bound of the collector"},
		{wrapping{answers{}, taking{most: 9}}, 1, "a wrapper has writes of its own"},
	} {
		_, most, err := batcherOf(tc.store)
		if err != nil || most != tc.want {
			t.Errorf("%d, %v; want %d: %s", most, err, tc.want, tc.reason)
		}
	}
	if _, _, err := batcherOf(taking{}); err == nil {
		t.Error("a MaxBatch that panics is no error")
	}
}

// taking is a store that takes batches of most writes. It panics if that is 0.
type taking struct {
	answers
	Batcher
	most int
}

func (s taking) MaxBatch(Store) int {
	if s.most == 0 {
		panic("no limit")
	}
	return s.most
}

// wrapping is a wrapper of a store that takes batches.
type wrapping struct {
	answers
	inner Store
}

func (s wrapping) Unwrap() Store { return s.inner }
