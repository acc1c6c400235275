package ownergraph

import (
	"errors"
	"strings"
	"testing"

	"github.com/ownergraph/ownergraph/engine"
)

// TestIsWrite: patches and deletes are parts of batches. A write that took too long goes alone,
// because its neighbours would be late with it.
func TestIsWrite(t *testing.T) {
	for _, tc := range []struct {
		call   engine.Call
		want   bool
		reason string
	}{
		{engine.Call{Type: engine.CallDelete}, true, "a delete"},
		{engine.Call{Type: engine.CallPatch}, true, "a patch"},
		{engine.Call{Type: engine.CallFence}, false, "a fence"},
		{engine.Call{Type: engine.CallDelete, Alone: true}, false, "the last try took too long"},
		{engine.Call{Type: engine.CallPatch, Alone: true}, false, "the last try took too long"},
	} {
		if got := isWrite(&tc.call); got != tc.want {
			t.Errorf("%t, want %t: %s", got, tc.want, tc.reason)
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
		if _, batches := batcherOf(tc.store, 0); batches.Max() != tc.want {
			t.Errorf("%d, want %d: %s", batches.Max(), tc.want, tc.reason)
		}
	}
	if _, err := New(taking{}, Config{}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "no limit") {
		t.Errorf("a MaxBatch that panics gives the error %v", err)
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

// TestLimiter: a store bounds the calls under way, also one behind a wrapper. Config.Workers
// may be lower, and no bound of the store raises it. Otherwise many writes wait for the one
// writer of a database, and their time is over before they begin.
func TestLimiter(t *testing.T) {
	for _, tc := range []struct {
		store         Store
		workers, want int
		reason        string
	}{
		{limited{bound: 2}, 0, 2, "the store bounds the default"},
		{limited{bound: 2}, 8, 2, "the store bounds the setting"},
		{limited{bound: 2}, 1, 1, "the setting is lower"},
		{wrapping{inner: limited{bound: 2}}, 8, 2, "a wrapper has the bound of its store"},
		{limited{bound: 1000}, 0, 256, "a bound above the default does not raise it"},
		{limited{bound: 1000}, 500, 500, "a bound above the setting does not raise it"},
		{limited{}, 8, 8, "zero is no bound"},
		{limited{bound: -1}, 8, 8, "a negative number is no bound"},
		{answers{}, 0, 256, "a store without a bound has the default"},
	} {
		c, err := New(tc.store, Config{Workers: tc.workers})
		if err != nil {
			t.Fatal(err)
		}
		if c.cfg.Workers != tc.want || c.pace.Limit() > tc.want {
			t.Errorf("%d workers, and %d of them at first; want %d: %s", c.cfg.Workers, c.pace.Limit(), tc.want, tc.reason)
		}
	}
	if _, err := New(limited{bound: 2}, Config{Workers: -1}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a negative setting gives the error %v", err)
	}
}

// limited is a store that bounds the calls under way.
type limited struct {
	answers
	bound int
}

func (s limited) MaxCalls() int { return s.bound }
