package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/oracle"
	planning "github.com/ownergraph/ownergraph/plan"
)

// makeQuiet makes the world quiet (see quiet), if a step was made since it was so.
func (s *sim) makeQuiet() error {
	if s.calmed {
		return nil
	}
	return s.calm()
}

// quiet returns an error unless the world is at rest as a plan assumes (RULES, P3):
//
//   - No fault is under way: each kind is served and well, and no late write is left.
//   - Each engine is idle and has no call under way. It has observed every write, and
//     the fences that it began have passed. So have the times after which an engine looks
//     at objects again by itself, as in an audit.
//   - Until the end of the cascade no client writes, except the engines and the others
//     whose writes the plan assumes: agents that end grace periods, and the controllers
//     of the finalizers in Request.Removed.
//
// The last condition is up to fulfil. P3 speaks of one engine. Here each engine of the
// world may carry the plan out, and an engine that only observes may make it.
func (s *sim) quiet() error {
	if !s.calmed || len(s.w.Zombies) > 0 {
		return errors.New("the simulator plans among faults")
	}
	for i, side := range s.w.Sides {
		busy := len(side.Calls) + len(side.Asked) + len(side.Sets)
		for k := range side.Streams {
			busy += len(side.Streams[k].Events)
		}
		if busy > 0 || !side.Engine.Idle() {
			return fmt.Errorf("the simulator plans while engine %d is at work", i)
		}
	}
	return nil
}

// fulfil makes the world quiet, plans the deletions of a step, carries them out, runs the
// world to rest, and compares the end with the plan. Objects that are not there are left
// out.
func (s *sim) fulfil(st step) error {
	if int(st.side) >= len(s.w.Sides) {
		return nil
	}
	if err := errors.Join(s.makeQuiet(), s.broken); err != nil {
		return err
	}
	if err := s.quiet(); err != nil {
		return err
	}
	req := planning.Request{Removed: st.wish.removed}
	for _, t := range st.wish.targets {
		if s.stores(t.Key) {
			req.Delete = append(req.Delete, t)
		}
	}
	if len(req.Delete) == 0 {
		return nil
	}
	c := &comparison{s: s, side: int(st.side), before: s.w.Store.Objects(), requests: s.w.Requests}
	var err error
	if c.plan, err = s.planQuietly(c.side, req); err != nil {
		return err
	}
	c.open, c.goneHolder, s.calmed = c.gap(), s.goesOn(), false
	s.orphaned = map[graph.Key]bool{}
	defer func() { s.orphaned = nil }()
	if err := s.carryOut(c, st.wish); err != nil {
		return err
	}
	if err := c.compare(); err != nil {
		return fmt.Errorf("%w; from: %s; moves: %s", err, oracle.Line(c.before), strings.Join(c.path, ", "))
	}
	return nil
}

// planQuietly plans. The store gets no call meanwhile, and no engine changes (RULES, P1).
func (s *sim) planQuietly(side int, req planning.Request) (planning.Plan, error) {
	facts := func() string {
		line := fmt.Sprint(s.w.Requests, s.sum)
		for _, x := range s.w.Sides {
			line += fmt.Sprint(" ", probe.Fingerprint(x.Engine, nil), len(x.Calls), x.Engine.Idle())
		}
		return line
	}
	before := facts()
	p, err := probe.Plan(s.w.Sides[side].Engine, s.w.Now, req)
	if err != nil {
		return p, fmt.Errorf("P3: no plan: %w", err)
	}
	if after := facts(); after != before {
		return p, fmt.Errorf("P1: a plan changes calls, store or engines: before %s, after %s", before, after)
	}
	if p.Torn || p.Busy {
		return p, fmt.Errorf("P1: a plan of a quiet world is torn (%t) or busy (%t)", p.Torn, p.Busy)
	}
	return p, nil
}

// carryOut deletes the targets of a plan and runs the world to rest.
func (s *sim) carryOut(c *comparison, x *wish) error {
	for _, t := range c.plan.Request.Delete {
		if o, ok := s.w.Store.At(t.Key); ok && o.Key == t.Key {
			s.w.Do(oracle.Action{Verb: verb(t.Propagation, o), Object: graph.Object{Key: t.Key}})
		}
	}
	if err := s.shuffle(c, x); err != nil {
		return err
	}
	for acted := true; acted; {
		if err := errors.Join(s.runToRest(), s.broken); err != nil {
			return err
		}
		acted = false
		for i := range c.plan.Objects {
			acted = s.others(c, c.plan.Objects[i].Key) || acted
		}
	}
	return nil
}

// others makes the write of another client that a plan assumes about a marked object: the
// end of its grace period, or of a finalizer. It returns false if there is none.
func (s *sim) others(c *comparison, k graph.Key) bool {
	o, ok := s.w.Store.At(k)
	if !ok || o.Key != k || !o.Deleting {
		return false
	}
	if o.GraceSeconds > 0 {
		c.helped = true
		return s.w.Do(oracle.Action{Verb: oracle.Grace0, Object: graph.Object{Key: k}})
	}
	for _, name := range c.plan.Request.Removed {
		if slices.Contains(o.Finalizers, name) && name != handled {
			c.helped = true
			return s.w.Drop(k, name)
		}
	}
	return false
}
