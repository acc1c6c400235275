package exhaustive

import "slices"

// maxBreadth bounds the nodes that are visited to find the shortest history.
const maxBreadth = 1_000_000

// reached is a node, with the move and the node before it.
type reached struct {
	node node
	from int
	move short
}

// shortest visits the nodes of a graph breadth first, for the shortest history to a
// broken rule. It returns r itself if a bound, or a panic, ends that first.
func shortest(r Result) Result {
	if short := newExplorer(r.start, r.scope).shortest(); short.Broken != nil {
		return short
	}
	return r
}

func (e *explorer) shortest() Result {
	defer func() { _ = recover() }() // the engine panics, which was reported already
	first, ok := e.begin()
	if !ok {
		return e.res
	}
	all := []reached{{node: first, from: -1}}
	var next []successor
	for i := 0; i < len(all) && len(all) < maxBreadth && e.res.Broken == nil; i++ {
		x := all[i].node
		var err error
		if next, err = e.expand(&x, next[:0]); err != nil {
			e.path = way(all, i)
			e.fail(err, false)
		}
		all = e.reach(all, i, next)
	}
	return e.res
}

// reach adds the successors of the i-th node.
func (e *explorer) reach(all []reached, i int, next []successor) []reached {
	for _, s := range next {
		if s.bad != nil {
			e.path = append(way(all, i), s.move)
			e.fail(s.bad, true)
			break
		}
		fresh, _ := e.seen.enter(s.node.hash(e.sides), e.left(&s.node), e.more(&s.node))
		if fresh {
			all = append(all, reached{s.node, i, s.move})
		}
	}
	return all
}

// way returns the moves that lead to the i-th node.
func way(all []reached, i int) (path []short) {
	for ; all[i].from >= 0; i = all[i].from {
		path = append(path, all[i].move)
	}
	slices.Reverse(path)
	return path
}
