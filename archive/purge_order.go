package archive

import (
	"slices"
)

// purgeWalk puts entries in order: the reverse of the order in which a walk from owners to dependents leaves them.
type purgeWalk struct {
	*Purge
	seen []bool // or it stays
	path []purgeStep
	out  []Term
}

// purgeStep is an entry on the path of a walk, and the edges that are left to go.
type purgeStep struct {
	node int32
	left []purgeEdge
}

func (w *purgeWalk) run() []Term {
	for i := range w.nodes {
		w.enter(int32(i))
		for len(w.path) > 0 {
			at := &w.path[len(w.path)-1]
			if len(at.left) == 0 {
				w.out = append(w.out, w.nodes[at.node].Term)
				w.path = w.path[:len(w.path)-1]
				continue
			}
			e := at.left[0]
			at.left = at.left[1:]
			if w.hangs(e) {
				w.enter(e.below)
			}
		}
	}
	slices.Reverse(w.out)
	return w.out
}

func (w *purgeWalk) enter(i int32) {
	if !w.seen[i] {
		w.seen[i] = true
		w.path = append(w.path, purgeStep{node: i, left: w.hanging(i)})
	}
}
