package rules

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/observed"
	"github.com/ownergraph/ownergraph/policy"
)

// classes sorts the references that count by their class. The lists begin in a scratch
// array, so a list that leaves with a decision is a copy: see own.
type classes struct {
	solid, dangling, waiting []int
	read, unlisted, unknown  []int
	unconfirmed, remembered  []int
}

// few is the scratch array for the lists of most objects, which have one or two
// references.
type few [2 * each]int

const each = 2

// list returns the n-th list of the scratch array, empty.
func (r *few) list(n int) []int { return r[n*each : n*each : (n+1)*each] }

// own returns a copy of a list.
func own(list []int) []int { return append([]int(nil), list...) }

// classify sorts the references. The class of an unobserved owner comes from a read. Most
// owners are solid or dangling.
func (in *Input) classify(scratch *few) (c classes) {
	c.solid, c.dangling = scratch.list(0), scratch.list(1)
	for i := range in.Owners {
		o := &in.Owners[i]
		class, read := o.Class, false
		if class == observed.Unknown && o.Doubt == graph.Unobserved {
			class, read = in.readClass(o)
		}
		switch {
		case o.Self:
		case read:
			c.read = append(c.read, i)
		case class == observed.Solid:
			c.solid = append(c.solid, i)
		case class == observed.Waiting:
			c.waiting = append(c.waiting, i)
		case class == observed.Dangling && o.Unconfirmed:
			c.unconfirmed = append(c.unconfirmed, i)
		case class == observed.Dangling:
			c.dangling = append(c.dangling, i)
			if o.Remembered {
				c.remembered = append(c.remembered, i)
			}
		case class == observed.Unknown && o.Doubt == graph.Unlisted:
			c.unlisted = append(c.unlisted, i)
		default:
			c.unknown = append(c.unknown, i)
		}
	}
	return c
}

// readClass returns the class of an unobserved owner, or that it needs a read.
func (in *Input) readClass(o *OwnerFact) (class observed.Class, read bool) {
	switch {
	case !in.read(*o, 0):
		return observed.Unknown, true
	case o.Read == ReadWaiting:
		return observed.Waiting, false
	case o.Read == ReadSolid, o.Read == ReadOrphaning:
		return observed.Solid, false
	}
	return observed.Unknown, false
}

// unmarked judges an object without a deletion mark. It is the garbage processor of the
// collector proposal, with Kubernetes' classes.
func (in *Input) unmarked(set Settings) policy.Decision {
	var scratch few
	c := in.classify(&scratch)
	switch {
	case len(in.Object.Owners) == 0:
		return policy.Decision{Action: policy.Keep, Reason: policy.NoOwners}
	case in.Flawed:
		return policy.Decision{Action: policy.Keep, Reason: policy.ObjectFlawed}
	case len(c.solid) > 0:
		return in.beside(c)
	case len(c.unknown) > 0:
		return in.doubtful(own(c.unknown))
	case len(c.unlisted) > 0:
		return policy.Decision{Action: policy.Wait, Reason: policy.NeedListing, Owners: own(c.unlisted)}
	case len(c.read) > 0:
		return verify(own(c.read))
	case len(c.unconfirmed) > 0:
		return in.fence(own(c.unconfirmed)...)
	case len(c.dangling)+len(c.waiting) == 0:
		return policy.Decision{Action: policy.Keep, Reason: policy.OnlySelf}
	case len(c.remembered) > 0:
		return policy.Decision{Action: policy.Orphan, Reason: policy.OwnerOrphaned, Owners: own(c.remembered)}
	}
	return in.garbage(c, set)
}

// doubtful keeps an object because of owners whose state no read can tell. It names the
// last of several doubts, in graph's order.
func (in *Input) doubtful(unknown []int) policy.Decision {
	d := policy.Decision{Action: policy.Keep, Reason: policy.OwnerUnknown, Owners: unknown}
	for _, i := range unknown {
		d.Doubt = max(d.Doubt, in.Owners[i].Doubt)
	}
	return d
}
