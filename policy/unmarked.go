package policy

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// classes sorts the references that count by their class.
type classes struct {
	solid, dangling, waiting []int
	read, unlisted, unknown  []int
	unconfirmed, remembered  []int
}

// clear empties the lists.
func (c *classes) clear() {
	empty(&c.solid, &c.dangling, &c.waiting, &c.read, &c.unlisted, &c.unknown, &c.unconfirmed, &c.remembered)
}

// classify sorts the references of one policy. The class of an unobserved owner comes from a read.
func (in *Facts) classify(p graph.OnDelete, c *classes) *classes {
	c.clear()
	for i := range in.Owners {
		o := &in.Owners[i]
		class, read := in.classOf(o)
		switch {
		case o.Self || o.OnDelete != p:
		case read:
			c.read = append(c.read, i)
		case class == graph.Solid:
			c.solid = append(c.solid, i)
		case class == graph.Waiting:
			c.waiting = append(c.waiting, i)
		case class == graph.Dangling && o.Unconfirmed:
			c.unconfirmed = append(c.unconfirmed, i)
		case class == graph.Dangling:
			c.dangling = append(c.dangling, i)
			if o.Remembered {
				c.remembered = append(c.remembered, i)
			}
		case class == graph.Unknown && o.Doubt == graph.Unlisted:
			c.unlisted = append(c.unlisted, i)
		default:
			c.unknown = append(c.unknown, i)
		}
	}
	return c
}

// classOf returns the class of an owner, or that it needs a read.
func (in *Facts) classOf(o *OwnerFacts) (class graph.Class, read bool) {
	if o.readable() {
		return in.readClass(o)
	}
	return o.Class, false
}

// readClass returns the class of an unobserved owner, or that it needs a read.
func (in *Facts) readClass(o *OwnerFacts) (class graph.Class, read bool) {
	switch {
	case !in.read(o, 0):
		return graph.Unknown, true
	case o.Read == ReadWaiting:
		return graph.Waiting, false
	case o.Read == ReadSolid, o.Read == ReadOrphaning:
		return graph.Solid, false
	}
	return graph.Unknown, false
}

// ClassOf returns the class of an owner in a decision. The class of an unobserved owner
// comes from a read.
func (in *Facts) ClassOf(o *OwnerFacts) graph.Class {
	class, _ := in.classOf(o)
	return class
}

// readable reports whether a read tells the class of the owner. The reads of an owner that
// lives elsewhere are about other coordinates.
func (o *OwnerFacts) readable() bool {
	return o.Class == graph.Unknown && o.Doubt == graph.Unobserved && !o.Elsewhere
}

// unmarked judges an object without a deletion mark by its unset references. It is the garbage processor of the
// collector proposal, with Kubernetes' classes.
func (in *Facts) unmarked(set Settings, s *Scratch) Decision {
	c := in.classify(graph.OnDeleteUnset, &s.unset)
	switch {
	case in.References == 0:
		return Decision{Action: Keep, Reason: NoOwners}
	case in.Flawed:
		return Decision{Action: Keep, Reason: ObjectFlawed}
	case len(c.solid) > 0:
		return in.beside(c, s)
	case len(c.unknown) > 0:
		return in.doubtful(c.unknown)
	case len(c.unlisted) > 0:
		return Decision{Action: Wait, Reason: NeedListing, Owners: c.unlisted}
	case len(c.read) > 0:
		return verify(c.read)
	case len(c.unconfirmed) > 0:
		return in.fence(c.unconfirmed)
	case len(c.dangling)+len(c.waiting) == 0 && slices.ContainsFunc(in.Owners, isOther):
		return Decision{Action: Keep, Reason: NoOwnerDeletes}
	case len(c.dangling)+len(c.waiting) == 0:
		return Decision{Action: Keep, Reason: OnlySelf}
	case len(c.remembered) > 0:
		return Decision{Action: Orphan, Reason: OwnerOrphaned, Owners: c.remembered}
	}
	return in.garbage(c, set, s)
}

// isOther reports whether a reference leads to another object, and has a policy.
func isOther(o OwnerFacts) bool { return !o.Self && o.OnDelete != graph.OnDeleteUnset }

// doubtful keeps an object because of owners whose state no read can tell. It names the
// last of several doubts, in graph's order.
func (in *Facts) doubtful(unknown []int) Decision {
	d := Decision{Action: Keep, Reason: OwnerUnknown, Owners: unknown}
	for _, i := range unknown {
		d.Doubt = max(d.Doubt, in.Owners[i].Doubt)
	}
	return d
}
