package rules

import (
	"slices"

	"github.com/ownergraph/ownergraph/policy"
)

// Decide returns the decision for one object. It is total: any input has a decision, and
// an unknown fact never leads to a write. The order of the references does not change the
// decision.
//
// Decide prefers a write that is possible now, even if other facts are missing. Then it
// asks for evidence, in this order: a fence, which serves all waiting decisions, a wait that
// ends, and a read, which may fail for ever. An owner that cannot be read therefore holds
// only the references that depend on it.
//
// An object that the store could not read is flawed, also with a mark and without known
// references. Its true references, finalizers and mark are unknown, so no write rests on it.
//
// The scratch holds the lists of the decision. They are valid until the next decision
// with it.
//
// Held by TestDecideTotal, TestDecideOrderless, TestDecideExhaustive, TestDecideEnds,
// TestDecideUnreadable and TestDecideInScratch.
func Decide(in *Input, set Settings, s *Scratch) policy.Decision {
	if in.Unreadable {
		return policy.Decision{Action: policy.Keep, Reason: policy.ObjectFlawed}
	}
	if len(in.Owners) != in.References {
		in = in.torn()
	}
	left := in.leaving(s)
	if len(left.proven) > 0 {
		return in.orphan(left, s)
	}
	d := in.apart(set, s)
	own := len(d.Owners) == 0
	switch {
	case d.Action.Writes():
		return d
	case len(left.fence) > 0:
		return in.fence(left.fence)
	case d.Reason == policy.NeedFence, d.Reason == policy.FenceHeld && own, d.Reason == policy.NeedAcknowledgement:
		return d
	case len(left.late) > 0:
		return policy.Decision{Action: policy.Wait, Reason: policy.NeedAcknowledgement, Owners: left.late}
	case d.Action == policy.Verify:
		left.add(readable, d.Owners...)
		return verify(left.read)
	case len(left.read) > 0:
		return verify(left.read)
	case len(left.watch) > 0:
		return watch(left.watch)
	}
	return d
}

// apart decides as if no owner orphaned the object.
func (in *Input) apart(set Settings, s *Scratch) policy.Decision {
	if in.Deleting {
		return in.marked(s)
	}
	return in.unmarked(set, s)
}

// torn returns an input whose facts and references did not match. No decision may rest on
// the facts, and the object counts as flawed.
func (in *Input) torn() *Input {
	out := *in
	out.Owners, out.Ring, out.Flawed = nil, nil, true
	return &out
}

// verify returns the decision to read the owners, each once.
func verify(owners []int) policy.Decision {
	return policy.Decision{Action: policy.Verify, Reason: policy.NeedOwner, Owners: distinct(owners)}
}

// watch returns the decision to wait for the watch, because reads of these owners
// contradict it.
func watch(owners []int) policy.Decision {
	return policy.Decision{Action: policy.Wait, Reason: policy.NeedWatch, Owners: distinct(owners)}
}

// fence returns the decision to wait for a fence: that of the owners, or the object's own
// without owners.
func (in *Input) fence(owners []int) policy.Decision {
	d := policy.Decision{Action: policy.Wait, Reason: policy.NeedFence, Owners: owners}
	if in.Fence.Held {
		d.Reason = policy.FenceHeld
	}
	return d
}

// distinct sorts the indexes and drops duplicates. It changes the slice.
func distinct(indexes []int) []int {
	slices.Sort(indexes)
	return slices.Compact(indexes)
}
