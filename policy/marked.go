package policy

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// marked judges an object that is being deleted: it ends the object's own
// propagation. R3: only behind a fence that began after the mark it carries now
// was observed, and never on the strength of a read.
func (in *Input) marked() Decision {
	p := in.Object.Propagation()
	switch {
	case len(in.Object.Finalizers) == 0:
		return Decision{Action: Keep, Reason: NeedGrace}
	case p == graph.Unset:
		return Decision{Action: Keep, Reason: NeedFinalizers}
	case in.Retry:
		return Decision{Action: Wait, Reason: NeedWatch}
	case p == graph.Foreground && in.Blocking > 0:
		return in.blocked()
	case p == graph.Orphan && in.Referring > 0:
		return Decision{Action: Wait, Reason: NeedDependents}
	case p == graph.Orphan && in.Unacknowledged:
		return Decision{Action: Wait, Reason: NeedAcknowledgement}
	}
	return in.release(p)
}

// release takes the propagation finalizer off, if the fence allows it.
func (in *Input) release(p graph.Propagation) Decision {
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
	return in.fence()
}

// blocked breaks the ring through which a foreground deletion waits for itself,
// or waits for whoever blocks it. A ring is younger than the mark, so that a
// fence from before the mark cannot have confirmed it.
func (in *Input) blocked() Decision {
	var ring []int
	for i, r := range in.Object.Owners {
		if r.Block && slices.Contains(in.Ring, i) && !in.Owners[i].Self {
			ring = append(ring, i)
		}
	}
	if len(ring) == 0 {
		return Decision{Action: Wait, Reason: NeedDependents}
	}
	return Decision{Action: Unblock, Reason: RingConfirmed, Owners: ring, BestEffort: in.Fence.Passed <= in.Mark}
}
