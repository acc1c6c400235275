package graph

import (
	"iter"
)

// Unpruned yields the nodes that the pruning of a kind has still to visit, in its order.
// It yields none if no pruning is under way.
func (g inner) Unpruned(k Kind) iter.Seq[NodeID] {
	return g.chain(g.kinds[g.kindNamed(k)].pruneAt)
}

// OfKind yields all nodes of a kind, in the order of its prunings.
func (g *Graph) OfKind(k Kind) iter.Seq[NodeID] {
	id, ok := g.byKind[k]
	if !ok {
		return g.chain(0)
	}
	return g.chain(g.kinds[id].first)
}

func (g *Graph) chain(id NodeID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for ; id != 0 && yield(id); id = g.at(id).nextKind {
		}
	}
}

// Unfanned yields the dependents that the fan-out of a node has still to visit, in its
// order. A dependent that refers to the node twice comes twice. The other nodes with its UID
// that FanMember has still to return follow.
func (g inner) Unfanned(id NodeID) iter.Seq[NodeID] {
	return func(yield func(NodeID) bool) {
		for e := g.ownerRecordOf(id).fan; e != 0; {
			next, dep := g.following(e)
			if e = next; !yield(dep) {
				return
			}
		}
		if x := g.at(id); x.state() != Observed || !x.is(groupHeadMark|groupMemberMark) {
			return
		}
		f := g.groupOf(id)
		if f.fanHead && !yield(g.head(id)) {
			return
		}
		for m := f.fan; m != 0 && yield(m); m = g.groupLinks[m].next {
		}
	}
}
