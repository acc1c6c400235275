package sim

import (
	"fmt"
	"slices"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	planning "github.com/ownergraph/ownergraph/plan"
	"github.com/ownergraph/ownergraph/policy"
)

// comparison compares a plan with its end.
type comparison struct {
	s        *sim
	plan     planning.Plan
	side     int // of the engine that made the plan
	before   []graph.Object
	requests [9]int
	open     gap
	path     []string // the moves of shuffle, in a traced history
	helped   bool     // other clients than the user have written
	// goneHolder says that an engine went on with a sweep whose holder is gone.
	goneHolder bool
}

// compare returns an error unless each definite outcome has come true, and each outcome
// is definite or possible (RULES, P3). It counts the outcomes.
func (c *comparison) compare() error {
	var n Plans
	err := c.compareEnds(&n)
	if bad := c.checkPassed(); bad != nil {
		return bad
	}
	switch {
	case c.open != noGap:
		if bad := c.keepsRefused(); bad != nil {
			return bad
		}
		n = Plans{}
		if n.Gaps[c.open]++; err != nil {
			n.Differ[c.open]++
		}
		c.s.plans.add(n)
		return nil
	case err == nil:
		n.Plans++
		err = c.compareCost(&n)
	}
	c.s.plans.add(n)
	if err == nil {
		err = c.compareOracle(&c.s.plans)
	}
	return err
}

func (c *comparison) compareEnds(n *Plans) error {
	if unmet := c.plan.Unmet(c.s.w.Store.Objects()); len(unmet) > 0 {
		return fmt.Errorf("P3: the plan of engine %d is wrong: %s", c.side, unmet[0])
	}
	for _, o := range c.before {
		p, planned := c.plan.At(o.Key)
		end := c.end(o)
		switch {
		case planned && p.Possible:
			n.Possible++
			if end != p.Outcome {
				n.Other++
			}
		case planned && p.Outcome != end && c.unreported(p.Outcome, end, o.Key):
			n.Unreported++
		case planned && p.Outcome != end:
			return fmt.Errorf("P3: the plan of engine %d has %s as %s (%s), and it is %s (%s)",
				c.side, o.Key, p.Outcome, p.Reason, end, c.held(o.Key))
		case planned:
			n.Ends[end]++
		case c.changed(o) && c.sweepsOutside():
			n.Outside++
		case c.changed(o):
			return fmt.Errorf("P3: the plan of engine %d does not have %s, and it changes", c.side, o.Key)
		}
	}
	return nil
}

// unreported reports whether an unmarked object stays as planned. It depends on the last
// look of an engine whether the engine reports such an object as held.
func (c *comparison) unreported(a, b planning.Outcome, k graph.Key) bool {
	now, _ := c.s.w.Store.At(k)
	stays := func(o planning.Outcome) bool { return o == planning.Kept || o == planning.Held }
	return stays(a) && stays(b) && !now.Deleting
}

// end returns the end of an object in the words of a plan.
func (c *comparison) end(was graph.Object) planning.Outcome {
	now, ok := c.s.w.Store.At(was.Key)
	if !ok || now.Key != was.Key {
		return planning.Removed
	}
	switch {
	case now.Deleting || c.held(was.Key) != "":
		return planning.Held
	case c.s.orphaned[was.Key]:
		return planning.Orphaned
	case len(now.Owners) < len(was.Owners):
		return planning.Trimmed
	}
	return planning.Kept
}

// held returns the reason for which an engine holds an object, "" for none. The first engine tells,
// or the one that has the object in its share.
func (c *comparison) held(k graph.Key) string {
	if h, ok := c.s.heldBy(0, k); ok {
		return h.String()
	}
	return ""
}

// changed reports whether an object is not what it was, apart from its version.
func (c *comparison) changed(was graph.Object) bool {
	now, ok := c.s.w.Store.At(was.Key)
	now.Version = was.Version
	return !ok || !now.Equal(was)
}

// compareCost compares the cost of a plan of one deletion with the requests of one engine.
func (c *comparison) compareCost(n *Plans) error {
	made := func(t engine.CallType) int { return c.s.w.Requests[t] - c.requests[t] }
	cost, writes := c.plan.Cost, made(engine.CallPatch)+made(engine.CallDelete)+1
	switch {
	case len(c.s.w.Sides) > 1 || len(c.plan.Request.Delete) > 1 || cost.Varies || c.helped || len(c.plan.Request.Removed) > 0,
		c.s.w.Sides[0].Engine.Stats().Writes.Undone > 0: // it may put off a write, and a plan does not know that
		return nil
	case slices.ContainsFunc(c.plan.Steps, func(s planning.Step) bool { return s.Action == policy.Attach }):
		return nil // the engine may have put off to guard a holder, and a plan does not know that
	case writes != cost.Writes:
		return fmt.Errorf("P3: a plan of %d writes cost %d", cost.Writes, writes)
	case made(engine.CallRead) > cost.Reads:
		return fmt.Errorf("P3: a plan of %d reads at most cost %d", cost.Reads, made(engine.CallRead))
	case made(engine.CallFence) > cost.Fences:
		return fmt.Errorf("P3: a plan of %d fences at most cost %d", cost.Fences, made(engine.CallFence))
	}
	n.Costs++
	return nil
}

// maxJudged bounds the objects of a store whose ends the oracle finds.
const maxJudged = 4

// compareOracle compares the plan of one deletion with every end that the rules permit. It
// leaves out worlds that the oracle does not know.
func (c *comparison) compareOracle(n *Plans) error {
	s, targets := c.s, c.plan.Request.Delete
	strange := func(o graph.Object) bool {
		unknown := func(r graph.Owner) bool { return r.OnDelete > graph.OnDeleteCascade } // an end has no text for it
		return garbled(o) || s.o.flawed(o) || o.GraceSeconds > 0 || o.HasFinalizer(handled) || slices.ContainsFunc(o.Owners, unknown)
	}
	if s.sweeps != nil || s.shields != nil || len(c.before) > maxJudged || len(targets) > 1 || c.helped || s.o.level < ownergraph.Level2 ||
		slices.ContainsFunc(c.before, strange) {
		return nil
	}
	i := slices.IndexFunc(c.before, func(o graph.Object) bool { return o.Key == targets[0].Key })
	do := oracle.Action{Verb: verb(targets[0].Propagation, c.before[i]), Object: graph.Object{Key: targets[0].Key}}
	for _, end := range oracle.EndsQuiet(forOracle(c.before), []oracle.Action{do}, s.o.forOracle()) {
		left, err := graph.Parse(end)
		if err != nil {
			return fmt.Errorf("the simulator cannot read the end %q: %w", end, err)
		}
		if unmet := c.plan.Unmet(left); len(unmet) > 0 {
			return fmt.Errorf("P3: the plan of engine %d is wrong in the end %q: %s", c.side, end, unmet[0])
		}
		n.Judged++
	}
	return nil
}
