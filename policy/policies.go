package policy

import (
	"slices"

	"github.com/ownergraph/ownergraph/graph"
)

// byPolicy has the references with a policy by their class, and the evidence that they need. References
// with graph.OnDeleteRestrict ask for nothing of their own object.
type byPolicy struct {
	cascade, release classes
	ask              verdict
}

func (p *byPolicy) clear() {
	p.cascade.clear()
	p.ask.clear()
}

// HasPolicies reports whether a reference has a policy.
//
//test:by internal/core/evidence.TestWithhold
func (in *Facts) HasPolicies() bool {
	for i := range in.Owners {
		if in.Owners[i].OnDelete != graph.OnDeleteUnset {
			return true
		}
	}
	return false
}

// byPolicies decides on an object with a policy, as if no owner orphaned it. One cascade reference
// deletes the object alone, so it needs the evidence of this one owner (RULES, E2). Then the unset
// references decide as those of any object. Release references go last, because a delete takes them along.
func (in *Facts) byPolicies(set Settings, s *Scratch) Decision {
	p := &s.policies
	p.clear()
	var d Decision
	switch {
	case in.Deleting:
		d = in.marked(s)
	case in.cascades(p):
		d = in.cascade(&p.cascade, set)
		p.clear() // the other cascade owners decide nothing
	case len(p.cascade.remembered) > 0:
		return Decision{Action: Orphan, Reason: OwnerOrphaned, Owners: p.cascade.remembered}
	default:
		d = in.unmarked(set, s)
	}
	released := in.releases(p)
	switch {
	case d.Action.Writes():
		return d
	case len(released) > 0:
		return Decision{Action: Trim, Reason: OwnerReleases, Owners: released}
	}
	return in.askFor(p, d)
}

// going sorts the references of one policy, and notes the evidence that they need. Of the waiting owners
// it keeps those that wait by evidence.
func (in *Facts) going(p graph.OnDelete, c *classes, ask *verdict) {
	in.classify(p, c)
	ask.add(readable, c.read...)
	ask.add(fenceable, c.unconfirmed...)
	c.waiting = slices.DeleteFunc(c.waiting, func(i int) bool {
		e := in.proof(&in.Owners[i], ReadWaiting)
		ask.add(e, i)
		return e != proven
	})
}

// cascades sorts the cascade references, and reports whether one of them deletes the object. An owner
// that left its dependents deletes none.
func (in *Facts) cascades(p *byPolicy) bool {
	c := &p.cascade
	in.going(graph.OnDeleteCascade, c, &p.ask)
	c.dangling = slices.DeleteFunc(c.dangling, func(i int) bool { return in.Owners[i].Remembered })
	return len(c.dangling)+len(c.waiting) > 0
}

// cascade deletes an object because of its cascade references. The decision names those that decide.
func (in *Facts) cascade(c *classes, set Settings) Decision {
	if why := in.withheld(); why != ReasonUnset {
		return Decision{Action: Wait, Reason: why}
	}
	d := Decision{Action: Delete, Reason: CascadeOwnerGone, Owners: c.dangling, Propagation: in.propagation(set)}
	if len(c.dangling) == 0 {
		d.Reason, d.Owners = CascadeOwnerWaits, c.waiting
	}
	return d
}

// releases sorts the release references, and returns those that go: by proof of absence, or by evidence
// of an owner that waits (RULES, E2). An owner that orphans is among those that leave the object. An
// unknown owner has no effect.
func (in *Facts) releases(p *byPolicy) []int {
	c := &p.release
	in.going(graph.OnDeleteRelease, c, &p.ask)
	c.dangling = append(c.dangling, c.waiting...)
	return distinct(c.dangling)
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
		return in.fence(distinct(p.ask.fence))
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
	case d.Action == Keep && len(p.cascade.unlisted)+len(p.release.unlisted) > 0:
		p.cascade.unlisted = append(p.cascade.unlisted, p.release.unlisted...)
		return Decision{Action: Wait, Reason: NeedListing, Owners: distinct(p.cascade.unlisted)}
	case d.Action == Keep && len(p.cascade.unknown) > 0 && d.Reason != OwnerUnknown && !in.Deleting:
		return in.doubtful(p.cascade.unknown)
	}
	return d
}
