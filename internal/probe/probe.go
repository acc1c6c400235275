// Package probe looks into an engine: it has the operations of the proofs and tests of
// this module that users do not have.
package probe

import (
	"context"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/seq"
	"github.com/ownergraph/ownergraph/internal/forecast"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/plan"
)

// Clone returns an engine that goes on from here on its own. The two share the Config, and
// nothing that either may change.
func Clone(e *engine.Engine) *engine.Engine { return e.Inside(inside.Key{}).Clone() }

// Check verifies the invariants that stand on Engine. An error names the first broken one.
// Check walks everything.
func Check(e *engine.Engine) error { return e.Inside(inside.Key{}).Check() }

// Fingerprint returns a hash of all state that decides the engine's later acts. Two
// engines of one Config with different fingerprints may act differently. Two with the same
// fingerprint act alike, except for a collision. Rename, if not nil, stands for each
// version.
//
//test:by internal/proof/exhaustive.TestFingerprintAgrees
func Fingerprint(e *engine.Engine, rename func(ownergraph.Key, ownergraph.Version) uint64) uint64 {
	return e.Inside(inside.Key{}).Fingerprint(rename)
}

// Busy reports whether there is work left that needs neither an event nor a result. Next
// would hand out a read or a write, or get something done.
func Busy(e *engine.Engine) bool { return e.Inside(inside.Key{}).Busy() }

// ObserveAll takes many events as Observe does, one after another, and is faster. It
// returns the errors of the refused events, joined.
func ObserveAll(e *engine.Engine, now time.Time, events []ownergraph.Event) error {
	return e.Inside(inside.Key{}).ObserveAll(now, events)
}

// Decide decides an object at once, and returns the report of the decision. It returns false
// for an object without a decision now. The engine is of no further use: clone it before.
func Decide(e *engine.Engine, key ownergraph.Key) (engine.DecisionEvent, bool) {
	return e.Inside(inside.Key{}).Decide(key)
}

// Explained returns a decision in the words of an explanation (X1).
func Explained(d engine.DecisionEvent) explain.Decision {
	return explain.Decision{
		Action: d.Action, Reason: d.Reason, Doubt: d.Doubt, Propagation: d.Propagation,
		Finalizer: d.Finalizer, BestEffort: d.BestEffort, Barred: d.Barred,
	}
}

// Tick takes the time, and does nothing else.
func Tick(e *engine.Engine, now time.Time) { e.Inside(inside.Key{}).Tick(now) }

// Wake returns the time at which Next of the lane will have something to do if no event
// and no result comes before. It returns false for never.
func Wake(e *engine.Engine, lane engine.Lane) (time.Time, bool) {
	return e.Inside(inside.Key{}).Wake(lane)
}

// BeginWait begins a wait for the engine to be idle, and returns its moment.
func BeginWait(e *engine.Engine, now time.Time) seq.Stamp {
	return e.Inside(inside.Key{}).Driver().BeginWait(now)
}

// TryEndWait reports whether a wait is over, or asks for the fence that it waits for.
// Collector.WaitIdle waits so.
//
//test:by internal/proof/sim.TestSeeds
func TryEndWait(e *engine.Engine, at seq.Stamp) bool {
	return e.Inside(inside.Key{}).Driver().TryEndWait(at)
}

// Tuning returns the tuning of a config, which the caller may change.
func Tuning(c *ownergraph.Config) *inside.Tuning { return c.Inside(inside.Key{}) }

// Tuned returns a config with another tuning.
func Tuned(c ownergraph.Config, t inside.Tuning) ownergraph.Config {
	*Tuning(&c) = t
	return c
}

// Requests returns the number of store calls: reads, writes, fences and pages of
// selections.
func Requests(s engine.Stats) (n uint64) {
	for t := engine.CallRead; t <= engine.CallJudge; t++ {
		if t != engine.CallList && t != engine.CallHandle {
			n += s.Calls.Of(t)
		}
	}
	return n
}

// Plan returns the plan of a request at once. Collector.Plan makes it in steps.
//
//test:by internal/proof/properties.TestPlanIsTheRun
func Plan(e *engine.Engine, now time.Time, req plan.Request) (plan.Plan, error) {
	return forecast.PlanAtOnce(context.Background(), e.Inside(inside.Key{}).Driver(), now, req, nil)
}

// Graph returns the graph of an engine, to read it.
func Graph(e *engine.Engine) *graph.Graph { return e.Inside(inside.Key{}).Driver().Graph() }
