package policy

import "github.com/ownergraph/ownergraph/graph"

// classes holds the references that count, by what they are.
type classes struct {
	solid, dangling, waiting []int
	read, unlisted, unknown  []int
	unsettled, remembered    []int
}

// classify sorts the references, an unobserved owner by what a read showed.
func (in Input) classify() (c classes) {
	for i, o := range in.Owners {
		switch {
		case o.Self:
		case o.Class == graph.Solid:
			c.solid = append(c.solid, i)
		case o.Class == graph.Waiting:
			c.waiting = append(c.waiting, i)
		case o.Class == graph.Dangling && o.Unsettled:
			c.unsettled = append(c.unsettled, i)
		case o.Class == graph.Dangling:
			c.dangling = append(c.dangling, i)
			if o.Remembered {
				c.remembered = append(c.remembered, i)
			}
		case o.Class == graph.Unknown && o.Doubt == graph.Unlisted:
			c.unlisted = append(c.unlisted, i)
		case o.Class == graph.Unknown && o.Doubt == graph.Unobserved:
			in.classifySeen(&c, i)
		default:
			c.unknown = append(c.unknown, i)
		}
	}
	return c
}

// classifySeen sorts a reference to an owner that nobody has observed.
func (in Input) classifySeen(c *classes, i int) {
	o := in.Owners[i]
	switch {
	case !in.read(o, 0):
		c.read = append(c.read, i)
	case o.Seen == SeenWaiting:
		c.waiting = append(c.waiting, i)
	case o.Seen == SeenSolid, o.Seen == SeenOrphaning:
		c.solid = append(c.solid, i)
	default:
		c.unknown = append(c.unknown, i)
	}
}

// unmarked judges an object that nobody has deleted yet: the garbage processor
// of the collector proposal, with Kubernetes' classes.
func (in Input) unmarked(set Settings) Decision {
	c := in.classify()
	switch {
	case len(in.Object.Owners) == 0:
		return Decision{Action: Keep, Reason: NoOwners}
	case in.Flawed:
		return Decision{Action: Keep, Reason: ObjectFlawed}
	case len(c.solid) > 0:
		return in.beside(c)
	case len(c.unknown) > 0:
		return in.doubtful(c.unknown)
	case len(c.unlisted) > 0:
		return Decision{Action: Wait, Reason: NeedListing, Owners: c.unlisted}
	case len(c.read) > 0:
		return verify(c.read)
	case len(c.unsettled) > 0:
		return in.fence(c.unsettled...)
	case len(c.dangling)+len(c.waiting) == 0:
		return Decision{Action: Keep, Reason: OnlySelf}
	case len(c.remembered) > 0:
		return Decision{Action: Orphan, Reason: OwnerOrphaned, Owners: c.remembered}
	}
	return in.garbage(c, set)
}

// doubtful keeps an object because of owners that no read can settle. Of
// several doubts the last in graph's order is named.
func (in Input) doubtful(unknown []int) Decision {
	d := Decision{Action: Keep, Reason: OwnerUnknown, Owners: unknown}
	for _, i := range unknown {
		d.Doubt = max(d.Doubt, in.Owners[i].Doubt)
	}
	return d
}
