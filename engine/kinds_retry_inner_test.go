package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/ownergraph/ownergraph/graph"
)

// TestRecoveryInSteps: the writes that wait for a kind are tried again when it recovers, and no step
// looks at all of them.
func TestRecoveryInSteps(t *testing.T) {
	const n = 4 * slice
	e := listed(t, Config{}, append(below("a", n), "a#1")...)
	e.observeEach(t, goneOf("a"))
	noAnswer := errors.New("no answer")
	silent := func(c Call) error {
		if c.Type == CallDelete {
			return noAnswer
		}
		return absent(c)
	}
	waiting := func() (n int) {
		for _, id := range e.expected.Nodes() {
			if e.expected.IsBlocked(id) {
				n++
			}
		}
		return n
	}
	e.observeEach(t, graph.Event{Type: graph.KindSick, Kind: "b", Reason: "down"})
	if e.carries(t, silent); waiting() != n {
		t.Fatalf("%d writes wait for the kind, want %d", waiting(), n)
	}
	e.observeEach(t, graph.Event{Type: graph.KindRecovered, Kind: "b"})
	served := func(c Call) error {
		if c.Type == CallRead && c.Key.Kind == "b" {
			return errReadSame
		}
		return absent(c)
	}
	for last := n; last > 0; {
		now := waiting()
		if last-now > slice {
			t.Fatalf("%d writes are tried again in one step, want %d at most", last-now, slice)
		}
		if now > 0 && !e.expected.Retries() {
			t.Fatalf("%d writes wait on, and the engine has no work", now)
		}
		last = now
		e.stepBulk()
	}
	for range 9 {
		e.carriesSame(t, served)
		e.now = e.now.Add(time.Minute)
	}
	if e.graph.Observed() != 0 || e.expected.Len() != 0 {
		t.Errorf("%d objects are left after the recovery, and %d writes wait: held %q", e.graph.Observed(), e.expected.Len(), e.whyHeld())
	}
}
