package sim

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/ownergraph/ownergraph/engine"
	"github.com/ownergraph/ownergraph/explain"
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/probe"
	"github.com/ownergraph/ownergraph/internal/proof/world"
	"github.com/ownergraph/ownergraph/policy"
)

// explainEvery is the number of full checks for each checked explanation. It costs as much as some of
// them.
const explainEvery = 4

// checkExplained checks the law X1 for one object, another one each time: an engine explains the
// decision that it would make now, and the explanation changes nothing.
func (s *sim) checkExplained() error {
	all, n := s.w.Store.Objects(), s.at/s.every/explainEvery
	if len(all) == 0 || s.at/s.every%explainEvery != 0 {
		return nil
	}
	key := all[n%len(all)].Key
	for i, side := range s.w.Sides {
		if slices.ContainsFunc(side.Calls, func(f world.InFlight) bool { return f.Call.Key == key }) {
			continue // the call carries out an earlier decision
		}
		if err := errors.Join(explained(side.Engine, key), s.judgeForeign(i, key)); err != nil {
			return fmt.Errorf("engine %d: %w", i, err)
		}
	}
	return nil
}

// explained compares the explanation of an object with the decision of a copy of the engine.
func explained(e *engine.Engine, key graph.Key) error {
	before := probe.Fingerprint(e, nil)
	x, err := e.Explain(key)
	switch {
	case errors.Is(err, graph.ErrNotFound), err == nil && x.State != explain.Exists: // the engine has not observed it
		return nil
	case err != nil:
		return fmt.Errorf("X1: %w", err)
	case probe.Fingerprint(e, nil) != before:
		return fmt.Errorf("X1: the explanation of %s has changed the engine", key)
	}
	d, ok := probe.Decide(probe.Clone(e), key)
	if !ok {
		return nil // it waits for an event, or a read of it is due
	}
	want := probe.Explained(d)
	switch {
	case reflect.DeepEqual(x.Decision, want):
	case x.Decision.Action == policy.Wait && toDelete(x.Decision.Reason): // its cascade has to be counted, and a decision counts a small one at once
	case probe.Busy(e) && (bySweep(x.Decision.Reason) || bySweep(d.Reason)): // a walk has still to find its holders
	default:
		return fmt.Errorf("X1: %s is explained as %+v, and the engine decides %+v", key, x.Decision, want)
	}
	return nil
}

// toDelete reports whether a decision to delete has the reason.
func toDelete(why policy.Reason) bool {
	switch why {
	case policy.OwnersGone, policy.OwnersWaiting, policy.CascadeOwnerGone, policy.CascadeOwnerWaits, policy.HolderDeleted:
		return true
	}
	return false
}

// bySweep reports whether a decision about the member of a sweep may have the reason.
func bySweep(why policy.Reason) bool {
	switch why {
	case policy.NeedSweep, policy.KindSick, policy.Contested, policy.SweepUnserved, policy.HolderDeleted:
		return true
	}
	return false
}
