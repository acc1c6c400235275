package rules

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/policy"
)

// garbage deletes an object of whose owners none is solid, if the evidence for
// the waiting ones is there. S1: an object goes only if at one instant no owner
// of it was solid.
func (in *Input) garbage(c classes, set Settings) policy.Decision {
	several := in.several(c)
	var v verdict
	for _, i := range c.waiting {
		if several {
			v.add(in.common(in.Owners[i]), i)
		} else {
			v.add(in.proof(in.Owners[i], ReadWaiting), i)
		}
	}
	switch { // all of them are needed: while one is contradicted, reading the others is in vain
	case len(v.watch) > 0:
		return watch(v.watch)
	case len(v.fence) > 0:
		return in.fence(v.fence...)
	case len(v.read) > 0:
		return verify(v.read)
	}
	d := policy.Decision{Action: policy.Delete, Reason: policy.OwnersGone, Propagation: in.propagation(c, set)}
	if len(c.waiting) > 0 {
		d.Reason, d.Owners = policy.OwnersWaiting, own(c.waiting)
	}
	return d
}

// several reports whether the object has more than one owner. A reference that
// is there twice counts once.
func (in *Input) several(c classes) bool {
	refs, first := in.Object.Owners, -1
	for _, list := range [...][]int{c.waiting, c.dangling} {
		for _, i := range list {
			if first < 0 {
				first = i
			} else if !refs[i].Same(refs[first]) {
				return true
			}
		}
	}
	return false
}

// propagation chooses how to delete. Because of a waiting owner it is
// foreground, so that what hangs below goes before the owner does, unless that
// owner's fence has passed and nothing refers to the object. Held by
// TestForegroundAgain.
//
// A fence that is released instead of passed serves here too: the deletion of
// this object is exact all the same, and the owner's end, which is not, says so.
func (in *Input) propagation(c classes, set Settings) graph.Propagation {
	if p := in.Object.Propagation(); p != graph.Unset && !set.Override {
		return p
	}
	for _, i := range c.waiting {
		if in.Referring > 0 || !in.ended(in.Owners[i]) || in.voided(in.Owners[i]) {
			return graph.Foreground
		}
	}
	return graph.Background
}

// voided reports whether a read that began after the owner's fence has shown
// another version than the graph's (R3). Its mark may have changed and changed
// back in between, and the fence says nothing of what was there when it was set
// again: not who refers to the object.
func (in *Input) voided(o OwnerFact) bool {
	return o.Read != ReadUnset && !o.SameVersion && max(in.Fence.Passed, in.Fence.Released) <= o.ReadBegan
}
