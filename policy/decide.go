package policy

import "github.com/ownergraph/ownergraph/graph"

// Decide says what should happen to one object now. It is total: any input,
// however odd, has a decision, and nothing unknown ever leads to a write. The
// order of the references has no influence on the action. Held by
// TestDecideTotal and TestDecideOrderless.
func Decide(in Input, s Settings) Decision {
	d, later := orphan(in)
	if d.Action != ActionUnset {
		return d
	}
	if in.Object.Deleting {
		d = marked(in)
	} else {
		d = unmarked(in, s)
	}
	if later.Action != ActionUnset && (d.Action == Keep || d.Action == Wait) {
		return later // what it waits for wakes it, and then it is judged anew
	}
	return d
}

// orphan drops the references to owners that orphan. R2: only if the owner was
// seen so at an instant after the judged version was committed. What is still
// to come is returned as later; it holds nothing else up.
func orphan(in Input) (d, later Decision) {
	var drop, read []int
	for i, o := range in.Owners {
		if o.Self || !o.Orphaning || o.Class == graph.Dangling {
			continue
		}
		switch in.proof(o, SeenOrphaning) {
		case proven:
			if !o.Unacknowledged {
				drop = append(drop, i)
				continue
			}
			later = Decision{Action: Wait, Reason: NeedAcknowledgement, Owners: []int{i}}
		case readable:
			read = append(read, i)
		case fenceable:
			later = in.fence(i)
		case contradicted:
			later = Decision{Action: Wait, Reason: NeedWatch, Owners: []int{i}}
		}
	}
	switch {
	case len(drop) > 0:
		return Decision{Action: Orphan, Reason: OwnerOrphans, Owners: in.withDangling(drop)}, later
	case len(read) > 0:
		return Decision{Action: Verify, Reason: NeedOwner, Owners: read}, later
	}
	return Decision{}, later
}

// withDangling adds the references to absent owners: the collector proposal
// trims them together.
func (in Input) withDangling(drop []int) []int {
	var out []int
	for i, o := range in.Owners {
		if len(drop) > 0 && drop[0] == i {
			drop = drop[1:]
			out = append(out, i)
		} else if o.Class == graph.Dangling && !o.Unsettled && !o.Self {
			out = append(out, i)
		}
	}
	return out
}

// marked ends the object's own propagation. R3: only behind a fence that began
// after the mark it carries now was observed, and never on the strength of a
// read.
func marked(in Input) Decision {
	p := in.Object.Propagation()
	if p == graph.Unset {
		return Decision{Action: Keep, Reason: NeedFinalizers}
	}
	if in.Retry {
		return Decision{Action: Wait, Reason: NeedWatch}
	}
	if p == graph.Foreground && in.Blocking > 0 || p == graph.Orphan && in.Referring > 0 {
		if p == graph.Foreground && len(in.Ring) > 0 {
			return Decision{Action: Unblock, Reason: RingConfirmed, Owners: in.Ring}
		}
		return Decision{Action: Wait, Reason: NeedDependents}
	}
	if p == graph.Orphan && in.Unacknowledged {
		return Decision{Action: Wait, Reason: NeedAcknowledgement}
	}
	d := Decision{Action: Release, Reason: DependentsGone, Finalizer: p.Finalizer()}
	if p == graph.Orphan {
		d.Reason = DependentsFree
	}
	switch {
	case in.Mark != 0 && in.Fence.Passed > in.Mark:
		return d
	case in.Mark != 0 && in.Fence.Released > in.Mark:
		d.BestEffort = true
		return d
	}
	return in.fence()
}

func (in Input) fence(owners ...int) Decision {
	d := Decision{Action: Wait, Reason: NeedFence, Owners: owners}
	if in.Fence.Held {
		d.Reason = FenceHeld
	}
	return d
}
