package view

// way is the direction of a walk through a world.
type way uint8

const (
	upward way = 1 << iota
	downward
	anyway = upward | downward
)

// visit is a node of a walk and the ways on from there.
type visit struct {
	node int
	ways way
}

// walk visits the nodes around start, nearest first, until yield returns false. It goes up
// from nodes above and down from nodes below, or both ways from all nodes if both is set. It goes
// up to a container only if both is set.
// A fan above 0 bounds the nodes of one kind that one step adds.
func (w *world) walk(start int, both bool, fan int, yield func(v visit) bool) {
	queue := []visit{{start, anyway}}
	w.seen[start] = anyway
	step := func(to int, ways way) {
		if both {
			ways = anyway
		}
		if ways &^= w.seen[to]; ways != 0 {
			w.seen[to] |= ways
			queue = append(queue, visit{to, ways})
		}
	}
	for at := 0; at < len(queue) && yield(queue[at]); at++ {
		v := queue[at]
		if v.ways&upward != 0 {
			n := 0
			for _, e := range w.aboveOf(v.node) {
				if !both && !w.edges[e].owns && w.edges[e].member {
					continue
				}
				if n++; fan == 0 || n <= fan {
					step(w.edges[e].upper, upward)
				}
			}
		}
		if v.ways&downward != 0 {
			w.fanOut(v.node, fan, func(to int) { step(to, downward) })
		}
	}
	for _, v := range queue {
		w.seen[v.node] = 0
	}
}

// fanOut calls do for the nodes below a node, at most fan of each kind, or all for 0.
func (w *world) fanOut(at, fan int, do func(int)) {
	list, n := w.edges[w.down[at]:w.down[at+1]], 0
	for i := range list {
		to := list[i].lower
		if i > 0 && w.nodes[list[i-1].lower].key.Kind != w.nodes[to].key.Kind {
			n = 0
		}
		if n++; fan == 0 || n <= fan {
			do(to)
		}
	}
}
