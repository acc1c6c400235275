package policy

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// marked judges an object that is being deleted, and ends its propagation. R3: that takes
// a fence that began after the object's present mark was observed. A read is no
// substitute.
func (in *Facts) marked(s *Scratch) Decision {
	p := in.Propagation
	switch {
	case !in.Finalizers:
		return Decision{Action: Keep, Reason: NeedGrace}
	case p.Finalizer() == "":
		return Decision{Action: Keep, Reason: NeedFinalizers}
	case in.Retry:
		return Decision{Action: Wait, Reason: NeedWatch}
	case p == graph.Foreground && in.Blocking > 0:
		return in.blocked(s)
	case p == graph.Orphan && in.Referring+in.Elsewhere > 0:
		return Decision{Action: Wait, Reason: NeedDependents}
	case p == graph.Orphan && in.Unacknowledged:
		return Decision{Action: Wait, Reason: NeedAcknowledgement}
	}
	return in.release(p)
}

// release drops the propagation finalizer, if the fence allows it.
func (in *Facts) release(p graph.Propagation) Decision {
	d := Decision{Action: Release, Reason: DependentsGone, Finalizer: p.Finalizer()}
	switch {
	case p == graph.Orphan && in.Overdue:
		d.Reason = AcknowledgementOverdue
	case p == graph.Orphan:
		d.Reason = DependentsFree
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
func (in *Facts) blocked(s *Scratch) Decision {
	v := s.verdict()
	for i := range in.Owners {
		if _, rings := slices.BinarySearch(in.Ring, i); rings && in.Owners[i].Block && !in.Owners[i].Self {
			v.add(proven, i)
		}
	}
	ring := v.proven
	if len(ring) == 0 {
		return Decision{Action: Wait, Reason: NeedDependents}
	}
	return Decision{Action: Unblock, Reason: RingConfirmed, Owners: ring, BestEffort: in.Fence.Passed <= in.Mark}
}
