package rules

import (
	"slices"

	"github.com/ownergraph/ownergraph/policy"
)

// Decide says what should happen to one object now. It is total: any input,
// however odd, has a decision, and nothing unknown ever leads to a write. The
// order of the references has no influence on the decision. Held by
// TestDecideTotal, TestDecideOrderless and TestDecideExhaustive.
//
// Whatever can be written now is written, however much else is still open. What
// is asked for comes in an order in which nothing waits behind what may never
// come: fences, which wake everybody; waits that have an end; then reads, which
// may fail for ever. So an owner that cannot be read holds only what depends on
// it. Held by TestDecideEnds and TestDecideUnreadable.
func Decide(in Input, s Settings) policy.Decision {
	in.match()
	left := in.leaving()
	if len(left.proven) > 0 {
		return in.orphan(left.proven)
	}
	d := in.apart(s)
	own := len(d.Owners) == 0
	switch {
	case d.Action.Writes():
		return d
	case len(left.fence) > 0:
		return in.fence(left.fence...)
	case d.Reason == policy.NeedFence, d.Reason == policy.FenceHeld && own, d.Reason == policy.NeedAcknowledgement:
		return d
	case len(left.late) > 0:
		return policy.Decision{Action: policy.Wait, Reason: policy.NeedAcknowledgement, Owners: left.late}
	case d.Action == policy.Verify:
		return verify(append(left.read, d.Owners...))
	case len(left.read) > 0:
		return verify(left.read)
	case len(left.watch) > 0:
		return watch(left.watch)
	}
	return d
}

// apart decides as if no owner were about to leave the object.
func (in *Input) apart(s Settings) policy.Decision {
	if in.Object.Deleting {
		return in.marked()
	}
	return in.unmarked(s)
}

// match makes the input one that may be judged. Where facts and references do
// not go together, no decision may rest on either: the object counts as flawed.
func (in *Input) match() {
	if len(in.Owners) != len(in.Object.Owners) {
		in.Owners, in.Ring, in.Flawed = nil, nil, true
	}
}

// verify has the owners read that a decision needs, each of them once.
func verify(owners []int) policy.Decision {
	return policy.Decision{Action: policy.Verify, Reason: policy.NeedOwner, Owners: distinct(owners)}
}

// watch waits for the watch to speak of owners that a read contradicts.
func watch(owners []int) policy.Decision {
	return policy.Decision{Action: policy.Wait, Reason: policy.NeedWatch, Owners: distinct(owners)}
}

// fence waits for a fence: the owners', or the object's own without any.
func (in *Input) fence(owners ...int) policy.Decision {
	d := policy.Decision{Action: policy.Wait, Reason: policy.NeedFence, Owners: owners}
	if in.Fence.Held {
		d.Reason = policy.FenceHeld
	}
	return d
}

// distinct sorts the indexes and drops what is there twice. It changes them.
func distinct(indexes []int) []int {
	slices.Sort(indexes)
	return slices.Compact(indexes)
}
