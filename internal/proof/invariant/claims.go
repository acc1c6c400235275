package invariant

import (
	"iter"

	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/core/selector"
	"github.com/ownergraph/ownergraph/internal/core/sweep/plan"
)

// claims finds the holders of an object by the plans. Some Members depend on
// labels. The function labels returns the value of the label, and whether the
// labels match.
type claims struct {
	plans  []*plan.Plan
	labels func(p *plan.Plan, members int, o graph.Object) (value string, match bool)
}

// read returns the value and the match of a label set for Members of a plan.
func read(p *plan.Plan, members int, set map[string]string) (value string, match bool) {
	m := &p.Sweep().Members[members]
	value, match = set[m.Label]
	if m.Label == "" {
		match = true
	}
	if m.Selector != "" {
		s, err := selector.Parse(m.Selector)
		match = match && err == nil && s.Matches(set)
	}
	return value, match
}

// of yields the claims of holders that an object names.
func (c *claims) of(p *plan.Plan, o graph.Object) iter.Seq[plan.Claim] {
	return p.ClaimsBy(o, func(members int) (string, bool) { return c.labels(p, members, o) })
}

// member reports whether the object belongs to the holder.
func (c *claims) member(p *plan.Plan, h, o graph.Object) bool {
	if !p.IsHolder(h) {
		return false
	}
	for x := range c.of(p, o) {
		if !x.Shadow && p.Names(h, o, x) {
			return true
		}
	}
	return false
}

// memberAlways reports whether the object belongs to the holder with any labels.
func memberAlways(p *plan.Plan, h, o graph.Object) bool {
	c := claims{labels: func(*plan.Plan, int, graph.Object) (string, bool) { return "", false }}
	return c.member(p, h, o)
}

// contests reports whether a living holder has a claim on the object. The shadow
// of a name counts.
func (c *claims) contests(p *plan.Plan, h, o graph.Object) bool {
	if !p.IsHolder(h) || h.Deleting {
		return false
	}
	for x := range c.of(p, o) {
		if p.Names(h, o, x) {
			return true
		}
	}
	return false
}

// fixed reports whether the object belongs to the holder through every change.
func (c *claims) fixed(p *plan.Plan, h, o graph.Object) bool {
	for x := range c.of(p, o) {
		if x.Fixed && !x.Shadow && p.Names(h, o, x) {
			return true
		}
	}
	return false
}

// maxDepth bounds the number of holders between a holder and its member.
const maxDepth = 2

// above reports whether the holder h has o as a member, directly or through others.
func (c *claims) above(h, o graph.Object, all []graph.Object, depth int) bool {
	for _, p := range c.plans {
		if c.member(p, h, o) {
			return true
		}
		for _, x := range all {
			if depth > 0 && c.member(p, x, o) && c.above(h, x, all, depth-1) {
				return true
			}
		}
	}
	return false
}

// contested reports whether another living holder has a claim on the object. A
// holder with h as a member does not count, and neither does a member of h.
func (c *claims) contested(h, o graph.Object, all []graph.Object) bool {
	for range c.rivals(h, o, all) {
		return true
	}
	return false
}

// rivals yields these other holders.
func (c *claims) rivals(h, o graph.Object, all []graph.Object) iter.Seq[graph.Object] {
	return func(yield func(graph.Object) bool) {
		for _, p := range c.plans {
			for _, x := range all {
				if x.Key != h.Key && x.Key != o.Key && c.contests(p, x, o) &&
					!c.above(x, h, all, maxDepth) && !c.above(h, x, all, maxDepth) && !yield(x) {
					return
				}
			}
		}
	}
}

// owned reports whether the object is a member by an owner reference alone.
func (c *claims) owned(p *plan.Plan, h, o graph.Object) bool {
	for x := range c.of(p, o) {
		if !x.Shadow && x.Key.UID == "" && p.Names(h, o, x) {
			return false
		}
	}
	return true
}
