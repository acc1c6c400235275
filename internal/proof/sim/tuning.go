package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/invariant"
)

// tuning has rare settings of the engines of a world, besides its options. It follows
// from the seed.
type tuning struct {
	fenceWait, await, refused, acknowledge time.Duration
	absent, orphaned                       int
	limits                                 graph.Limits
	observes, bare                         [maxEngines]bool // engines that only observe, and those without handlers
}

// String returns it in one line.
func (y tuning) String() string {
	return fmt.Sprintf("waits %v %v %v %v, memory %d %d, limits %+v, observers %v, without handlers %v",
		y.fenceWait, y.await, y.refused, y.acknowledge, y.absent, y.orphaned, y.limits, y.observes, y.bare)
}

// drawTuning draws the tuning from a generator of its own.
func (o *options) drawTuning() {
	r := rand.New(rand.NewPCG(o.seed, 0x70e2))
	one := func(n int) bool { return r.IntN(n) == 0 }
	span := func(all ...time.Duration) time.Duration {
		return append(make([]time.Duration, len(all)), all...)[r.IntN(2*len(all))]
	}
	y := &o.tuning
	y.fenceWait = span(1, time.Second, 20*time.Second, 5*time.Minute)
	y.await, y.refused = span(10*time.Millisecond, time.Second, time.Hour), span(1, time.Second, time.Hour)
	y.acknowledge = span(1, time.Second, time.Hour)
	if one(2) {
		y.absent, y.orphaned = []int{-1, 1, 2}[r.IntN(3)], []int{-1, 1, 2}[r.IntN(3)]
	}
	if one(4) {
		y.limits = graph.Limits{Owners: 1 + r.IntN(2), Finalizers: 1 + r.IntN(2), Text: []int{0, 0, 3, 12}[r.IntN(4)]}
	}
	for i := 1; i < o.engines; i++ {
		y.observes[i], y.bare[i] = one(3), one(4)
	}
	o.day = o.day && y.await == 0
}

// configs returns the settings of each engine.
func (o options) configs(c ownergraph.Config) []ownergraph.Config {
	y := o.tuning
	c.FenceWait, c.AcknowledgeWithin = y.fenceWait, y.acknowledge
	t := probe.Tuning(&c)
	t.AwaitTimeout, t.RefusedRetry = y.await, y.refused
	if y.absent != 0 {
		t.AbsentOwners, t.OrphanedOwners = y.absent, y.orphaned
	}
	c.Limits = y.limits
	if o.sharing.unaudited {
		c.AuditEvery = unaudited
	}
	out := make([]ownergraph.Config, o.engines)
	for i := range out {
		out[i] = c
		out[i].ObserveOnly = y.observes[i]
		o.guarding.guard(i, &out[i])
		out[i].Brake, out[i].Policies = o.braking[i], o.policied(i)
		if !y.observes[i] {
			out[i].Share = o.sharing.first[i]
		}
		if y.bare[i] {
			out[i].Handlers = nil
		}
	}
	return out
}

// rests returns the additional time that has to pass before the engines have tried
// everything again by themselves.
func (y tuning) rests() time.Duration { return max(y.await, y.refused, y.acknowledge) }

// flawed reports whether an object carries more than the engines' limits allow.
func (o options) flawed(x graph.Object) bool {
	return o.tuning.limits != (graph.Limits{}) && graph.Validate(x, o.tuning.limits) != nil || o.has(lengths) && lengthy(x)
}

// exempt reports whether the decision behind a call was labelled best effort. Then the
// owner's end need not be exact, and neither are decisions that rest on that end.
func (s *sim) exempt(c engine.Call, err error) bool {
	var bad *invariant.Breach
	if !errors.As(err, &bad) {
		return false
	}
	rule := bad.Rule
	if rule == "S21" && graph.IsGuardFinalizer(c.Change.DropFinalizer) { // no handler has it
		return true
	}
	if s.effort[issue{c.ID, c.Key}] {
		return rule == "R3" || rule[:2] == "S2" || rule[:2] == "S3"
	}
	return rule == "S3b" && s.o.tuning.fenceWait != 0 // the owner's end is best effort
}

// efforts notes the calls of the engines that are labelled best effort.
func (s *sim) efforts(c *ownergraph.Config) {
	inner := c.OnDecision
	c.OnDecision = func(d engine.DecisionEvent) {
		if d.Call != 0 && d.BestEffort { // two engines may count alike
			s.effort[issue{d.Call, d.Key}] = true
		}
		s.noteOrphan(d)
		if inner != nil {
			inner(d)
		}
	}
}
