package explain

import (
	"iter"

	"github.com/ownergraph/ownergraph/policy"
)

// Ends yields the last conditions of all chains, in order.
func (x *Explanation) Ends() iter.Seq[Condition] {
	return func(yield func(Condition) bool) { eachEnd(x.Wait, yield) }
}

func eachEnd(all []Condition, yield func(Condition) bool) bool {
	for _, c := range all {
		if len(c.For) > 0 {
			if !eachEnd(c.For, yield) {
				return false
			}
			continue
		}
		if !yield(c) {
			return false
		}
	}
	return true
}

// Pace returns the pace of the object, and the end that decides it: the next actor. Of
// several ends the worst counts. The condition is zero for a resting object.
//
//test:by TestPace
func (x *Explanation) Pace() (p Pace, next Condition) {
	p = Resting
	if x.State != Exists || x.Decision.rests() && !x.isContained() {
		return p, next
	}
	for c := range x.Ends() {
		if q := c.pace(); q > p {
			p, next = q, c
		}
	}
	return p, next
}

// isContained reports whether the actor of a container has to delete the object, which this engine
// keeps.
func (x *Explanation) isContained() bool {
	return x.Decision.rests() && len(x.Wait) == 1 && x.Wait[0].Key == x.Key && x.Wait[0].End == Writer && x.Wait[0].Text != ""
}

// rests reports whether nothing has to happen to an object with the decision.
func (d *Decision) rests() bool {
	return d.Action == policy.Keep && d.Reason != policy.HandlerRuns && !d.Reason.Held()
}

// pace returns the pace of an object that waits for the end.
func (c *Condition) pace() Pace {
	switch c.End {
	case Work, Time, Cut:
		return Moving
	case Controller, Writer:
		return Pending
	case User:
		if meant(c.Reason) {
			return Pending
		}
	case Store:
		if c.Reason == policy.StoreDelays { // a busy store is no fault
			return Pending
		}
	case Ring:
		if c.Actor != "" {
			return Moving
		}
	case Handler:
		if c.Tries == 0 {
			return Moving
		}
	case EndUnset:
		return PaceUnset
	}
	return Stuck
}

// meant reports whether an object stays because a user wants that, or has to say so. Nothing has to
// be mended.
func meant(r policy.Reason) bool {
	switch r {
	case policy.Protected, policy.ProtectionUnknown, policy.NeedVerdict, policy.DeletionRefused, policy.CascadeRefused, policy.Paused, policy.LevelTooLow,
		policy.NoOwners, policy.NoOwnerDeletes:
		return true
	}
	return false
}
