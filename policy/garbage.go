package policy

import (
	"github.com/ownergraph/ownergraph/graph"
)

// garbage deletes an object without a solid owner, if the evidence for the waiting owners
// exists. S1: the engine deletes an object only if at one instant no owner of it was
// solid.
func (in *Facts) garbage(c *classes, set Settings, s *Scratch) Decision {
	v, last := s.verdict(), in.lastChange()
	for _, i := range c.waiting {
		if in.Several {
			v.add(in.common(&in.Owners[i], last), i)
		} else {
			v.add(in.proof(&in.Owners[i], ReadWaiting), i)
		}
	}
	switch { // all owners need proof, so a contradicted one makes reads of the others useless
	case len(v.watch) > 0:
		return watch(v.watch)
	case len(v.fence) > 0:
		return in.fence(v.fence)
	case len(v.read) > 0:
		return verify(v.read)
	}
	if why := in.withheld(); why != ReasonUnset {
		return Decision{Action: Wait, Reason: why}
	}
	d := Decision{Action: Delete, Reason: OwnersGone, Propagation: in.propagation(set)}
	if len(c.waiting) > 0 {
		d.Reason, d.Owners = OwnersWaiting, c.waiting
	}
	return d
}

// withheld returns the reason for which an object that has to go may not be deleted now, or
// ReasonUnset.
func (in *Facts) withheld() Reason {
	switch {
	case in.Protected:
		return Protected
	case in.Restricted:
		return Restricted
	}
	return ReasonUnset
}

// propagation chooses the propagation of a delete. Without a waiting owner of an unset or a cascade
// reference it is background. With one it is foreground, so that dependents of the object go before
// that owner. That is so too if the delete rests on another owner, which is absent (RULES, E3). As an
// exception, it is background if that owner's fence has passed and the object has no
// dependents.
//
// A released fence serves as well as a passed one. The deletion of this object is exact
// in either case. The end of the owner is not exact, and its own decision says so.
//
//test:by TestForegroundAgain
func (in *Facts) propagation(set Settings) graph.Propagation {
	if p := in.Propagation; p != graph.Unset && !set.Override {
		return p
	}
	for i := range in.Owners {
		o := &in.Owners[i]
		if o.Class == graph.Dangling || o.Self || o.OnDelete != graph.OnDeleteUnset && o.OnDelete != graph.OnDeleteCascade || in.ClassOf(o) != graph.Waiting {
			continue
		}
		if in.Referring > 0 || !in.ended(o) || in.voided(o) {
			return graph.Foreground
		}
	}
	return graph.Background
}

// voided reports whether a read after the owner's fence has shown another version than
// the graph's (R3). A user may have removed the mark and set it again meanwhile. The fence
// then does not cover references from before the new mark.
func (in *Facts) voided(o *OwnerFacts) bool {
	return o.Read != ReadUnset && !o.SameVersion && max(in.Fence.Passed, in.Fence.Released) <= o.ReadBegan
}
