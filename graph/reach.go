package graph

import "iter"

// Ancestors yields the nodes above the node: its owners, their owners, and so on. Nearer ones come
// first, each node comes once, and the node itself does not come. A cycle therefore ends. An
// unresolved reference leads to its claim, and from there to each observed object with the UID.
// The memory is in proportion to the nodes that are yielded. The graph must not change meanwhile.
//
//test:by TestReach
func (n Node) Ancestors() iter.Seq[Node] { return n.reach(Node.above) }

// Descendants yields the nodes below the node: its dependents, their dependents, and so on. Nearer
// ones come first, each node comes once, and the node itself does not come. A cycle therefore ends.
// The memory is in proportion to the nodes that are yielded. The graph must not change meanwhile.
//
//test:by TestReach
func (n Node) Descendants() iter.Seq[Node] { return n.reach(Node.Dependents) }

// above yields the owners of a node, and for a claim the observed objects with its UID.
func (n Node) above() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for _, o := range n.OwnerNodes() {
			if !yield(o) {
				return
			}
		}
		for o := range n.aliases() {
			if !yield(o) {
				return
			}
		}
	}
}

// aliases yields the observed objects for which a claim stands, and none for another node.
func (n Node) aliases() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if !n.inner().ByUID() {
			return
		}
		for _, id := range n.inner().SameUID() {
			if o := n.g.Node(id); o.State() == Observed && !yield(o) {
				return
			}
		}
	}
}

func (n Node) reach(next func(Node) iter.Seq[Node]) iter.Seq[Node] {
	return func(yield func(Node) bool) {
		seen := map[NodeID]bool{n.id: true}
		for todo := []Node{n}; len(todo) > 0; todo = todo[1:] {
			for m := range next(todo[0]) {
				if seen[m.id] {
					continue
				}
				if seen[m.id] = true; !yield(m) {
					return
				}
				todo = append(todo, m)
			}
		}
	}
}
