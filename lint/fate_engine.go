package lint

import (
	"github.com/ownergraph/ownergraph/graph"
	"github.com/ownergraph/ownergraph/internal/inside"
)

// engine returns the end of the i-th object by the engine of this module, with its default
// settings.
//
// Held by TestFateIsThatOfTheEngine of lint/live.
func (c *checker) engine(i int) Fate {
	o, node := c.objects[i], c.node(i)
	seen, known := c.observes(o.Kind)
	switch {
	case o.Deleting:
		return Leaving
	case len(o.Owners) == 0, known && !seen, node.Inside(inside.Key{}).Flawed(), node.Inside(inside.Key{}).SharesUID():
		return KeptForever
	case !known:
		return NotKnown
	}
	var n [elsewhere + 1]int
	for j := range min(len(o.Owners), maxJudged) {
		n[c.engineStanding(o, node, j)]++
	}
	gone := n[waiting] + n[dangling]
	switch {
	case n[solid] > 0 && gone > 0:
		return Trimmed
	case n[solid] > 0:
		return Kept
	case n[never] > 0:
		return KeptForever
	case n[failing] > 0:
		return KeptUntilKnown
	case n[elsewhere] > 0:
		return Kept
	case n[unseen] > 0 || len(o.Owners) > maxJudged:
		return NotKnown
	case gone == 0:
		return KeptForever // no owner but itself
	}
	return Deleted
}

// engineStanding returns the state of an owner in the engine's graph. A read proves an
// owner absent that a listed kind does not have.
func (c *checker) engineStanding(o *Object, n graph.Node, j int) standing {
	r := o.Owners[j]
	kind := c.kindNamed(r.Kind)
	class, doubt := n.Inside(inside.Key{}).OwnerClass(j)
	switch {
	case n.Inside(inside.Key{}).SelfOwner(j):
		return itself
	case kind != nil && !c.serves(kind, o, j):
		return failing // the store leaves such a reference unresolved
	case kind != nil && kind.Scoped && o.Scope == "", doubt == graph.ForeignScope, doubt == graph.ScopedOwner, doubt == graph.BannedOwner:
		return never
	case doubt == graph.Misplaced, doubt == graph.Renamed, doubt == graph.SharedUID:
		return elsewhere
	case kind != nil && !kind.Listed && class == graph.Unknown:
		return unseen
	case class == graph.Solid:
		return solid
	case class == graph.Waiting:
		return waiting
	case class == graph.Dangling, doubt == graph.Unobserved:
		return dangling
	}
	return failing
}
