package rules

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// marked judges an object that is being deleted, and ends its propagation. R3: that takes
// a fence that began after the object's present mark was observed. A read is no
// substitute.
func (in *Input) marked(s *Scratch) policy.Decision {
	p := in.Propagation
	switch {
	case !in.Finalizers:
		return policy.Decision{Action: policy.Keep, Reason: policy.NeedGrace}
	case p == graph.Unset:
		return policy.Decision{Action: policy.Keep, Reason: policy.NeedFinalizers}
	case in.Retry:
		return policy.Decision{Action: policy.Wait, Reason: policy.NeedWatch}
	case p == graph.Foreground && in.Blocking > 0:
		return in.blocked(s)
	case p == graph.Orphan && in.Referring+in.Elsewhere > 0:
		return policy.Decision{Action: policy.Wait, Reason: policy.NeedDependents}
	case p == graph.Orphan && in.Unacknowledged:
		return policy.Decision{Action: policy.Wait, Reason: policy.NeedAcknowledgement}
	}
	return in.release(p)
}

// release drops the propagation finalizer, if the fence allows it.
func (in *Input) release(p graph.Propagation) policy.Decision {
	d := policy.Decision{Action: policy.Release, Reason: policy.DependentsGone, Finalizer: p.Finalizer()}
	switch {
	case p == graph.Orphan && in.Overdue:
		d.Reason = policy.AcknowledgementOverdue
	case p == graph.Orphan:
		d.Reason = policy.DependentsFree
	}
	switch {
	case in.Mark == 0:
	case in.Fence.Passed > in.Mark:
		return d
	case in.Fence.Released > in.Mark:
		d.BestEffort = true
		return d
	}
	return in.fence(nil)
}

// blocked breaks the ring through which a foreground deletion waits for itself. Without a
// ring it waits for the blocking dependents. A ring consists of marked objects, so only a
// fence that began after their marks can confirm it.
func (in *Input) blocked(s *Scratch) policy.Decision {
	v := s.verdict()
	for i := range in.Owners {
		if _, rings := slices.BinarySearch(in.Ring, i); rings && in.Owners[i].Block && !in.Owners[i].Self {
			v.add(proven, i)
		}
	}
	ring := v.proven
	if len(ring) == 0 {
		return policy.Decision{Action: policy.Wait, Reason: policy.NeedDependents}
	}
	return policy.Decision{Action: policy.Unblock, Reason: policy.RingConfirmed, Owners: ring, BestEffort: in.Fence.Passed <= in.Mark}
}
