package policy_test

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// due returns every write whose evidence is complete, the preferred one first, each as
// large as possible.
func (s spec) due() (out []policy.Decision) {
	all := refs(1)<<len(s.in.Owners) - 1
	largest := s.are(gone)
	if s.in.Flawed || s.left()&s.with(graph.OnDeleteUnset) == 0 {
		largest = 0
	}
	cascade := policy.Decision{}
	if s.cascades() != 0 {
		cascade = policy.Decision{Action: policy.Delete, Propagation: s.propagation()}
	}
	trims := s.are(gone) | s.trims()
	if s.cascades() != 0 && !s.in.Object.Deleting { // it goes, and waits for its protection or restriction alone
		trims = 0
	}
	for _, d := range []policy.Decision{
		{Action: policy.Orphan, Owners: indexes(s.left() | largest)},
		cascade,
		{Action: policy.Orphan, Owners: indexes(s.freed())},
		{Action: policy.Orphan, Owners: indexes(s.remembered())},
		{Action: policy.Unblock, Owners: indexes(s.ring()), BestEffort: s.in.Fence.Passed <= s.in.Mark},
		{Action: policy.Release, Finalizer: s.in.Object.Propagation().Finalizer(), BestEffort: s.in.Fence.Passed <= s.in.Mark},
		{Action: policy.Trim, Owners: indexes(trims)},
		{Action: policy.Delete, Owners: indexes(s.are(waiting) & all), Propagation: s.propagation()},
		{Action: policy.Trim, Owners: indexes(s.goes(graph.OnDeleteRelease))},
	} {
		if s.broken(d) == "" {
			out = append(out, d)
		}
	}
	return out
}

func indexes(r refs) (out []int) {
	for i := 0; r>>i != 0; i++ {
		if r>>i&1 != 0 {
			out = append(out, i)
		}
	}
	return out
}

// ask is a missing fact, and the owners that it concerns.
type ask struct {
	reason policy.Reason
	of     refs
}

// missing returns the facts that a decision without a write must name.
func (s spec) missing() ask {
	if s.in.Unreadable { // nothing else is known about it
		return ask{policy.ObjectFlawed, 0}
	}
	var fence, late, read, contra refs
	for i, o := range s.in.Owners {
		bit := refs(1) << i
		switch {
		case !s.leaving(o):
		case o.Unacknowledged:
			late |= bit
		case s.denied(o, policy.ReadOrphaning):
			contra |= bit
		case s.fenceDue(o):
			fence |= bit
		default:
			read |= bit
		}
	}
	rest := s.rest()
	switch {
	case fence != 0:
		return ask{policy.NeedFence, fence}
	case rest.reason == policy.NeedFence || rest.reason == policy.FenceHeld && rest.of == 0:
		return rest
	case rest.reason == policy.NeedAcknowledgement:
		return rest
	case late != 0:
		return ask{policy.NeedAcknowledgement, late}
	case rest.reason == policy.NeedOwner:
		return ask{policy.NeedOwner, read | rest.of}
	case read != 0:
		return ask{policy.NeedOwner, read}
	case contra != 0:
		return ask{policy.NeedWatch, contra}
	}
	return rest
}

// rest returns the missing facts apart from owners that leave.
func (s spec) rest() ask {
	own := s.in.Object.Propagation()
	switch {
	case s.in.Object.Deleting && own == graph.Unset && len(s.in.Object.Finalizers) == 0:
		return ask{policy.NeedGrace, 0}
	case s.in.Object.Deleting && own == graph.Unset:
		return ask{policy.NeedFinalizers, 0}
	case s.in.Object.Deleting && s.in.Retry:
		return ask{policy.NeedWatch, 0}
	case s.in.Object.Deleting && (own == graph.Foreground && s.in.Blocking > 0 || own == graph.Orphan && s.in.Referring > 0):
		return ask{policy.NeedDependents, 0}
	case s.in.Object.Deleting && own == graph.Orphan && s.in.Unacknowledged:
		return ask{policy.NeedAcknowledgement, 0}
	case s.in.Object.Deleting:
		return s.fence(0)
	case len(s.in.Object.Owners) == 0:
		return ask{policy.NoOwners, 0}
	case s.in.Flawed:
		return ask{policy.ObjectFlawed, 0}
	case s.are(solid) != 0:
		return s.beside()
	case s.are(unknown) != 0:
		return ask{policy.OwnerUnknown, s.are(unknown)}
	case s.are(unlisted) != 0:
		return ask{policy.NeedListing, s.are(unlisted)}
	case s.are(unread) != 0:
		return ask{policy.NeedOwner, s.are(unread)}
	case s.are(unconfirmed) != 0:
		return s.fence(s.are(unconfirmed))
	case s.are(gone)|s.are(waiting) == 0:
		return ask{policy.OnlySelf, 0}
	}
	return s.garbage()
}

func (s spec) fence(of refs) ask {
	if s.in.Fence.Blocked {
		return ask{policy.FenceHeld, of}
	}
	return ask{policy.NeedFence, of}
}

// garbage returns the missing facts about the waiting owners, without a solid one.
func (s spec) garbage() ask {
	var fence, read, contra refs
	for i, o := range s.in.Owners {
		bit := refs(1) << i
		later := s.those(func(_ int, w policy.OwnerFacts) bool { return !w.Self && w.Changed >= o.ReadBegan })
		switch {
		case s.what(o) != waiting:
		case s.several() && s.together(o), !s.several() && s.seen(o, policy.ReadWaiting):
		case s.several() && s.read(o) && later == 0, !s.several() && s.denied(o, policy.ReadWaiting):
			contra |= bit
		case s.fenceDue(o):
			fence |= bit
		default:
			read |= bit
		}
	}
	switch {
	case contra != 0:
		return ask{policy.NeedWatch, contra}
	case fence != 0:
		return s.fence(fence)
	}
	return ask{policy.NeedOwner, read}
}

// beside returns the missing facts about the waiting owners beside a solid one, and then
// about the others.
func (s spec) beside() ask {
	var fence, read, contra refs
	for i, o := range s.in.Owners {
		bit := refs(1) << i
		switch {
		case s.what(o) != waiting:
		case o.Mark == 0, s.denied(o, policy.ReadWaiting):
			contra |= bit
		case !s.seen(o, policy.ReadWaiting) && s.fenceDue(o):
			fence |= bit
		case !s.seen(o, policy.ReadWaiting):
			read |= bit
		default:
			asked := s.those(func(_ int, x policy.OwnerFacts) bool {
				return s.what(x) == solid && !(s.read(x) && x.ReadBegan > o.Mark)
			})
			if read |= asked; asked == 0 {
				contra |= s.are(solid)
			}
		}
	}
	switch {
	case fence != 0:
		return s.fence(fence)
	case read != 0:
		return ask{policy.NeedOwner, read | s.are(unread)}
	case contra != 0:
		return ask{policy.NeedWatch, contra}
	case s.are(unread) != 0:
		return ask{policy.NeedOwner, s.are(unread)}
	case s.are(unconfirmed) != 0:
		return s.fence(s.are(unconfirmed))
	}
	return ask{policy.OwnerSolid, 0}
}
