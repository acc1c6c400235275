package sim

import (
	"errors"
	"fmt"
	"time"

	"github.com/ownergraph/ownergraph"
	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/policy"
	"github.com/ownergraph/ownergraph/share"
)

// This file judges the shares of the engines (RULES, H1 to H4).

// part is the share of one engine, as its judge knows it.
type part struct {
	set     share.Set
	until   time.Time // the set is None from then on, zero for no end
	first   share.Set // with which an engine begins
	waited  bool      // callers have waited for the engine, and a wait needs a fence
	crashes int
	lapses  int // sets that ended by themselves
}

// sharing begins the share of an engine, and judges the reports about roots: the engine of the share
// makes them (RULES, H3).
func (s *sim) sharing(side int, c *ownergraph.Config) {
	if !s.o.has(shares) {
		return
	}
	if s.parts == nil {
		s.parts = make([]part, s.o.engines)
	}
	s.parts[side] = part{set: c.Share, first: c.Share}
	inner := c.OnDecision
	c.OnDecision = func(d engine.DecisionEvent) {
		switch d.Reason {
		case policy.RootUnguarded, policy.HoldRemoved:
			if d.Call == 0 && s.w != nil && s.isForeign(side, d.Key.UID) {
				s.fail(fmt.Errorf("H3: engine %d reports %v of %s, which is in another share", side, d.Reason, d.Key))
			}
		}
		if d.Call != 0 && s.w != nil && s.isForeign(side, d.Key.UID) {
			s.fail(fmt.Errorf("H1: engine %d decides to write to %s, which is in another share", side, d.Key))
		}
		if inner != nil {
			inner(d)
		}
	}
}

// isForeign reports whether a UID is in another share than that of an engine.
func (s *sim) isForeign(side int, uid graph.UID) bool {
	return s.parts != nil && !s.parts[side].set.Has(uid)
}

// lapse ends a share whose time is over. The engine notices that as soon as it is asked for a call.
func (s *sim) lapse(side int) {
	if s.parts == nil {
		return
	}
	if p := &s.parts[side]; !p.until.IsZero() && !s.w.Now.Before(p.until) {
		p.set, p.until, p.lapses = share.None(), time.Time{}, p.lapses+1
		s.resize(side)
	}
}

// noteWait notes that a caller waits for an engine.
func (s *sim) noteWait(side int) {
	if s.parts != nil {
		s.parts[side].waited = true
	}
}

// isCancelled reports whether a call runs a handler for an object that has left the share.
func (s *sim) isCancelled(st step) bool {
	return s.isForeign(int(st.side), s.w.Sides[st.side].Calls[st.number].Key.UID)
}

// judgeShare judges a call as an engine hands it out.
func (s *sim) judgeShare(side int, c engine.Call) error {
	if s.strays(side, c) {
		return fmt.Errorf("H1: engine %d hands out %s outside of its %d slots", side, c.String(), s.parts[side].set.Len())
	}
	return nil
}

// strays reports whether an engine may not begin a call with its present share. Listings and the
// fences of callers are of no object. A read is for the dependents of its object. A sweep reads a
// holder for the members, and an order reads for the objects of all phases.
func (s *sim) strays(side int, c engine.Call) bool {
	if s.parts == nil {
		return false
	}
	p := &s.parts[side]
	none := p.set == share.None()
	switch c.Type {
	case engine.CallPatch, engine.CallDelete, engine.CallHandle, engine.CallJudge:
		return !p.set.Has(c.Key.UID)
	case engine.CallFence:
		return none && !p.waited && s.w.Sides[side].Engine.Stats().Losses == 0 // a loss is of the engine itself (R5)
	case engine.CallSelect:
		return none
	case engine.CallRead:
		return none || !p.set.Has(c.Key.UID) && s.sweeps == nil && s.shields == nil && !s.hasOwnDependent(side, c.Key)
	}
	return false
}

