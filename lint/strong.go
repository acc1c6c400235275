package lint

import "slices"

// strong returns the strongly connected components of two or more nodes. The nodes of each are
// ascending, and the components are in the order of their first nodes. It is Tarjan's algorithm (SIAM
// J. Comput. 1972) with the stack as data, since a chain of references may be long.
//
//test:by TestStrong
func strong(edges [][]int) (rings [][]int) {
	t := components{edges: edges, number: make([]int, len(edges)), low: make([]int, len(edges)), open: make([]bool, len(edges))}
	for i := range edges {
		if t.number[i] == 0 && len(edges[i]) > 0 {
			t.search(i)
		}
	}
	slices.SortFunc(t.rings, func(a, b []int) int { return a[0] - b[0] })
	return t.rings
}

// components is a search under way.
type components struct {
	edges       [][]int
	number, low []int // order of discovery, from 1
	open        []bool
	stack       []int
	last        int
	rings       [][]int
}

// frame is a node of the path, and its next edge.
type frame struct{ node, edge int }

func (t *components) search(start int) {
	path := []frame{t.enter(start)}
	for len(path) > 0 {
		f := &path[len(path)-1]
		if f.edge < len(t.edges[f.node]) {
			to := t.edges[f.node][f.edge]
			f.edge++
			switch {
			case t.number[to] == 0:
				path = append(path, t.enter(to))
			case t.open[to]:
				t.low[f.node] = min(t.low[f.node], t.number[to])
			}
			continue
		}
		node := f.node
		path = path[:len(path)-1]
		if n := len(path); n > 0 {
			up := path[n-1].node
			t.low[up] = min(t.low[up], t.low[node])
		}
		if t.low[node] == t.number[node] {
			t.leave(node)
		}
	}
}

func (t *components) enter(node int) frame {
	t.last++
	t.number[node], t.low[node] = t.last, t.last
	t.open[node] = true
	t.stack = append(t.stack, node)
	return frame{node, 0}
}

// leave takes a component from the stack.
func (t *components) leave(first int) {
	at := len(t.stack) - 1
	for t.stack[at] != first {
		at--
	}
	ring := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, n := range ring {
		t.open[n] = false
	}
	if len(ring) > 1 {
		slices.Sort(ring)
		t.rings = append(t.rings, ring)
	}
}
