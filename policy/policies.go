package policy

import "github.com/ownergraph/ownergraph/graph"

// byPolicy sorts the references with a policy by what they ask for. References with
// graph.OnDeleteRestrict ask for nothing of their own object.
type byPolicy struct {
	gone, waits []int // cascade: the owner is absent, or waits by evidence
	released    []int // release: the owner is absent, or waits by evidence
	remembered  []int // cascade: the owner left its dependents
	unlisted    []int
	unknown     []int   // cascade alone: the owner of a release reference has no effect
	ask         verdict // the evidence that is missing
}

func (p *byPolicy) clear() {
	empty(&p.gone, &p.waits, &p.released, &p.remembered, &p.unlisted, &p.unknown)
	p.ask.clear()
}

// hasPolicies reports whether a reference has a policy.
func (in *Facts) hasPolicies() bool {
	for i := range in.Owners {
		if in.Owners[i].OnDelete != graph.OnDeleteUnset {
			return true
		}
	}
	return false
}

// byPolicies decides on an object with a policy, as if no owner orphaned it. One cascade reference
// deletes the object alone, so it needs the evidence of this one owner (RULES, E2). Then the unset references decide as those of any object. Release references go last, because
// a delete takes them along.
func (in *Facts) byPolicies(set Settings, s *Scratch) Decision {
	p := &s.policies
	p.clear()
	var d Decision
	switch {
	case in.Deleting:
		d = in.marked(s)
	case in.cascades(p):
		p.ask.clear()
		empty(&p.unlisted, &p.unknown)
		d = in.cascade(p, set)
	case len(p.remembered) > 0:
		return Decision{Action: Orphan, Reason: OwnerOrphaned, Owners: p.remembered}
	default:
		d = in.unmarked(set, s)
	}
	in.releases(p)
	switch {
	case d.Action.Writes():
		return d
	case len(p.released) > 0:
		return Decision{Action: Trim, Reason: OwnerReleases, Owners: p.released}
	}
	return in.askFor(p, d)
}

// cascades sorts the cascade references, and reports whether one of them deletes the object.
func (in *Facts) cascades(p *byPolicy) bool {
	for i := range in.Owners {
		o := &in.Owners[i]
		if o.Self || o.OnDelete != graph.OnDeleteCascade {
			continue
		}
		switch class, read := in.classOf(o); {
		case read:
			p.ask.add(readable, i)
		case class == graph.Dangling && o.Unconfirmed:
			p.ask.add(fenceable, i)
		case class == graph.Dangling && o.Remembered:
			p.remembered = append(p.remembered, i)
		case class == graph.Dangling:
			p.gone = append(p.gone, i)
		case class == graph.Waiting:
			if e := in.proof(o, ReadWaiting); e != proven {
				p.ask.add(e, i)
				break
			}
			p.waits = append(p.waits, i)
		case class == graph.Unknown && o.Doubt == graph.Unlisted:
			p.unlisted = append(p.unlisted, i)
		case class != graph.Solid:
			p.unknown = append(p.unknown, i)
		}
	}
	return len(p.gone)+len(p.waits) > 0
}

// cascade deletes an object because of its cascade references. The decision names those that decide.
func (in *Facts) cascade(p *byPolicy, set Settings) Decision {
	if why := in.withheld(); why != ReasonUnset {
		return Decision{Action: Wait, Reason: why}
	}
	d := Decision{Action: Delete, Reason: CascadeOwnerGone, Owners: p.gone, Propagation: in.propagation(set)}
	if len(p.gone) == 0 {
		d.Reason, d.Owners = CascadeOwnerWaits, p.waits
	}
	return d
}

// releases sorts the release references. Proof of absence drops one, and so does the evidence of an
// owner that waits (RULES, E2). An owner that orphans is among those that leave the object.
func (in *Facts) releases(p *byPolicy) {
	for i := range in.Owners {
		o := &in.Owners[i]
		if o.Self || o.OnDelete != graph.OnDeleteRelease {
			continue
		}
		switch class, read := in.classOf(o); {
		case read:
			p.ask.add(readable, i)
		case class == graph.Dangling && o.Unconfirmed:
			p.ask.add(fenceable, i)
		case class == graph.Dangling:
			p.released = append(p.released, i)
		case class == graph.Waiting:
			if e := in.proof(o, ReadWaiting); e != proven {
				p.ask.add(e, i)
				break
			}
			p.released = append(p.released, i)
		case class == graph.Unknown && o.Doubt == graph.Unlisted:
			p.unlisted = append(p.unlisted, i)
		}
	}
}

// askFor adds the evidence that references with a policy need to a decision that does not write. The
// order is that of Decide.
func (in *Facts) askFor(p *byPolicy, d Decision) Decision {
	own := len(d.Owners) == 0
	switch {
	case d.Reason == NeedFence, d.Reason == FenceHeld:
		if own {
			return d
		}
		p.ask.add(fenceable, d.Owners...)
		return in.fence(distinct(p.ask.fence))
	case len(p.ask.fence) > 0:
		return in.fence(p.ask.fence)
	case d.Reason == NeedAcknowledgement:
		return d
	case d.Action == Verify:
		p.ask.add(readable, d.Owners...)
		return verify(p.ask.read)
	case len(p.ask.read) > 0:
		return verify(p.ask.read)
	case d.Reason == NeedWatch && own:
		return d
	case d.Reason == NeedWatch:
		p.ask.add(contradicted, d.Owners...)
		return watch(p.ask.watch)
	case len(p.ask.watch) > 0:
		return watch(p.ask.watch)
	case d.Action == Keep && len(p.unlisted) > 0:
		return Decision{Action: Wait, Reason: NeedListing, Owners: distinct(p.unlisted)}
	case d.Action == Keep && len(p.unknown) > 0 && d.Reason != OwnerUnknown && !in.Deleting:
		return in.doubtful(p.unknown)
	}
	return d
}
