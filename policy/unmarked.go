package policy

import "github.com/ownergraph/ownergraph/graph"

// sorted holds the indexes of the references that count, by what they are.
type sorted struct {
	solid, dangling, waiting []int
	read, unlisted, unknown  []int
	unsettled, remembered    []int
}

// sort classifies the references, an unobserved owner by what a read showed.
func (in Input) sort() (s sorted) {
	for i, o := range in.Owners {
		switch {
		case o.Self:
		case o.Class == graph.Solid:
			s.solid = append(s.solid, i)
		case o.Class == graph.Waiting:
			s.waiting = append(s.waiting, i)
		case o.Class == graph.Dangling && o.Unsettled:
			s.unsettled = append(s.unsettled, i)
		case o.Class == graph.Dangling:
			s.dangling = append(s.dangling, i)
			if o.Remembered {
				s.remembered = append(s.remembered, i)
			}
		case o.Doubt == graph.Unlisted:
			s.unlisted = append(s.unlisted, i)
		case o.Doubt != graph.Unobserved:
			s.unknown = append(s.unknown, i)
		case o.Seen == SightUnset || o.Began <= in.Known:
			s.read = append(s.read, i)
		case o.Seen == SeenWaiting:
			s.waiting = append(s.waiting, i)
		default:
			s.solid = append(s.solid, i)
		}
	}
	return s
}

// unmarked judges an object that nobody has deleted yet: the garbage processor
// of the collector proposal, with Kubernetes' classes.
func unmarked(in Input, set Settings) Decision {
	s := in.sort()
	switch {
	case len(in.Object.Owners) == 0:
		return Decision{Action: Keep, Reason: NoOwners}
	case in.Flawed:
		return Decision{Action: Keep, Reason: ObjectFlawed}
	case len(s.solid) > 0:
		return beside(in, s)
	case len(s.unknown) > 0:
		return Decision{Action: Keep, Reason: OwnerUnknown, Doubt: in.Owners[s.unknown[0]].Doubt, Owners: s.unknown}
	case len(s.unlisted) > 0:
		return Decision{Action: Wait, Reason: NeedListing, Owners: s.unlisted}
	case len(s.read) > 0:
		return Decision{Action: Verify, Reason: NeedOwner, Owners: s.read}
	case len(s.unsettled) > 0:
		return in.fence(s.unsettled...)
	case len(s.dangling)+len(s.waiting) == 0:
		return Decision{Action: Keep, Reason: OnlySelf}
	case len(s.remembered) > 0:
		return Decision{Action: Orphan, Reason: OwnerOrphaned, Owners: s.remembered}
	}
	return garbage(in, s, set)
}

// garbage deletes an object of whose owners none is solid, if the evidence for
// the waiting ones is there. S1: an object goes only if at one instant no owner
// of it was solid.
func garbage(in Input, s sorted, set Settings) Decision {
	several := len(s.waiting)+len(s.dangling) > 1
	var read []int
	for _, i := range s.waiting {
		p := in.proof(in.Owners[i], SeenWaiting)
		if several {
			p = in.common(i)
		}
		switch p {
		case readable:
			read = append(read, i)
		case fenceable:
			return in.fence(i)
		case contradicted:
			return Decision{Action: Wait, Reason: NeedWatch, Owners: []int{i}}
		}
	}
	if len(read) > 0 {
		return Decision{Action: Verify, Reason: NeedOwner, Owners: read}
	}
	d := Decision{Action: Delete, Reason: OwnersGone, Propagation: in.propagation(s, set)}
	if len(s.waiting) > 0 {
		d.Reason, d.Owners = OwnersWaiting, s.waiting
	}
	return d
}

// propagation chooses how to delete. Because of a waiting owner it is
// foreground, so that what hangs below goes before the owner does, unless that
// owner's fence has passed and nothing refers to the object.
func (in Input) propagation(s sorted, set Settings) graph.Propagation {
	if p := in.Object.Propagation(); p != graph.Unset && !set.Override {
		return p
	}
	for _, i := range s.waiting {
		if in.Referring > 0 || !in.ended(in.Owners[i]) {
			return graph.Foreground
		}
	}
	return graph.Background
}

// beside trims what is dangling or waiting beside a solid owner.
func beside(in Input, s sorted) Decision {
	if len(s.dangling) > 0 {
		return Decision{Action: Trim, Reason: DanglingBesideSolid, Owners: s.dangling}
	}
	var trim, read, fence, watch []int
	for _, i := range s.waiting {
		ask, p := in.trimmable(s, i)
		switch p {
		case proven:
			trim = append(trim, i)
		case readable:
			read = append(read, ask)
		case fenceable:
			fence = append(fence, i)
		case contradicted:
			watch = append(watch, i)
		}
	}
	switch {
	case len(trim) > 0:
		return Decision{Action: Trim, Reason: WaitingBesideSolid, Owners: trim}
	case len(read) > 0:
		return Decision{Action: Verify, Reason: NeedOwner, Owners: read}
	case len(fence) > 0:
		return in.fence(fence...)
	case len(watch) > 0:
		return Decision{Action: Wait, Reason: NeedWatch, Owners: watch}
	}
	return Decision{Action: Keep, Reason: OwnerSolid}
}

// trimmable says whether the waiting reference i may be dropped because of a
// solid owner: that owner has to be seen after the waiting mark was known, and
// the waiting one has to wait by R2. Otherwise an owner that is already gone,
// unseen, would free the waiting one and then fail to keep the object.
func (in Input) trimmable(s sorted, i int) (ask int, p evidence) {
	o := in.Owners[i]
	if in.fenced(o) {
		return i, proven
	}
	if p := in.proof(o, SeenWaiting); p != proven {
		return i, p
	}
	for _, j := range s.solid {
		x := in.Owners[j]
		switch {
		case x.Seen == SightUnset || x.Began <= max(in.Known, o.Mark):
			return j, readable
		case x.Seen != SeenWaiting:
			return i, proven
		}
	}
	return i, contradicted
}