// hasOwnDependent reports whether an object of an engine's share refers to an owner, by its UID.
func (s *sim) hasOwnDependent(side int, owner graph.Key) bool {
	for n := range probe.Graph(s.w.Sides[side].Engine).Nodes() {
		for i := range n.Owners() {
			if n.OwnerAt(i).UID == owner.UID && !s.isForeign(side, n.Key().UID) {
				return true
			}
		}
	}
	return false
}

// judgeLeft judges the calls of an engine after a change of its share. The engine has revoked those
// that may no longer begin.
func (s *sim) judgeLeft(side int) error {
	if s.parts == nil {
		return nil
	}
	x := s.w.Sides[side]
	for i := range x.Calls {
		c := &x.Calls[i].Call
		if c.Type != engine.CallRead && c.Revision == x.Engine.Revision() && s.strays(side, *c) { // the dependents of a read change
			return fmt.Errorf("H1: engine %d does not revoke %s, which has left its share", side, c)
		}
	}
	return nil
}

// decider returns the engine that decides about an object: one with the same settings as the given
// one, in whose share the object is. It is the given one, if that has the object.
func (s *sim) decider(side int, uid graph.UID) *engine.Engine {
	for i := range s.parts {
		i = (side + i) % len(s.parts)
		if s.o.isLike(side, i) && !s.isForeign(i, uid) {
			return s.w.Sides[i].Engine
		}
	}
	return s.w.Sides[side].Engine
}

// heldBy returns the report of an object by the engine that decides about it.
func (s *sim) heldBy(side int, k graph.Key) (engine.Held, bool) {
	e := s.decider(side, k.UID)
	for _, h := range e.Held(e.Stats().Nodes) {
		if h.Key == k {
			return h, true
		}
	}
	return engine.Held{}, false
}

// checkForeign checks the reports of an engine at rest about the objects of other shares (RULES, H4).
func (s *sim) checkForeign(side int) error {
	if s.parts == nil {
		return nil
	}
	e, stuck := s.w.Sides[side].Engine, 0
	for _, h := range e.Held(e.Stats().Nodes) {
		if h.Status == engine.StatusStuck {
			stuck++
		}
		if s.isForeign(side, h.Key.UID) && (h.Reason != policy.OtherShare || h.Status == engine.StatusStuck) {
			return fmt.Errorf("H4: engine %d reports %s, which is in another share: %v: %v", side, h.Key, h.Status, h)
		}
	}
	if n := e.Stats().ByStatus.Of(engine.StatusStuck); n != stuck {
		return fmt.Errorf("H4: engine %d counts %d objects as stuck, and reports %d", side, n, stuck)
	}
	if set := e.Stats().Share; set != s.parts[side].set {
		return fmt.Errorf("H4: engine %d reports the share %v, want %v", side, set, s.parts[side].set)
	}
	for _, o := range s.w.Store.Objects() {
		if err := s.judgeForeign(side, o.Key); err != nil {
			return err
		}
	}
	return nil
}

// judgeForeign judges the explanation of an object of another share: the engine explains its own
// decision, and leaves each action to the engine of that share.
func (s *sim) judgeForeign(side int, k graph.Key) error {
	if !s.isForeign(side, k.UID) {
		return nil
	}
	x, err := s.w.Sides[side].Engine.Explain(k)
	if errors.Is(err, graph.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	switch d := x.Decision; {
	case d.Reason == policy.NeedListing: // the engine has not observed what it decides by
		return nil
	case !d.Action.Writes() && d.Action != policy.Wait && d.Action != policy.Verify:
	case d.Barred != policy.OtherShare && d.Barred != policy.ObserveOnly:
		return fmt.Errorf("H4: engine %d explains %s, which is in another share, as %v (%v), barred by %v", side, k, d.Action, d.Reason, d.Barred)
	}
	if pace, _ := x.Pace(); pace == explain.Stuck {
		return fmt.Errorf("H4: engine %d explains %s, which is in another share, as stuck: %v", side, k, x.Decision)
	}
	return nil
}
