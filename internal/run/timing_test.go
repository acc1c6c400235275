package run

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestTiming: a worker times its first call, one of 16 quick ones, and each call after a
// slow one.
func TestTiming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		epoch := time.Now().Add(-time.Second)
		var m Timing
		timed := func(takes time.Duration) bool {
			var x Ended
			m.Begin(epoch, &x)
			<-time.After(takes)
			m.End(epoch, &x)
			if x.Began != 0 && x.Latency != takes {
				t.Errorf("a call of %v took %v", takes, x.Latency)
			}
			return x.Began != 0
		}
		if !timed(0) || !m.Quick() {
			t.Error("the first call is timed, and it was quick")
		}
		n := 0
		for range 160 {
			if timed(0) {
				n++
			}
		}
		if n != 10 {
			t.Errorf("%d of 160 quick calls are timed, want 10", n)
		}
		for range timedShare {
			timed(time.Millisecond)
		}
		if m.Quick() || !timed(time.Millisecond) {
			t.Error("each call of a slow store is timed")
		}
	})
}

// TestOutcomeOf: an answer is an answer, also one that refuses.
func TestOutcomeOf(t *testing.T) {
	for _, c := range []struct {
		err    error
		want   Outcome
		reason string
	}{
		{nil, OutcomeAnswer, "the store did it"},
		{fmt.Errorf("delete: %w", graph.ErrConflict), OutcomeAnswer, "the store compared the version"},
		{graph.ErrNotFound, OutcomeAnswer, "the store looked"},
		{graph.ErrRefused, OutcomeAnswer, "the store refused"},
		{graph.ErrKindUnknown, OutcomeAnswer, "the store knows its kinds"},
		{fmt.Errorf("get: %w", context.DeadlineExceeded), OutcomeSilent, "no answer came in time"},
		{Late(time.Second), OutcomeSilent, "no answer came within the timeout of the call"},
		{context.Canceled, OutcomeUnset, "the caller ended the call"},
		{errors.New("webhook failed"), OutcomeUnset, "it may come from a part of the store"},
	} {
		if got := OutcomeOf(c.err); got != c.want {
			t.Errorf("%v is %v, want %v: %s", c.err, got, c.want, c.reason)
		}
	}
}
