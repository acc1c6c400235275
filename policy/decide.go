package policy

import (
	"slices"
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
// The scratch has the lists of the decision. They are valid until the next decision
// with it. With nil the decision has lists of its own, which the caller owns.
//
//test:by TestDecideTotal TestDecideOrderless TestDecideExhaustive TestDecideEnds
//test:by TestDecideUnreadable TestDecideInScratch
func Decide(in *Facts, set Settings, s *Scratch) Decision {
	if s == nil {
		s = new(Scratch)
	}
	if in.Unreadable {
		return Decision{Action: Keep, Reason: ObjectFlawed}
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
	case d.Reason == NeedFence, d.Reason == FenceHeld && own, d.Reason == NeedAcknowledgement:
		return d
	case len(left.late) > 0:
		return Decision{Action: Wait, Reason: NeedAcknowledgement, Owners: left.late}
	case d.Action == Verify:
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
func (in *Facts) apart(set Settings, s *Scratch) Decision {
	switch {
	case in.HasPolicies() && !in.Flawed:
		return in.byPolicies(set, s)
	case in.Deleting:
		return in.marked(s)
	}
	return in.unmarked(set, s)
}

// torn returns an input whose facts and references did not match. No decision may rest on
// the facts, and the object counts as flawed.
func (in *Facts) torn() *Facts {
	out := *in
	out.Owners, out.Ring, out.Flawed = nil, nil, true
	return &out
}

// verify returns the decision to read the owners, each once.
func verify(owners []int) Decision {
	return Decision{Action: Verify, Reason: NeedOwner, Owners: distinct(owners)}
}

// watch returns the decision to wait for the watch, because reads of these owners
// contradict it.
func watch(owners []int) Decision {
	return Decision{Action: Wait, Reason: NeedWatch, Owners: distinct(owners)}
}

// fence returns the decision to wait for a fence: that of the owners, or the object's own
// without owners.
func (in *Facts) fence(owners []int) Decision {
	d := in.Fence.Await()
	d.Owners = owners
	return d
}

// Await returns the decision to wait for a fence, which names a sick kind that blocks it.
//
//test:by TestDecideTable
func (f *Fence) Await() Decision {
	if f.Blocked {
		return Decision{Action: Wait, Reason: FenceHeld}
	}
	return Decision{Action: Wait, Reason: NeedFence}
}

// distinct sorts the indexes and drops duplicates. It changes the slice.
func distinct(indexes []int) []int {
	slices.Sort(indexes)
	return slices.Compact(indexes)
}
