package ownergraph

import (
	"time"

	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// Inside returns the view of the engine for the proofs of this module. Users cannot call
// it, because they cannot make a Key.
func (e *Engine) Inside(inside.Key) insider { return insider{e} }

// insider is the view of an engine for the proofs of this module. Package internal/probe
// has its methods as functions.
type insider struct{ e *Engine }

// Clone returns an engine that goes on from here on its own. The two share the Config, and
// nothing that either may change.
func (i insider) Clone() *Engine { return i.e.clone() }

// Check verifies the invariants that stand on Engine. An error names the first broken one.
func (i insider) Check() error { return i.e.check() }

// Fingerprint returns a hash of all state that decides the engine's later acts.
func (i insider) Fingerprint(rename func(Key, Version) uint64) uint64 { return i.e.fingerprint(rename) }

// Busy reports whether there is work left that needs neither an event nor a result.
func (i insider) Busy() bool { return i.e.busy() }

// ObserveAll takes many events as Observe does, one after another, and is faster.
func (i insider) ObserveAll(now time.Time, events []Event) error { return i.e.observeAll(now, events) }

// Tick takes the time, and does nothing else.
func (i insider) Tick(now time.Time) { i.e.tick(now) }

// Wake returns the time at which Next of the lane will have something to do if no event
// and no result comes before. It returns false for never.
func (i insider) Wake(lane Lane) (time.Time, bool) {
	at := i.e.wake(lane)
	return at, !at.IsZero()
}

// BeginWait begins a wait for the engine to be idle, and returns its moment.
func (i insider) BeginWait(now time.Time) seq.Stamp { return i.e.beginWait(now) }

// TryEndWait reports whether a wait is over, or asks for the fence that it waits for.
func (i insider) TryEndWait(at seq.Stamp) bool { return i.e.tryEndWait(at) }
