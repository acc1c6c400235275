package lint

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
	"github.com/ownergraph/ownergraph/policy"
)

// The moments of the evidence for a fate: the owners have their marks, and later reads and a fence
// have confirmed them.
const (
	markedAt policy.Moment = iota + 1
	confirmedAt
)

// engine returns the end of the i-th object by the engine of this module, with its default
// settings. It is the decision that the engine comes to with all evidence.
//
//test:by lint/live.TestFateIsThatOfTheEngine
func (c *checker) engine(i int) Fate {
	o := c.objects[i]
	seen, known := c.observes(o.Kind)
	switch {
	case o.Deleting:
		return Leaving
	case known && !seen, !c.cfg.Policies && hasPolicy(o):
		return KeptForever
	}
	f := c.facts(i)
	d := policy.Decide(&f, policy.Settings{}, nil)
	switch {
	case d.Reason == policy.NoOwners, d.Reason == policy.NoOwnerDeletes, d.Reason == policy.ObjectFlawed:
		return KeptForever
	case !known:
		return NotKnown
	case d.Action == policy.Delete:
		return Deleted
	case d.Action == policy.Trim:
		return Trimmed
	case d.Reason == policy.OwnerSolid:
		return Kept
	case d.Reason == policy.Restricted:
		return KeptRestricted
	case d.Reason == policy.OnlySelf:
		return KeptForever
	case d.Reason == policy.OwnerUnknown:
		return keptByAll(f.Owners, d.Owners)
	}
	return NotKnown // it needs the listing of a kind that the dump does not list
}

// facts returns the facts about the i-th object, with all evidence. Objects that share a UID are
// no flaw of the model, and the engine decides about none of them either.
func (c *checker) facts(i int) policy.Facts {
	n := c.node(i)
	f := policy.FactsOf(n)
	f.Flawed = f.Flawed || n.Inside(inside.Key{}).SharesUID()
	f.Fence = policy.Fence{Exact: true, Passed: confirmedAt}
	for j := range f.Owners {
		r := &f.Owners[j]
		r.Class, r.Doubt = c.classOf(i, j, r)
		r.Orphaning, r.Elsewhere = false, false // such an owner keeps the object until its reference is dropped
		if r.Class == graph.Waiting {
			r.Mark, r.Read, r.ReadBegan, r.SameVersion = markedAt, policy.ReadWaiting, confirmedAt, true
		}
	}
	return f
}

// classOf returns the class of the j-th owner by the graph and by the kinds of the input. A read
// proves an owner absent that a listed kind does not have.
func (c *checker) classOf(i, j int, r *policy.OwnerFacts) (graph.Class, graph.Doubt) {
	o := c.objects[i]
	kind := c.kindNamed(o.Owners[j].Kind)
	switch {
	case kind != nil && !c.serves(kind, o, j):
		return graph.Unknown, graph.UnresolvedScope // the store leaves such a reference unresolved
	case kind != nil && kind.Scoped && o.Scope == "":
		return graph.Unknown, graph.ScopedOwner
	case r.Class == graph.Unknown && kind != nil && !kind.Listed && keptBy(r.Doubt) == KeptUntilKnown:
		return graph.Unknown, graph.Unlisted
	case r.Doubt == graph.Unobserved:
		return graph.Dangling, graph.DoubtUnset
	}
	return r.Class, r.Doubt
}

// keptByAll returns the end of an object that unknown owners keep. An owner that keeps it for ever
// outlasts one that a store may resolve, and this one outlasts one that lives at another place.
func keptByAll(owners []policy.OwnerFacts, unknown []int) Fate {
	end := Kept
	for _, j := range unknown {
		switch f := keptBy(owners[j].Doubt); f {
		case KeptForever:
			return f
		case KeptUntilKnown:
			end = f
		}
	}
	return end
}

// keptBy returns the end of an object that one owner with the doubt keeps.
func keptBy(d graph.Doubt) Fate {
	switch d {
	case graph.BannedOwner, graph.ForeignScope, graph.ScopedOwner:
		return KeptForever
	case graph.Misplaced, graph.Renamed, graph.SharedUID:
		return Kept
	}
	return KeptUntilKnown
}
